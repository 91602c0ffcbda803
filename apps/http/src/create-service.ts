import type { Operator } from '@workflowlookup/core/operator';
import type { AccessDatabase, AuditEntry, AuditLog, Host, HostOptions } from '@workflowlookup/host';
import { createHost, openApiKeys, newSignInSecret } from '@workflowlookup/host';
import { readHookActs } from '@workflowlookup/host/hook-acts';
import type { Log } from '@workflowlookup/mcp';
import { describeError, toolSet, tools } from '@workflowlookup/mcp';
import type {
  BegunCall,
  CallWatchers,
  FinishedCall,
  HttpHandler,
  HttpHandlerOptions,
} from '@workflowlookup/mcp/http';
import { createHttpHandler } from '@workflowlookup/mcp/http';
import { WorkflowError, isStoreFailure } from '@workflowlookup/schema';
import type { Service } from './app.ts';
import { createApp } from './app.ts';
import { createAuthentication, createGuards, shareOf, resourceMetadata } from './auth/authentication.ts';
import type { Identity } from './auth/authentication.ts';
import type { ChangeFeed } from './change-feed.ts';
import { createChangeFeed } from './change-feed.ts';
import type { Console, ConsoleParts } from './console/requests.ts';
import type { evidenceRoutes } from './evidence-routes.ts';
import {
  createAllowList,
  createMcpAddress,
  isLoopback,
  createFailedCredentials,
  createSessionQuota,
} from './guards.ts';
import { addressMessages, evidenceMessages } from './messages.ts';
import type { NetworkOptions, ServeRequest } from './options.ts';
import type { AnnounceParts } from './webhook.ts';
import { createMetrics } from './telemetry/metrics.ts';
import type { Telemetry } from './telemetry/open-telemetry.ts';
import { createSessionCounts, createStoreWatch } from './telemetry/store-watch.ts';

/** How often revoked keys are synchronized, in milliseconds. */
const everyMs = 60_000;

/**
 * Synchronizes revoked API keys between the database and the server's state directory until the signal is aborted. If the
 * database was restored from an older backup, the keys that it lists as valid again are revoked again. After a failure,
 * the next run retries.
 */
async function keepKeysInStep(
  access: AccessDatabase,
  {
    log,
    onError,
    signal,
  }: { readonly log: Log; onError(error: unknown): void; readonly signal: AbortSignal },
): Promise<void> {
  const keys = openApiKeys(access);

  async function sync(): Promise<void> {
    try {
      const again = await keys.sync();
      if (again.length > 0) log('warn', 'keys_revoked_again', { keys: again });
    } catch (error) {
      onError(error);
    }
  }

  const timer = setInterval(() => void sync(), everyMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer));
  await sync();
}

/** Tools that change nothing. */
const reading: ReadonlySet<string> = new Set(
  tools.flatMap(({ name, annotations }) => (annotations.readOnlyHint ? [name] : [])),
);

/** The observers of each tool call: the tracing, and the audit log. */
function wrapCallOf(audit: AuditLog, telemetry: Telemetry | undefined): Pick<CallWatchers, 'wrapCall'> {
  const traced = telemetry?.wrapCall;
  if (!audit.isOn) return traced === undefined ? {} : { wrapCall: traced };

  const recorded = ({ tool }: BegunCall, run: () => Promise<FinishedCall>): Promise<FinishedCall> =>
    audit.within({ via: tool }, async () => {
      const finished = await run();
      audit.record({ action: reading.has(tool) ? 'read' : 'call', ...outcomeOfCall(finished) });
      return finished;
    });
  return {
    wrapCall: traced === undefined ? recorded : (call, run) => traced(call, () => recorded(call, run)),
  };
}

function outcomeOfCall({ code }: FinishedCall): Pick<AuditEntry, 'outcome' | 'code'> {
  if (code === undefined) return { outcome: 'done' };
  return { outcome: code === 'INTERNAL' || isStoreFailure(code) ? 'failed' : 'refused', code };
}

