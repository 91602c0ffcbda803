import type { Stats } from 'node:fs';
import { constants, existsSync } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { UntrustedDefinition } from '@workflowlookup/core';
import type { Host, KeyRingOptions } from '@workflowlookup/host';
import { createHost, hasTokenKeys, loadKeyRing, unsealedRevocations } from '@workflowlookup/host';
import { readHostFlags, nodeProblem } from '@workflowlookup/host/flags';
import type { ServerAddress, ServerCommand } from '@workflowlookup/mcp/client';
import { connect } from '@workflowlookup/mcp/client';
import { WorkflowError, defined } from '@workflowlookup/schema';
import type { CommandContext, Environment, ExitCode } from '../commands/command-line.ts';
import { isHttpUrl, ownEntry, shellWord } from '../commands/command-line.ts';
import type { SourceFlags, StateFlags } from '../commands/options.ts';
import { statOf } from '../files.ts';
import { optionMessages } from '../messages/common.ts';
import { doctorMessages } from '../messages/server.ts';
import { sourceFlagsOf } from '../open-host.ts';
import { columns, plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface DoctorOptions extends SourceFlags, StateFlags {
  readonly url?: string;
  readonly keyEnv?: string;
}

/** Checks everything a server needs, without creating anything, and prints how to fix problems. */
export async function doctor(
  { answer, terminal, env }: CommandContext,
  options: DoctorOptions,
): Promise<ExitCode> {
  const { url, keyEnv } = options;
  if (url === undefined && keyEnv !== undefined)
    throw new WorkflowError('INVALID_INPUT', optionMessages.keyEnvWithoutUrl);
  if (url !== undefined && !isHttpUrl(url)) throw new WorkflowError('INVALID_INPUT', optionMessages.url);
  const found =
    url === undefined
      ? await checkThisMachine(options, env)
      : await checkAddress({ url, ...keyOf(keyEnv, env) });
  const checks = [checkNode(), ...found];
  const ok = checks.every(({ status }) => status !== 'problem');
  return answer({ ok, checks }, () => findingsText(checks, terminal), ok);
}

/** File modes are checked first because opening the state directory corrects them. */
async function checkThisMachine(
  { state, database, ...options }: DoctorOptions,
  env: Environment,
): Promise<readonly Check[]> {
  const flags = { ...sourceFlagsOf(options), ...defined({ state, database }) };
  const read = readHostFlags(flags, env);
  if (typeof read === 'string') throw new WorkflowError('INVALID_INPUT', read);
  const host = createHost(read);
  const { directory } = host.state;
  try {
    return [
      ...(await checkSources(host)),
      ...(await checkState(directory)),
      await checkDisk(directory),
      checkKeys({ stateDirectory: directory, environment: env }),
      await checkDatabase(host),
      await roundTrip(
        {
          command: process.execPath,
          args: [ownEntry, 'serve', 'stdio', ...Object.entries(flags).flatMap(argumentsOf)],
          env: env as Readonly<Record<string, string>>,
          isQuiet: true,
        },
        () => doctorMessages.runStdio,
      ),
    ];
  } finally {
    await host.close();
  }
}

function keyOf(keyEnv: string | undefined, env: Environment): { readonly key?: string } {
  if (keyEnv === undefined) return {};
  const key = env[keyEnv];
  if (key) return { key };
  throw new WorkflowError('INVALID_INPUT', optionMessages.keyEnvUnset(keyEnv));
}

/** Returns a flag as the arguments of a command. */
function argumentsOf([name, value]: readonly [string, boolean | string | readonly string[]]) {
  if (typeof value === 'boolean') return value ? [`--${name}`] : [];
  return [value].flat().map((one) => `--${name}=${one}`);
}

const emphasisOf = { ok: 'green', problem: 'red', skipped: 'dim' } as const;

/** Formats the checks, one line each, with the fix below a problem. */
function findingsText(checks: readonly Check[], { paint }: Pick<Terminal, 'paint'>): string {
  const rows = columns(checks.map(({ status, name, says }) => [status, name, says])).split('\n');
  const lines = checks.flatMap(({ status, fix }, at) => {
    const row = rows[at] ?? '';
    const painted = paint(emphasisOf[status], row.slice(0, status.length)) + row.slice(status.length);
    return fix === undefined ? [painted] : [painted, `         ${plainLine(fix)}`];
  });
  const problems = checks.filter(({ status }) => status === 'problem').length;
  const waits = checks.some(({ status, fix }) => status === 'skipped' && fix !== undefined);
  const none = waits ? doctorMessages.personDecides : doctorMessages.noProblems;
  return [...lines, '', problems === 0 ? none : doctorMessages.problems(problems)].join('\n');
}

interface Check {
  readonly name: string;
  /** `skipped` means that there is nothing to check yet. */
  readonly status: 'ok' | 'problem' | 'skipped';
  readonly says: string;
  /** How to fix a problem, or how to decide about definitions that wait for a person. */
  readonly fix?: string;
}

function fine(name: string, says: string): Check {
  return { name, status: 'ok', says };
}

/** Returns a check that was skipped because there is nothing to check yet. */
function skipped(name: string, says: string): Check {
  return { name, status: 'skipped', says };
}

function problem(name: string, found: Required<Pick<Check, 'fix' | 'says'>>): Check {
  return { name, status: 'problem', ...found };
}

/** Returns a failed check for an error. The messages of our errors say first what is wrong, then what to do. */
function failure(name: string, error: unknown, fix: string): Check {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof WorkflowError)) return problem(name, { says: message, fix });
  const [says = message, ...remedy] = message.split(/(?<=\.) (?=[A-Z])/);
  return problem(name, { says, fix: remedy.join(' ') || fix });
}

