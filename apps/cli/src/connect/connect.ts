import { homedir } from 'node:os';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes, isHttpUrl, ownCommand, ownEntry, shellArgument } from '../command-line.ts';
import type { CommonOptions } from '../commands/options.ts';
import { replaceFile } from '../files.ts';
import type { HookClient } from '../hook/events.ts';
import { hookClients } from '../hook/events.ts';
import { hasHooks } from '../hooks/hooks-config.ts';
import { messages } from '../messages.ts';
import { diffText, plainLine } from '../terminal/plain-text.ts';
import type { Output } from '../terminal/terminal.ts';
import { createOutput, requireConfirmation } from '../terminal/terminal.ts';
import type { Client, ClientConfig, ClientId, McpServer, StdioServer } from './clients.ts';
import { clientConfig, clients } from './clients.ts';
import type { ConfigText, Scope } from './config-file.ts';
import { configFileOf, readConfig, scopesOf, withJsonEntry, withTomlEntry } from './config-file.ts';

export interface ConnectOptions extends CommonOptions, Omit<ServerFlags, 'serverOptions'> {
  readonly write?: boolean;
  readonly yes?: boolean;
  readonly scope?: Scope;
}

export async function connect(
  { terminal, env }: CommandLine,
  { id, serverOptions }: { readonly id: ClientId; readonly serverOptions: readonly string[] },
  { json = false, write = false, yes = false, ...options }: ConnectOptions,
): Promise<ExitCode> {
  const { platform } = process;
  const server = serverOf({ ...options, serverOptions }, ownServer(ownEntry, platform));
  const config = clientConfig(id, server);
  if (config === undefined) throw takesNoAddress(id, server);
  const scope = scopeOf(id, options.scope);
  const machine = { platform, home: homedir(), cwd: process.cwd(), env };
  const file = configFileOf(id, scope, machine);
  const output = createOutput(terminal, json);
  if (write) await configureClient(output, { id, server, scope, file }, yes);
  else await show(output, config, file);
  if (!('url' in server)) {
    if (!json && isHookClient(id) && !(await hasHooks(id, machine)))
      await terminal.warn(`${messages.hooks.offer(id, options.scope)}\n`);
    await noteUntrusted({ terminal, env }, serverOptions);
  }
  return exitCodes.ok;
}

/** Returns whether hooks can be installed in a client. */
function isHookClient(id: ClientId): id is ClientId & HookClient {
  return (hookClients as readonly string[]).includes(id);
}

/** Warns about definitions of this project that the client will not get before a person trusts them. */
async function noteUntrusted(
  { terminal, env }: Pick<CommandLine, 'env' | 'terminal'>,
  serverOptions: readonly string[],
): Promise<void> {
  const [{ hostFlags, parseCommandLine, readHostFlags }, { bundledAlone }] = await Promise.all([
    import('@workflowlookup/host/flags'),
    import('@workflowlookup/host/bundled'),
  ]);
  const flags = { ...hostFlags, tools: { type: 'string' } } as const;
  const parsed = parseCommandLine({ args: [...serverOptions], options: flags, strict: true });
  const options = typeof parsed === 'string' ? parsed : readHostFlags(parsed.values, env);
  if (typeof options === 'string' || bundledAlone(options) !== undefined) return;
  const { createHost } = await import('@workflowlookup/host');
  const host = createHost(options);
  try {
    const count = (await host.definitions.untrusted()).length;
    if (count === 0) return;
    const state =
      options.stateDirectory === undefined ? '' : ` --state ${shellArgument(options.stateDirectory)}`;
    const definitions = count === 1 ? '1 definition' : `${count} definitions`;
    await terminal.warn(
      `${messages.connect.untrusted(definitions, `${ownCommand(ownEntry, env)} trust${state}`)}\n`,
    );
  } finally {
    await host.close();
  }
}

function takesNoAddress(id: ClientId, server: McpServer): WorkflowError {
  const { title } = clients[id];
  const url = 'url' in server ? server.url : '';
  return new WorkflowError('INVALID_INPUT', messages.connect.noAddress(title, url, id));
}

function scopeOf(id: ClientId, wanted: Scope | undefined): Scope {
  const scopes = scopesOf(id);
  const scope = wanted ?? scopes[0];
  if (scopes.includes(scope)) return scope;
  throw new WorkflowError('INVALID_INPUT', messages.connect.noScope(clients[id].title, scope));
}

