import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HookAct } from '@workflowlookup/host/hook-acts';
import { hookLines, hooksFolder, readHookActs } from '@workflowlookup/host/hook-acts';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { CommonOptions } from '../commands/options.ts';
import type { Machine } from '../connect/config-file.ts';
import { readConfig } from '../connect/config-file.ts';
import { ownServer } from '../connect/connect.ts';
import { replaceFile } from '../files.ts';
import type { HookClient } from '../hook/events.ts';
import { hookClients } from '../hook/events.ts';
import { readPolicy } from '../hook/policy.ts';
import { messages } from '../messages.ts';
import { diffText } from '../terminal/diff-text.ts';
import { columns } from '../terminal/layout.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { ownEntry, shellArgument } from '../terminal/shell.ts';
import { createOutput, requireConfirmation } from '../terminal/terminal.ts';
import type { HookScope } from './client-hooks.ts';
import { clientHooks } from './client-hooks.ts';
import { isFolderTrusted } from './client-trust.ts';
import { hooksFileOf, installedEvents, withHooks, withoutHooks } from './hooks-config.ts';

export interface HooksOptions extends CommonOptions {
  readonly project?: boolean;
  readonly user?: boolean;
  readonly yes?: boolean;
  readonly state?: string;
}

function machineOf({ env }: Pick<CommandLine, 'env'>): Machine {
  return { platform: process.platform, home: homedir(), cwd: process.cwd(), env };
}

function scopeOf({ project = false, user = false }: HooksOptions): HookScope {
  if (project && user) throw new WorkflowError('INVALID_INPUT', messages.hooks.twoScopes());
  return user ? 'user' : 'project';
}

/** The program and its arguments that a client runs for each event. */
function hookCommand(id: HookClient, state: string | undefined): readonly string[] {
  const { command, args } = ownServer(ownEntry, process.platform);
  const program = [command, ...args.slice(0, -2)];
  return [...program, 'hook', '--client', id, ...(state === undefined ? [] : ['--state', state])];
}

/** Adds our hooks to the file of a client, after showing the change and asking. */
export async function install(line: CommandLine, id: HookClient, options: HooksOptions): Promise<ExitCode> {
  return change(line, { id, options }, (before) => {
    const command = hookCommand(id, options.state);
    const { format } = clientHooks[id];
    return format.kind === 'file'
      ? format.text(command)
      : withHooks(before, id, command.map(shellArgument).join(' '));
  });
}

/** Takes our hooks out of the file of a client, after showing the change and asking. */
export async function remove(line: CommandLine, id: HookClient, options: HooksOptions): Promise<ExitCode> {
  return change(line, { id, options }, (before) =>
    clientHooks[id].format.kind === 'file' ? '' : withoutHooks(before),
  );
}

async function change(
  line: CommandLine,
  { id, options }: { readonly id: HookClient; readonly options: HooksOptions },
  edit: (before: { readonly file: string; readonly text: string }) => string,
): Promise<ExitCode> {
  const { terminal } = line;
  const { json = false, yes = false } = options;
  const scope = scopeOf(options);
  const { title, trust, format } = clientHooks[id];
  const file = hooksFileOf(id, scope, machineOf(line));
  const before = await readConfig(file);
  const { text = '' } = before ?? {};
  const after = edit({ file, text });
  const { answer, asJson } = createOutput(terminal, json);
  const name = plainLine(file);
  if (after === text) {
    await answer({ client: id, scope, file, outcome: 'unchanged' }, () =>
      messages.hooks.unchanged(title, name),
    );
    return exitCodes.ok;
  }
  if ((!yes && terminal.isInteractive) || !asJson)
    await terminal.warn(`${name}\n${diffText(text, after, terminal)}\n`);
  await requireConfirmation(terminal, {
    yes,
    question: messages.connect.write(name),
    needed: messages.connect.toWrite,
    declined: messages.connect.declined,
  });
  const isRemoved = after === '' && format.kind === 'file';
  if (isRemoved) await rm(file);
  else await replaceFile(file, after, { mayBeLink: scope === 'user' });
  const outcome = isRemoved ? 'removed' : before === undefined ? 'created' : 'changed';
  await answer({ client: id, scope, file, outcome }, () => messages.hooks.written(name, outcome, trust));
  return exitCodes.ok;
}