/** Checks whether this version of Node.js is supported. */
export function checkNode(version: string = process.versions.node): Check {
  const [says, fix] = nodeProblem(version)?.split(/(?<=old)\. /) ?? [];
  return says === undefined || fix === undefined
    ? fine('node', doctorMessages.node(version))
    : problem('node', { says, fix });
}

/**
 * Checks whether the keys that sign tokens, and that sealed the list of revoked API keys, can be read. Creates none.
 */
function checkKeys(options: KeyRingOptions): Check {
  try {
    if (!hasTokenKeys(options)) return skipped('keys', doctorMessages.noKeys);
    const { verifying } = loadKeyRing(options);
    const unsealed = unsealedRevocations(options);
    if (unsealed.length > 0) return problem('keys', doctorMessages.unsealedRevocations(unsealed));
    return fine('keys', doctorMessages.keys(verifying.length));
  } catch (error) {
    return failure('keys', error, doctorMessages.letReadState);
  }
}

/** Checks whether the database opens and answers. Creates none. */
async function checkDatabase({ operator, state }: Host): Promise<Check> {
  if (!state.isMade()) return skipped('database', doctorMessages.noDatabase);
  try {
    const { sessions } = await operator.find({}, { limit: 1 });
    return fine('database', doctorMessages.database(sessions[0]?.updatedAt));
  } catch (error) {
    return failure('database', error, doctorMessages.verifySessions);
  }
}

/** Returns the folder, or its nearest existing parent. */
function existingPart(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : existingPart(parent);
}

/** A session takes some hundred kilobytes. With less space than this, writes will soon fail. */
const leastBytes = 100_000_000;

/** Reads the free space of a file system. */
type Stat = (folder: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;

/** Checks whether the disk has enough free space for sessions. */
export async function checkDisk(directory: string, statDisk: Stat = statfs): Promise<Check> {
  const folder = existingPart(directory);
  try {
    const { bavail, bsize } = await statDisk(folder);
    const freeBytes = bavail * bsize;
    const says = doctorMessages.disk(freeBytes, folder);
    if (freeBytes >= leastBytes) return fine('disk', says);
    return problem('disk', { says, fix: doctorMessages.freeSpace });
  } catch (error) {
    return failure('disk', error, doctorMessages.letRead(shellWord(folder)));
  }
}

/** Returns the code of a system error, such as ENOENT. */
function systemCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}

/**
 * Checks whether only this user can read the state directory and the server can write it, or create it if it does not
 * exist.
 */
async function checkState(directory: string): Promise<readonly Check[]> {
  const folder = existingPart(directory);
  try {
    if (!(await stat(folder)).isDirectory())
      return [problem('state', doctorMessages.stateNotDirectory(folder))];
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (folder !== directory) return [skipped('state', doctorMessages.stateNotMade(directory))];
    const problems = await problemsIn(directory);
    return problems.length > 0 ? problems : [fine('state', doctorMessages.state(directory))];
  } catch (error) {
    const code = systemCodeOf(error);
    return [problem('state', doctorMessages.stateNotWritable(folder, code, shellWord(folder)))];
  }
}

/** Returns files with unsafe permissions. Windows itself protects what is in the folder of a user. */
async function problemsIn(directory: string): Promise<readonly Check[]> {
  const { getuid } = process;
  if (getuid === undefined) return [];
  const below = await readdir(directory, { recursive: true });
  const paths = [directory, ...below.map((path) => join(directory, path))];
  // Entries that disappear in the meantime have no status.
  const entries = await Promise.all(paths.map(async (path) => ({ path, found: await statOf(path) })));
  const pathsOf = (isUnsafe: (found: Stats) => boolean): string =>
    entries.flatMap(({ path, found }) => (found && isUnsafe(found) ? [path] : [])).join(', ');
  const open = pathsOf((found) => !found.isSymbolicLink() && (found.mode & 0o077) !== 0);
  const foreign = pathsOf(({ uid }) => uid !== getuid());
  const word = shellWord(directory);
  const { stateForeign, stateOpen } = doctorMessages;
  return [
    ...(open === '' ? [] : [problem('state', stateOpen(open, word))]),
    ...(foreign === '' ? [] : [problem('state', stateForeign(foreign, getuid(), word))]),
  ];
}