/** Prints the configuration. It goes alone to standard output, so that it can be piped. */
async function show({ answer, asJson, terminal }: Output, config: ClientConfig, file: string): Promise<void> {
  const { id, client, where, language, text } = config;
  const path = plainLine(file);
  const how =
    where === 'run'
      ? `run this, or use --write to change ${path}`
      : `add this to ${path}, or use --write to do so`;
  if (!asJson) await terminal.warn(`${client}: ${how}.\n`);
  if (asJson) await answer({ client: id, where, language, text }, String);
  else await terminal.printExact(`${text}\n`);
}

interface ServerFlags {
  readonly http?: string;
  readonly keyEnv?: string;
  /** Options for the server that the client starts. */
  readonly serverOptions: readonly string[];
}

/**
 * Returns the server to configure.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export function serverOf({ http, keyEnv, serverOptions }: ServerFlags, own: StdioServer): McpServer {
  if (http === undefined) {
    if (keyEnv === undefined) return { ...own, args: [...own.args, ...serverOptions] };
    throw refused(messages.connect.keyEnvWithoutHttp);
  }
  if (serverOptions.length > 0) throw refused(messages.connect.serverOptions(serverOptions.join(' ')));
  // The message leaves the URL out because it may contain a password.
  if (!isHttpUrl(http)) throw refused(messages.connect.httpUrl);
  if (keyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(keyEnv)) throw refused(messages.connect.keyEnvName);
  return { url: http, ...(keyEnv !== undefined && { keyEnv }) };
}

/**
 * Returns the command that starts this program as a server. npx may delete what it downloaded, so the command uses
 * npx again. Any other installation is named by its path, because a client that was not started in a terminal has a
 * different PATH.
 */
export function ownServer(entry: string, platform: NodeJS.Platform): StdioServer {
  const serve = ['serve', 'stdio'];
  if (!/[\\/]_npx[\\/]/.test(entry)) return { command: process.execPath, args: [entry, ...serve] };
  const fetched = ['-y', 'workflowlookup', ...serve];
  // On Windows npx is a script, which only a shell can start.
  return platform === 'win32'
    ? { command: 'cmd', args: ['/c', 'npx', ...fetched] }
    : { command: 'npx', args: fetched };
}

function refused(reason: string): WorkflowError {
  return new WorkflowError('INVALID_INPUT', `${reason}.`);
}

/** The configuration file to change. */
interface Target {
  readonly id: ClientId;
  readonly server: McpServer;
  readonly scope: Scope;
  readonly file: string;
}

/** Writes a server into the configuration file of a client after showing the change and asking for confirmation. */
async function configureClient(
  { answer, asJson, terminal }: Output,
  target: Target,
  yes: boolean,
): Promise<void> {
  const { id, server, scope, file } = target;
  const { title } = clients[id];
  const before = await readConfig(file);
  const { text = '' } = before ?? {};
  const after = editConfig({ file, text }, clients[id], server);
  if (after === text)
    return answer({ client: id, scope, file, outcome: 'unchanged' }, () =>
      messages.connect.alreadyKnown(title, plainLine(file)),
    );
  const isAsked = !yes && terminal.isInteractive;
  if (isAsked || !asJson) await terminal.warn(`${plainLine(file)}\n${diffText(text, after, terminal)}\n`);
  await requireConfirmation(terminal, {
    yes,
    question: messages.connect.write(plainLine(file)),
    needed: messages.connect.toWrite,
    declined: messages.connect.declined,
  });
  await replace({ file, text }, after, scope);
  const outcome = before === undefined ? 'created' : 'changed';
  return answer({ client: id, scope, file, outcome }, () =>
    messages.connect.written(plainLine(file), outcome, title),
  );
}

/** Replaces the text of a file. A file of the user may be a link; a file of the project may not. */
async function replace({ file, text }: ConfigText, after: string, scope: Scope): Promise<void> {
  const now = await readConfig(file);
  if ((now?.text ?? '') !== text)
    throw new WorkflowError('CONFLICT', messages.connect.changedMeanwhile(file));
  await replaceFile(file, after, { mayBeLink: scope === 'user' });
}

const byteOrderMark = '\uFEFF';

/**
 * Returns the configuration file with the server added. Every other byte stays.
 *
 * @throws WorkflowError INVALID_FILE if the file is broken
 */
export function editConfig({ file, text }: ConfigText, client: Client, server: McpServer): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  const edit = client.format === 'json' ? withJsonEntry : withTomlEntry;
  return mark + edit({ file, text: text.slice(mark.length) }, client, server);
}