/** One line of `hooks status`. */
interface InstalledHooks {
  readonly client: HookClient;
  readonly scope: HookScope;
  readonly file: string;
  readonly events: readonly string[];
  /** Whether the client says that its user trusts the folder. Absent if it does not say, or does not ask. */
  readonly trusted?: boolean;
  readonly problem?: string;
}

/** Says which hooks are installed, which rules are in force, and how often each rule acted. */
export async function status(line: CommandLine, options: HooksOptions): Promise<ExitCode> {
  const machine = machineOf(line);
  const installed = (
    await Promise.all(
      hookClients.flatMap((client) =>
        (['project', 'user'] as const).map((scope) => installedHooks(client, scope, machine)),
      ),
    )
  ).filter((one) => one !== undefined);
  const { policy, files, problems } = await readPolicy([machine.cwd], machine.home);
  const state =
    options.state ?? line.env['WORKFLOWLOOKUP_STATE'] ?? join(machine.home, '.workflowlookup', 'state');
  const acts = countActs(state);
  const errors = hookLines(state, 'errors.jsonl').length;
  const { answer } = createOutput(line.terminal, options.json ?? false);
  await answer({ installed, policy: { ...policy, files, problems }, acts, errors }, () =>
    [
      messages.hooks.installed(
        columns(
          installed.map(({ client, scope, file, events, trusted, problem }) => [
            clientHooks[client].title,
            scope,
            plainLine(file),
            problem ?? messages.hooks.events(events.length),
            trusted === undefined ? '' : messages.hooks.trusted(trusted),
          ]),
          '  ',
        ),
      ),
      ...installed.flatMap(({ client }) => clientHooks[client].trust ?? []),
      messages.hooks.policy(
        columns(
          Object.entries(policy).map(([rule, value]) => [rule, [value].flat().join(', ') || 'none']),
          '  ',
        ),
        files.map(plainLine),
      ),
      ...problems.map(plainLine),
      messages.hooks.acts(
        columns(
          acts.map(({ client, rule, act, count }) => [client, rule, act, String(count)]),
          '  ',
        ),
      ),
      ...(errors === 0
        ? []
        : [messages.hooks.errors(errors, plainLine(join(hooksFolder(state), 'errors.jsonl')))]),
    ].join('\n'),
  );
  return problems.length === 0 ? exitCodes.ok : exitCodes.findings;
}

async function installedHooks(
  client: HookClient,
  scope: HookScope,
  machine: Machine,
): Promise<InstalledHooks | undefined> {
  const { user, format } = clientHooks[client];
  if (scope === 'user' && user === undefined) return undefined;
  const file = hooksFileOf(client, scope, machine);
  try {
    const config = await readConfig(file);
    if (config === undefined) return undefined;
    const events = format.kind === 'file' ? ['all'] : installedEvents(config);
    const trusted = scope === 'user' ? undefined : isFolderTrusted(client, machine);
    return events.length === 0
      ? undefined
      : { client, scope, file, events, ...(trusted === undefined ? {} : { trusted }) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { client, scope, file, events: [], problem };
  }
}

/** How often a rule acted for a client. */
interface ActCount extends Pick<HookAct, 'client' | 'rule' | 'act'> {
  readonly count: number;
}

/** Counts what the hooks of a state directory did. */
function countActs(stateDirectory: string): readonly ActCount[] {
  const counts = new Map<string, ActCount>();
  for (const { client, rule, act } of readHookActs(stateDirectory)) {
    const key = `${client} ${rule} ${act}`;
    counts.set(key, { client, rule, act, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted((one, other) =>
    `${one.client} ${one.rule} ${one.act}`.localeCompare(`${other.client} ${other.rule} ${other.act}`),
  );
}
