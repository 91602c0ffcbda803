import { bundledAlone } from '@workflowlookup/host/bundled';
import { hostFlags, parseCommandLine, readHostFlags } from '@workflowlookup/host/flags';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import { isHttpUrl, ownCommand, ownEntry, shellArgument } from '../commands/command-line.ts';
import type { HookClient } from '../hooks/hook/events.ts';
import { hookClients } from '../hooks/hook/events.ts';
import { hasHooks } from '../hooks/hooks-config.ts';
import { connectMessages, hookMessages } from '../messages/clients.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Client, ClientConfig, ClientId, McpServer, Scope, StdioServer } from './clients.ts';
import { clientConfig, clients, configFileOf, scopesOf, thisMachine } from './clients.ts';
import type { ConfigText } from './config-file.ts';
import { changeFile, readConfig, withJsonEntry, withTomlEntry } from './config-file.ts';

export interface ConnectOptions extends Omit<ServerFlags, 'serverOptions'> {
  readonly write?: boolean;
  readonly yes?: boolean;
  readonly scope?: Scope;
}

export async function connect(
  context: CommandContext,
  id: ClientId,
  serverOptions: readonly string[],
  { write = false, yes, ...options }: ConnectOptions,
): Promise<ExitCode> {
  const { asJson, env, terminal } = context;
  const server = serverOf({ ...options, serverOptions }, ownServer(ownEntry, process.platform));
  const config = clientConfig(id, server);
  if (config === undefined) {
    const message = connectMessages.noAddress(clients[id].title, options.http ?? '', id);
    throw new WorkflowError('INVALID_INPUT', message);
  }
  const scope = scopeOf(id, options.scope);
  const machine = thisMachine(env);
  const file = configFileOf(id, scope, machine);
  const code = await (write ? writeConfig() : show(context, config, file));
  if (!('url' in server)) {
    if (!asJson && isHookClient(id) && !(await hasHooks(id, machine)))
      await terminal.warn(`${hookMessages.offer(id, options.scope)}\n`);
    await noteUntrusted(context, serverOptions);
  }
  return code;

  async function writeConfig(): Promise<ExitCode> {
    const { title } = clients[id];
    const before = (await readConfig(file))?.text;
    const after = editConfig({ file, text: before ?? '' }, clients[id], server);
    return changeFile(
      context,
      { client: id, scope, file, before, after },
      {
        yes,
        unchanged: (path) => connectMessages.alreadyKnown(title, path),
        done: (path, outcome) => connectMessages.written(path, outcome, title),
      },
    );
  }
}

/** Returns whether hooks can be installed in a client. */
function isHookClient(id: ClientId): id is ClientId & HookClient {
  return (hookClients as readonly string[]).includes(id);
}

/** Warns about definitions of this project that the client will not get before a person trusts them. */
async function noteUntrusted(
  { terminal, env }: CommandContext,
  serverOptions: readonly string[],
): Promise<void> {
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
    const command = `${ownCommand(ownEntry, env)} trust${state}`;
    await terminal.warn(`${connectMessages.untrusted(count, command)}\n`);
  } finally {
    await host.close();
  }
}

function scopeOf(id: ClientId, wanted: Scope | undefined): Scope {
  const scopes = scopesOf(id);
  const scope = wanted ?? scopes[0];
  if (scopes.includes(scope)) return scope;
  throw new WorkflowError('INVALID_INPUT', connectMessages.noScope(clients[id].title, scope));
}

/** Prints the configuration. It goes alone to standard output, so that it can be piped. */
async function show(
  { answerExact, asJson, terminal }: CommandContext,
  config: ClientConfig,
  file: string,
): Promise<ExitCode> {
  const { id, client, where, language, text } = config;
  const how = where === 'run' ? connectMessages.run : connectMessages.add;
  if (!asJson) await terminal.warn(`${how(client, plainLine(file))}\n`);
  return answerExact({ client: id, where, language, text }, () => `${text}\n`);
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
    throw refused(connectMessages.keyEnvWithoutHttp);
  }
  if (serverOptions.length > 0) throw refused(connectMessages.serverOptions(serverOptions.join(' ')));
  // The message leaves the URL out because it may contain a password.
  if (!isHttpUrl(http)) throw refused(connectMessages.httpUrl);
  if (keyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(keyEnv)) throw refused(connectMessages.keyEnvName);
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
  return new WorkflowError('INVALID_INPUT', reason);
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