/** Options of `createService` besides the command line. */
export interface ServiceParts {
  readonly version: string;
  readonly log: Log;
  /** Whether to include the metrics of the process. */
  readonly processMetrics?: boolean;
  /** Traces requests, calls and uses of the database. The service closes it. */
  readonly telemetry?: Telemetry | undefined;
  /** The folder of the built pages of the console; default that of the installed package. */
  readonly pages?: string | undefined;
  /** Creates the handler of `/mcp`; by default this product's handler. */
  createHandler?(options: HttpHandlerOptions): HttpHandler;
}

/**
 * Creates a server without a port. It reads nothing before `warm` or the first request, and writes nothing before the
 * first request.
 */
export function createService(request: Omit<ServeRequest, 'kind'>, parts: ServiceParts): Service {
  const { network } = request;
  const { log, telemetry, createHandler = createHttpHandler } = parts;
  const storeWatch = createStoreWatch({ vault: () => host.vault(), log });
  /** An outage of the database is logged once, and not by every request that fails. */
  const onError = (error: unknown): void => {
    if (error instanceof WorkflowError && isStoreFailure(error.code)) storeWatch.suspect(error);
    else log('error', 'failure', describeError(error));
  };
  const measured = {
    counts: () => handler.counts(),
    workflowSessions: createSessionCounts({ ask: () => host.operator.counts(), onError }),
    isDatabaseFailing: storeWatch.isFailing,
    isAuditFailing: () => host.audit.isFailing(),
    hookActs: () => readHookActs(host.state.directory),
  };
  const metrics = createMetrics(measured, parts.processMetrics === true);
  const quota = createSessionQuota({
    ...network,
    countOf: (principal) => host.operatorOf({ principal }).counts(),
  });
  const host: Host = openHost(request, {
    telemetry,
    beforeStart: ({ principal }) => quota(principal),
    onWrite: metrics.onWrite,
    onAuditChange({ isFailing, lost, error }) {
      if (isFailing) log('error', 'audit_lost', describeError(error));
      else log('warn', 'audit_restored', { lost });
    },
  });
  let isLeaving = false;
  const handler = createHandler({
    engine: host.engine,
    sessionsOf: host.sessionsOf,
    keys: async () => (await host.vault()).keys,
    revoked: host.access.open,
    version: parts.version,
    onError,
    tools: toolSet(request.tools),
    limits: { ...network, maxStreamsOfEach: shareOf(network, network.maxStreams) },
    onCall: metrics.onCall,
    ...wrapCallOf(host.audit, telemetry),
  });
  const failed = createFailedCredentials(network);
  const guards = createGuards(network, host.access, log);
  const { oauth } = network;
  const authentication = createAuthentication({
    ...guards,
    oauth,
    handler,
    failed,
    onError,
    audit: host.audit,
  });
  const address = createMcpAddress(network.addressToken ? host.keys : undefined);
  const isDraining = (): boolean => isLeaving;
  const feed = createChangeFeed(host, onError);
  const looked = { host, feed, metrics, clients: () => handler.counts(), isDraining };
  const console = createLateConsole({ ...guards, ...parts, ...looked, network, failed });
  const stopping = new AbortController();
  const { signal } = stopping;
  const app = createApp({
    allowed: createAllowList(network),
    failed,
    audit: host.audit,
    authentication,
    address,
    evidence: createLateEvidence({ ...guards, host, log }),
    console,
    metrics,
    store: storeWatch,
    isDraining,
    maxRequests: network.maxRequests,
    ...(oauth && { resourceMetadata: resourceMetadata(oauth) }),
    telemetry,
    log,
  });
  const leave = (): void => {
    isLeaving = true;
  };
  return {
    app,
    mcpPath: address.path,
    consoleLink() {
      if (!network.console) return undefined;
      const isOpen = guards.verifiers.length === 0;
      return `/console/${isOpen ? `#sign-in=${newSignInSecret(host.keys(), Date.now())}` : ''}`;
    },
    async warm() {
      await Promise.all([
        host.engine.summaries(),
        startWebhook({ feed, operator: host.operator, network, log, signal }),
        network.keys && keepKeysInStep(host.access, { log, onError, signal }),
      ]);
      await tellUntrusted(host, log);
    },
    reopen: () => host.audit.reopen(),
    leave,
    async drain() {
      leave();
      stopping.abort();
      storeWatch.stop();
      console.drain();
      await handler.close();
    },
    async close() {
      try {
        await host.close();
      } finally {
        await telemetry?.close();
      }
    },
  };
}

