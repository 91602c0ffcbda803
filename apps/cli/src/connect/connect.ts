import { homedir } from 'node:os';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommonOptions } from '../add-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { createOutput } from '../output.ts';
import { ownCommand, shellArgument } from '../own-command.ts';
import { ownEntry } from '../own-entry.ts';
import { plainLine } from '../plain-text.ts';
import type { ClientConfig } from './client-configs.ts';
import { clientConfig } from './client-configs.ts';
import type { ClientId, McpServer } from './clients.ts';
import { clients } from './clients.ts';
import type { Scope } from './config-file.ts';
import { configFileOf, scopesOf } from './config-file.ts';
import type { ServerFlags } from './server-of.ts';
import { ownServer, serverOf } from './server-of.ts';
import { tellClient } from './tell-client.ts';

/** What `connect` takes. */
export interface ConnectOptions extends CommonOptions, Omit<ServerFlags, 'serverOptions'> {
  readonly write?: boolean;
  readonly yes?: boolean;
  readonly scope?: Scope;
}

/** Shows how a client is told of a server, or tells it. */
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
  const file = configFileOf(id, scope, { platform, home: homedir(), cwd: process.cwd(), env });
  const output = createOutput(terminal, json);
  if (write) await tellClient(output, { id, server, scope, file }, yes);
  else await show(output, config, file);
  if (!('url' in server)) await noteUntrusted({ terminal, env }, serverOptions);
  return exitCodes.ok;
}

/** Says what of this project the client will not be served before a person trusts it. */
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
      `Agents are not served ${definitions} of this project before you trust them. Look at them now: ${ownCommand(ownEntry, env)} trust${state}\n`,
    );
  } finally {
    await host.close();
  }
}

function takesNoAddress(id: ClientId, server: McpServer): WorkflowError {
  const { title } = clients[id];
  const url = 'url' in server ? server.url : '';
  return new WorkflowError(
    'INVALID_PARAMS',
    `${title} takes no server at an address from its file: add ${url} in its settings, under Connectors; it is then reached over the internet. To have it start one: workflowlookup connect ${id}.`,
  );
}

function scopeOf(id: ClientId, wanted: Scope | undefined): Scope {
  const scopes = scopesOf(id);
  const scope = wanted ?? scopes[0];
  if (scopes.includes(scope)) return scope;
  throw new WorkflowError(
    'INVALID_PARAMS',
    `${clients[id].title} has no file for a ${scope}: leave --scope out.`,
  );
}

/** The block alone goes to standard output, so that it can be piped. */
async function show({ answer, asJson, terminal }: Output, config: ClientConfig, file: string): Promise<void> {
  const { id, client, where, language, text } = config;
  const path = plainLine(file);
  const how =
    where === 'run'
      ? `run this, or let --write put the server into ${path}`
      : `this goes into ${path}; --write puts it there`;
  if (!asJson) await terminal.warn(`${client}: ${how}.\n`);
  if (asJson) await answer({ client: id, where, language, text }, String);
  else await terminal.printExact(`${text}\n`);
}