type Source = Host['sources'][number];

/** Checks whether each source directory can be read and its definitions can be served. */
async function checkSources({ sources, engine }: Host): Promise<readonly Check[]> {
  const found = await Promise.all(sources.map(checkSource));
  const { problems = [], untrusted = [] } = await engine.list();
  const served = await engine.summaries();
  // A source that can't be read is listed as a problem with the file `.`.
  const broken = problems.filter(({ severity, file }) => severity === 'error' && file !== '.');
  const files = broken.map(({ file }) => file);
  const definitions =
    files.length === 0
      ? fine('definitions', doctorMessages.served(served.length))
      : problem('definitions', doctorMessages.refused(served.length, files));
  return [...found, definitions, ...(untrusted.length === 0 ? [] : [untrustedCheck(untrusted)])];
}

function untrustedCheck(untrusted: readonly UntrustedDefinition[]): Check {
  const ids = untrusted.slice(0, 20).flatMap(({ id }) => (id === undefined ? [] : [id]));
  return { name: 'trust', status: 'skipped', ...doctorMessages.untrusted(untrusted.length, ids) };
}

async function checkSource({ name, directory }: Source): Promise<Check> {
  const title = `source ${name}`;
  try {
    await readdir(directory);
    return fine(title, directory);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT') return absent({ name, directory }, title);
    if (code === 'ENOTDIR') return problem(title, doctorMessages.sourceNotDirectory(directory));
    return problem(title, doctorMessages.sourceUnreadable(directory, code, shellWord(directory)));
  }
}

/** Default directories may be absent; directories that were named must exist. */
function absent({ name, directory }: Source, title: string): Check {
  if (name === 'bundled') return problem(title, doctorMessages.bundledMissing(directory));
  if (!name.startsWith('custom')) return skipped(title, doctorMessages.sourceAbsent(directory));
  return problem(title, doctorMessages.sourceMissing(directory));
}

/** Checks whether an MCP client that connects to the server sees its tools and gets an answer. */
async function roundTrip(
  server: ServerAddress | ServerCommand,
  fixOf: (error?: unknown) => string,
): Promise<Check> {
  const startMs = performance.now();
  try {
    const connection = await connect(server);
    try {
      const tools = await connection.toolNames();
      const { isError, text, structured } = await connection.call('workflow_list', {});
      if (isError) return problem('server', { says: doctorMessages.listRefused(text), fix: fixOf() });
      const workflows = (structured['workflows'] as readonly unknown[] | undefined)?.length ?? 0;
      const ms = Math.round(performance.now() - startMs);
      return fine('server', doctorMessages.answers(tools.length, workflows, ms));
    } finally {
      await connection.close();
    }
  } catch (error) {
    return failure('server', error, fixOf(error));
  }
}

/** How long to wait for a reply. */
const patienceMs = 10_000;

/** Checks whether an HTTP server is up, accepts requests, and answers an MCP client. */
async function checkAddress(server: ServerAddress): Promise<readonly Check[]> {
  const root = rootOf(server.url);
  const health = await look('health', new URL('healthz', root));
  if (health.status !== 'ok') return [health];
  const ready = await look('ready', new URL('readyz', root));
  return [health, ready, await roundTrip(server, fixOfFailure)];
}

/** Returns the root of the server's other routes, which are beside `/mcp` whether or not a token follows it. */
function rootOf(url: string): URL {
  const root = new URL('./', url);
  return root.pathname.endsWith('/mcp/') ? new URL('..', root) : root;
}

async function look(name: string, { href }: URL): Promise<Check> {
  try {
    const response = await fetch(href, { signal: AbortSignal.timeout(patienceMs) });
    const says = doctorMessages.status(href, response.status);
    if (response.ok) return fine(name, says);
    const said = (await response.text()).slice(0, 200);
    return problem(name, { says: `${says}: ${said}`, fix: fixOfStatus(response.status) });
  } catch (error) {
    // The cause has the error of the network.
    const { cause = error } = error as { readonly cause?: unknown };
    const reason = cause instanceof Error ? cause.message : String(cause);
    return problem(name, doctorMessages.unreachable(href, reason));
  }
}

function fixOfStatus(status: number): string {
  if (status === 403) return doctorMessages.allowHost;
  return status === 503 ? doctorMessages.readLog : doctorMessages.giveUrl;
}

function fixOfFailure(error?: unknown): string {
  const status = error instanceof WorkflowError ? error.data['status'] : undefined;
  if (status === 401) return doctorMessages.nameKey;
  return status === 403 ? doctorMessages.giveWholeUrl : doctorMessages.findInLog;
}