/** Logs once which definitions are not served, so that a person who reads the log can trust them. */
async function tellUntrusted({ definitions }: Host, log: Log): Promise<void> {
  const untrusted = await definitions.untrusted();
  if (untrusted.length === 0) return;
  log('info', 'untrusted', { definitions: untrusted.length, trustWith: untrusted[0]?.trustWith });
}

function openHost(
  { host, network }: Pick<ServeRequest, 'host' | 'network'>,
  {
    telemetry,
    ...told
  }: Pick<ServiceParts, 'telemetry'> &
    Required<Pick<HostOptions, 'beforeStart' | 'onWrite' | 'onAuditChange'>>,
): Host {
  const isGuarded = network.keys || network.oauth !== undefined;
  return createHost({
    // Without sign-in, a person answers with the command line, and all calls come from this machine.
    evidence: !isGuarded && isLoopback(network.address),
    hasConsole: network.console,
    ...(isGuarded && { humanAnswersWith: addressMessages.humanAnswersWith }),
    ...host,
    ...told,
    ...(telemetry && { wrapStore: telemetry.wrapStore }),
  });
}

/** Creates the console, which is loaded on the first request for it. If it is switched off, every request gets a 404. */
function createLateConsole(parts: ConsoleParts): Console {
  let made: Promise<Console> | undefined;

  async function load(): Promise<Console> {
    const { createConsole } = await import('./console/create-console.ts');
    return createConsole(parts);
  }

  return {
    async fetch(request) {
      if (!parts.network.console) return Response.json({ error: 'not_found' }, { status: 404 });
      made ??= load();
      return (await made).fetch(request);
    },
    drain: () => void made?.then((console) => console.drain()),
  };
}

/**
 * Makes the routes for evidence, which are loaded with the first request. A server without sign-in has none, because it
 * can't tell a person from an agent.
 */
function createLateEvidence(
  parts: Pick<ConsoleParts, 'host' | 'log' | 'verifiers'>,
): (request: Request, who: Identity) => Promise<Response> {
  let made: Promise<ReturnType<typeof evidenceRoutes>> | undefined;
  return async (request, who) => {
    if (parts.verifiers.length === 0)
      return Response.json({ code: 'FORBIDDEN', message: evidenceMessages.noSignIn() }, { status: 403 });
    made ??= import('./evidence-routes.ts').then((module) => module.evidenceRoutes(parts));
    return (await made).fetch(request, { who });
  };
}

/**
 * Starts the webhook, if one is configured. It announces each checkpoint that needs a person, and each parked session
 * whose time has come, until the signal is aborted. If the database is unavailable, it starts as soon as the database is
 * available.
 */
async function startWebhook({
  feed,
  operator,
  network: { publicUrl, webhook },
  log,
  signal,
}: {
  readonly feed: ChangeFeed;
  readonly operator: Pick<Operator, 'find' | 'summary'>;
  readonly network: Pick<NetworkOptions, 'publicUrl' | 'webhook'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  if (webhook === undefined) return;
  const { announceCheckpoints, announceParked, sendWebhook } = await import('./webhook.ts');
  const parts: AnnounceParts = {
    feed,
    publicUrl,
    send: (message) => sendWebhook(webhook, message, signal),
    onError: (error) => log('warn', 'webhook_lost', describeError(error)),
    signal,
  };
  await Promise.all([announceCheckpoints(parts), announceParked({ ...parts, operator })]);
}
