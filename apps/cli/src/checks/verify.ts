import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AskedEvidence } from '@workflowlookup/core/operator';
import type { EvidenceResult } from '@workflowlookup/core/sessions';
import type { LocalCollector } from '@workflowlookup/evidence';
import {
  createCollector,
  readProjectChecks,
  attestCheck,
  readSigningKey,
  readStatementFile,
} from '@workflowlookup/evidence';
import type { ErrorCode, Evidence } from '@workflowlookup/schema';
import { WorkflowError, errorCodes, isJsonObject } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import { defined, isHttpUrl, exitCodes } from '../commands/command-line.ts';
import type { CommonOptions, StateFlags } from '../commands/options.ts';
import { replaceFile } from '../files.ts';
import { checkMessages, remoteMessages } from '../messages/checks.ts';
import { withState } from '../open-host.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A request to a server of a team, with the API key of the person or system that runs the command. */
interface RemoteRequest {
  /** The address of the server or of its MCP endpoint. */
  readonly server: string;
  readonly session: string;
  readonly route: 'evidence' | 'statements';
  /** The body of a POST request. Without it, the request is a GET. */
  readonly body?: object;
}

/** The variable with the API key. A command line can be read by other users of the machine. */
const keyVariable = 'WORKFLOWLOOKUP_API_KEY';

const patienceMs = 60_000;

/**
 * Asks a server, and returns its reply.
 *
 * @throws WorkflowError as the server refuses; INVALID_INPUT for a wrong address, or without a key
 */
async function askServer(
  { env }: CommandContext,
  { server, session, route, body }: RemoteRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const address = addressOf(server, session, route);
  const key = env[keyVariable] ?? '';
  if (key === '') throw new WorkflowError('INVALID_INPUT', remoteMessages.noKey(keyVariable));
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    // Another server must not get the key.
    redirect: 'error',
    signal: AbortSignal.timeout(patienceMs),
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new WorkflowError('INVALID_INPUT', remoteMessages.unreachable(address.origin), { cause });
  });
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.ok && isJsonObject(reply)) return reply;
  throw refusalOf(response.status, reply, address.origin);
}

function addressOf(server: string, session: string, route: RemoteRequest['route']): URL {
  if (!isHttpUrl(server)) throw new WorkflowError('INVALID_INPUT', remoteMessages.noUrl(server));
  const url = new URL(server);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !isHere)
    throw new WorkflowError('INVALID_INPUT', remoteMessages.notEncrypted(url.host));
  const base = url.pathname.replace(/\/+$/, '').replace(/\/mcp$/, '');
  return new URL(`${url.origin}${base}/sessions/${encodeURIComponent(session)}/${route}`);
}

function refusalOf(status: number, reply: unknown, origin: string): WorkflowError {
  const { code, message, error, error_description: reason } = isJsonObject(reply) ? reply : {};
  if (typeof code === 'string' && typeof message === 'string' && Object.hasOwn(errorCodes, code))
    return new WorkflowError(code as ErrorCode, message);
  if (status === 401) return new WorkflowError('TOKEN_INVALID', remoteMessages.keyRefused(keyVariable));
  const told = [error, reason].filter((one) => typeof one === 'string').join(': ');
  return new WorkflowError('INVALID_INPUT', remoteMessages.refused(origin, status, told));
}

export interface VerifyFlags extends StateFlags {
  readonly server: string;
  readonly session: string;
}

/** Evidence that a server asks for. */
interface Asked extends Pick<AskedEvidence, 'digest' | 'evidence' | 'unset'> {
  readonly state: { readonly status: string };
}

/** The evidence after the server recorded a report. */
interface OpenEvidence {
  readonly id: string;
  readonly status: string;
  readonly message?: string | undefined;
}

/**
 * Collects the evidence that a session on another server asks for in the working folder, and reports it to that server.
 */
export async function verifySessionWork(context: CommandContext, flags: VerifyFlags): Promise<ExitCode> {
  const { server, session } = flags;
  const list = await askServer(context, { server, session, route: 'evidence' });
  const { activity } = list;
  const asked = askedIn(list).filter(({ state }) => !['passed', 'claimed'].includes(state.status));
  const todo = asked.filter(({ evidence, unset }) => unset.length === 0 && evidence.level !== 'ci');
  const left = asked
    .filter((one) => !todo.includes(one))
    .map(({ evidence, state }) => ({ id: evidence.id, status: state.status }));
  const found = todo.length === 0 ? [] : await collectAll(context, flags, todo);
  const evidence = found.length === 0 ? [] : await report(context, flags, { activity, results: found });
  const all = [...evidence, ...left];
  return context.answer(
    { session, ...(typeof activity === 'string' && { activity }), evidence: all },
    () =>
      all
        .map(({ id, status, message = status }: OpenEvidence) => `${plainLine(id)}: ${plainLine(message)}`)
        .join('\n') || checkMessages.nothingAsked,
    all.every(({ status }) => ['passed', 'not-configured'].includes(status)),
  );
}

