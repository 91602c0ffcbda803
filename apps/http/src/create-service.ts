import type { Host } from '@workflowlookup/host';
import { createHost, openApiKeys, openRevokedIds } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import { describeError, toolSet } from '@workflowlookup/mcp';
import type { HttpHandler, HttpHandlerOptions } from '@workflowlookup/mcp/http';
import { createHttpHandler } from '@workflowlookup/mcp/http';
import type { App } from './app.ts';
import { createApp } from './app.ts';
import { createApiKeyVerifier } from './auth/api-key-verifier.ts';
import { createChallenge } from './auth/challenge.ts';
import type { Verifier } from './auth/identity.ts';
import { createOAuthVerifier } from './auth/oauth-verifier.ts';
import type { Door, DoorParts } from './door.ts';
import { createDoor } from './door.ts';
import type { AllowList } from './guards/allow-list.ts';
import { createAllowList, isLoopback } from './guards/allow-list.ts';
import { createFailedCredentials } from './guards/failed-credentials.ts';
import { createRateLimit } from './guards/rate-limit.ts';
import { createShare } from './guards/share.ts';
import { createMetrics } from './metrics.ts';
import type { NetworkOptions } from './network-options.ts';
import type { ServeRequest } from './options.ts';
import { createSessionCounts } from './session-counts.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** What a service needs beside what it was asked to be. */
export interface ServiceParts {
  /** Version of the package. */
  readonly version: string;
  readonly log: Log;
  /** Whether the metrics of the process are shown too. */
  readonly processMetrics?: boolean;
  /** Where requests, calls and uses of the database are traced; the service closes it. */
  readonly telemetry?: Telemetry | undefined;
  /** Makes what serves `/mcp`; default this product's. */
  createHandler?(options: HttpHandlerOptions): HttpHandler;
}

/** A server without a port. */
export interface Service {
  readonly app: App;
  /** Reads the definitions, so that no request has to wait for them. */
  warm(): Promise<unknown>;
  /** Says to load balancers that nothing more is to be sent here; what comes is served as before. */
  leave(): void;
  /** Leaves, and ends streams and waiting calls; what is under way goes on. */
  drain(): Promise<void>;
  /** Writes what was left behind and lets everything go. */
  close(): Promise<void>;
}

/** Wires a server. Nothing is read before it is warmed or asked, and nothing written before it is asked. */
export function createService(request: Omit<ServeRequest, 'kind'>, parts: ServiceParts): Service {
  const { network } = request;
  const { log, telemetry, createHandler = createHttpHandler } = parts;
  const isGuarded = network.keys || network.oauth !== undefined;
  const host = createHost({
    ...(isGuarded && { humanAnswersWith }),
    ...request.host,
    onWrite: (written) => metrics.onWrite(written),
    ...(telemetry && { aroundStore: telemetry.aroundStore }),
  });
  let isLeaving = false;
  const handler = createHandler({
    services: (caller) =>
      Promise.resolve({
        engine: host.engine,
        get sessions() {
          return host.sessionsOf(caller);
        },
      }),
    keys: async () => (await host.vault()).keys,
    revoked: openRevokedIds(host.access),
    version: parts.version,
    log,
    tools: toolSet(request.tools),
    limits: network,
    onCall: (call) => metrics.onCall(call),
    ...(telemetry && { aroundCall: telemetry.aroundCall }),
  });
  const onError = (error: unknown): void => log('error', 'failure', describeError(error));
  const workflowSessions = createSessionCounts({ ask: () => host.operator.counts(), onError });
  const measured = { counts: () => handler.counts(), workflowSessions };
  const metrics = createMetrics(measured, parts.processMetrics === true);
  const failed = createFailedCredentials(network);
  const verifiers = verifiersOf(network, host.access);
  const door = openDoor(network, { handler, verifiers, failed, onError });
  const app = createApp({
    allowed: allowListOf(network),
    failed,
    door,
    metrics,
    ready: { vault: () => host.vault(), isDraining: () => isLeaving },
    maxRequests: network.maxRequests,
    ...(network.oauth !== undefined && { resourceMetadata: resourceMetadata(network.oauth) }),
    telemetry,
    log,
  });
  const leave = (): void => {
    isLeaving = true;
  };
  return {
    app,
    warm: () => host.engine.summaries(),
    leave,
    async drain() {
      leave();
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

/** How many requests of a principal may come at once after a pause, in seconds' worth. */
const burstSeconds = 3;

function openDoor(
  { oauth, rateLimit, maxRequests }: NetworkOptions,
  parts: Pick<DoorParts, 'handler' | 'verifiers' | 'failed' | 'onError'>,
): Door {
  // Where there is one principal, it is everybody.
  const ofEach = parts.verifiers.length === 0 ? maxRequests : Math.ceil(maxRequests / 4);
  return createDoor({
    ...parts,
    challenge: createChallenge(oauth && metadataUrl(oauth.resource)),
    rate: createRateLimit({ perSecond: rateLimit, burst: rateLimit * burstSeconds }),
    share: createShare(ofEach),
  });
}

function allowListOf({ allowedHosts, allowedOrigins, address }: NetworkOptions): AllowList {
  return createAllowList({
    hosts: allowedHosts,
    origins: allowedOrigins,
    loopbackOrigins: isLoopback(address),
  });
}

/** Where one must sign in, a person does; else whoever has this machine has the command line. */
function humanAnswersWith(sid: string): string {
  return `respond_checkpoint and a credential of the scope checkpoints:respond, session ${sid}`;
}

function verifiersOf({ keys, oauth }: NetworkOptions, access: Host['access']): readonly Verifier[] {
  return [
    ...(keys ? [createApiKeyVerifier(openApiKeys(access))] : []),
    ...(oauth === undefined ? [] : [createOAuthVerifier(oauth)]),
  ];
}

/** Where the document below is, by the rule of RFC 9728 for a resource with a path. */
function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

/** What clients read to find the authorization server (RFC 9728). */
function resourceMetadata({ issuer, resource }: NonNullable<NetworkOptions['oauth']>): object {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: ['read', 'write', 'checkpoints:respond'],
    bearer_methods_supported: ['header'],
    resource_name: 'workflowlookup',
  };
}