/** Reads what a server asks for. */
function askedIn({ asked }: Readonly<Record<string, unknown>>): readonly Asked[] {
  const isAsked = (one: unknown): boolean =>
    isJsonObject(one) &&
    isJsonObject(one['evidence']) &&
    typeof one['evidence']['id'] === 'string' &&
    typeof one['digest'] === 'string' &&
    Array.isArray(one['unset']) &&
    isJsonObject(one['state']);
  if (Array.isArray(asked) && asked.every(isAsked)) return asked;
  throw new WorkflowError('INVALID_INPUT', remoteMessages.otherReply);
}

interface Found {
  readonly evidence: string;
  readonly demand: string;
  readonly result: EvidenceResult;
}

async function collectAll(
  context: CommandContext,
  flags: VerifyFlags,
  todo: readonly Asked[],
): Promise<readonly Found[]> {
  const folder = process.cwd();
  return withState(context, flags, async ({ trust, state }) => {
    await requireTrust(folder, todo, async (path) => (await trust.checks.entry(path))?.digest);
    const collector = createCollector({
      folder,
      stateFolder: state.directory,
      environment: context.env,
      trust: trust.checks,
    });
    try {
      const found: Found[] = [];
      for (const { evidence, digest } of todo) {
        const result = await collect(collector, evidence, context.terminal);
        found.push({ evidence: evidence.id, demand: digest, result });
      }
      return found;
    } finally {
      await collector.close();
    }
  });
}

/** An agent may have written the checks, so a person must trust them first, as on a server. */
async function requireTrust(
  folder: string,
  todo: readonly Asked[],
  trustedDigest: (path: string) => Promise<string | undefined>,
): Promise<void> {
  if (!todo.some(({ evidence }) => 'check' in evidence)) return;
  const project = await readProjectChecks(folder);
  if (project !== undefined && (await trustedDigest(project.path)) !== project.digest)
    throw new WorkflowError('INVALID_STATE', checkMessages.notTrusted);
}

async function collect(
  collector: LocalCollector,
  evidence: Evidence,
  { warn }: Pick<Terminal, 'warn'>,
): Promise<EvidenceResult> {
  await warn(`${checkMessages.collecting(plainLine(evidence.id))}\n`);
  for (;;) {
    const answer = await collector.collect({ key: evidence.id, evidence, waitMs: 600_000 });
    if ('result' in answer) return answer.result;
  }
}

async function report(
  context: CommandContext,
  { server, session }: VerifyFlags,
  { activity, results }: { readonly activity: unknown; readonly results: readonly Found[] },
): Promise<readonly OpenEvidence[]> {
  const body = {
    activity,
    results: results.map(({ result: { kind: _kind, level: _level, ...result }, ...one }) => ({
      ...one,
      result,
    })),
  };
  const { evidence } = await askServer(context, { server, session, route: 'evidence', body });
  if (!Array.isArray(evidence)) throw new WorkflowError('INVALID_INPUT', remoteMessages.otherReply);
  return evidence.map((one: Readonly<Record<string, unknown>>) => ({
    id: String(one['id']),
    status: String(one['status']),
    message: typeof one['message'] === 'string' ? one['message'] : undefined,
  }));
}

export interface AttestFlags extends CommonOptions {
  readonly check: string;
  /** The file with the private key. */
  readonly key?: string;
  readonly unsigned?: boolean;
  /** The file with an unsigned statement. */
  readonly from?: string;
  readonly session?: string;
  readonly url?: string;
  readonly out?: string;
  readonly server?: string;
}

/**
 * Signs a statement about a check at the commit that is checked out: it runs the check, or takes the findings of a run.
 */
export async function attest(context: CommandContext, flags: AttestFlags): Promise<ExitCode> {
  const { answer, asJson, env, terminal } = context;
  const { check, session, url, out, server, from } = flags;
  refuseExcluded(flags);
  const key = flags.key === undefined ? undefined : await readSigningKey(flags.key);
  const findings = from === undefined ? undefined : await readStatementFile(from);
  const { envelope, statement, commit, reasons } = await inNewFolder((stateFolder) =>
    attestCheck({
      folder: process.cwd(),
      stateFolder,
      environment: env,
      check,
      ...defined({ key, findings, session, url }),
    }),
  );
  const passed = reasons.length === 0;
  const made = envelope ?? statement;
  if (out !== undefined) await replaceFile(resolve(out), `${JSON.stringify(made)}\n`);
  if (server !== undefined && session !== undefined && envelope !== undefined)
    await askServer(context, { server, session, route: 'statements', body: envelope });
  if (!asJson) await terminal.warn(`${checkMessages.result(check, reasons.map(plainLine))}\n`);
  if (asJson || out === undefined)
    return answer({ check, commit, passed, reasons, statement: made }, () => JSON.stringify(made), passed);
  return passed ? exitCodes.ok : exitCodes.findings;
}

/** Refuses options that exclude each other. */
function refuseExcluded({ key, unsigned = false, from, server, session }: AttestFlags): void {
  if (server !== undefined && session === undefined)
    throw new WorkflowError('INVALID_INPUT', checkMessages.serverNeedsSession);
  if (unsigned === (key !== undefined) || (unsigned && (from ?? server) !== undefined))
    throw new WorkflowError('INVALID_INPUT', checkMessages.keyOrUnsigned);
}

/** Runs with a temporary folder: CI has no state that a later run could use. */
async function inNewFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'workflowlookup-attest-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
