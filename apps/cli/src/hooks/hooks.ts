import { rm, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HookAct } from '@workflowlookup/host/hook-acts';
import { hookLines, hooksFolder, readHookActs } from '@workflowlookup/host/hook-acts';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes, ownEntry, shellArgument } from '../command-line.ts';
import type { CommonOptions } from '../commands/options.ts';
import type { ConfigText, Machine } from '../connect/config-file.ts';
import { readConfig } from '../connect/config-file.ts';
import { ownServer } from '../connect/connect.ts';
import { refuseLinks, replaceFile } from '../files.ts';
import { lastRun } from '../hook/bindings.ts';
import type { HookClient } from '../hook/events.ts';
import { hookClients } from '../hook/events.ts';
import { readPolicy } from '../hook/policy.ts';
import { messages } from '../messages.ts';
import { diffText, columns, momentText, plainLine } from '../terminal/plain-text.ts';
import type { Output } from '../terminal/terminal.ts';
import { createOutput, requireConfirmation } from '../terminal/terminal.ts';
import type { HookScope } from './client-hooks.ts';
import { clientHooks, trustNote } from './client-hooks.ts';
import {
  isFolderTrusted,
  hooksFileOf,
  installedEvents,
  isLeftEmpty,
  withHooks,
  withoutHooks,
} from './hooks-config.ts';

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
  const { scope, file, before, text, title, name, output } = await openFile(line, id, options);
  const command = hookCommand(id, options.state);
  const state = options.state === undefined ? '' : ` --state ${shellArgument(options.state)}`;
  const { format } = clientHooks[id];
  const after =
    format.kind === 'file'
      ? format.text(command)
      : withHooks({ file, text }, id, command.map(shellArgument).join(' '));
  if (after === text) {
    await output.answer({ client: id, scope, file, outcome: 'unchanged' }, () =>
      messages.hooks.alreadyInstalled(title, name),
    );
    return exitCodes.ok;
  }
  await showChange(output, options, { name, text, after });
  await requireConfirmation(line.terminal, {
    yes: options.yes ?? false,
    question: messages.connect.write(name),
    needed: messages.connect.toWrite,
    declined: messages.connect.declined,
  });
  await replaceFile(file, after, { mayBeLink: scope === 'user' });
  const outcome = before === undefined ? 'created' : 'changed';
  await output.answer({ client: id, scope, file, outcome }, () =>
    messages.hooks.installedIn(
      name,
      outcome,
      title,
      trustNote(id, scope),
      `workflowlookup hooks status${state}`,
    ),
  );
  return exitCodes.ok;
}

/**
 * Takes our hooks out of the file of a client, after showing the change and asking. A file of the project that has
 * nothing else is deleted, with the folders that are empty then.
 */
export async function remove(line: CommandLine, id: HookClient, options: HooksOptions): Promise<ExitCode> {
  const { scope, file, text, title, name, output } = await openFile(line, id, options);
  const { project, format } = clientHooks[id];
  const after = format.kind === 'file' ? '' : withoutHooks({ file, text });
  if (after === text) {
    await output.answer({ client: id, scope, file, outcome: 'unchanged' }, () =>
      messages.hooks.noneToRemove(title, name),
    );
    return exitCodes.ok;
  }
  const isDeleted = format.kind === 'file' || (scope === 'project' && isLeftEmpty({ file, text: after }, id));
  await showChange(output, options, { name, text, after: isDeleted ? '' : after });
  await requireConfirmation(line.terminal, {
    yes: options.yes ?? false,
    question: isDeleted ? messages.hooks.deleteFile(name) : messages.connect.write(name),
    needed: messages.hooks.toRemove,
    declined: messages.hooks.notRemoved,
  });
  if (isDeleted) {
    if (scope === 'project') await refuseLinks(file);
    await rm(file);
    if (scope === 'project') await removeEmptyFolders(dirname(file), project.length - 1);
  } else await replaceFile(file, after, { mayBeLink: scope === 'user' });
  const outcome = isDeleted ? 'removed' : 'changed';
  await output.answer({ client: id, scope, file, outcome }, () =>
    messages.hooks.removedFrom(name, outcome, title),
  );
  return exitCodes.ok;
}

/** The file of a client, before a change. */
interface OpenFile {
  readonly scope: HookScope;
  readonly file: string;
  /** Absent if there is no such file. */
  readonly before: ConfigText | undefined;
  readonly text: string;
  /** The name of the client. */
  readonly title: string;
  /** The path, to show. */
  readonly name: string;
  readonly output: Output;
}

async function openFile(line: CommandLine, id: HookClient, options: HooksOptions): Promise<OpenFile> {
  const scope = scopeOf(options);
  const file = hooksFileOf(id, scope, machineOf(line));
  const before = await readConfig(file);
  const { text = '' } = before ?? {};
  const output = createOutput(line.terminal, options.json ?? false);
  return { scope, file, before, text, title: clientHooks[id].title, name: plainLine(file), output };
}

async function showChange(
  { terminal, asJson }: Output,
  { yes = false }: HooksOptions,
  { name, text, after }: { readonly name: string; readonly text: string; readonly after: string },
): Promise<void> {
  if ((!yes && terminal.isInteractive) || !asJson)
    await terminal.warn(`${name}\n${diffText(text, after, terminal)}\n`);
}

/** Removes a folder and so many folders around it, up to the first one that is not empty. */
async function removeEmptyFolders(folder: string, count: number): Promise<void> {
  if (count === 0) return;
  try {
    await rmdir(folder);
  } catch {
    // Something else is in it, or it is a link.
    return;
  }
  await removeEmptyFolders(dirname(folder), count - 1);
}

/** One line of `hooks status`. */
interface InstalledHooks {
  readonly client: HookClient;
  readonly scope: HookScope;
  readonly file: string;
  readonly events: readonly string[];
  /** Whether the client says that its user trusts the folder. Absent if it does not say, or does not ask. */
  readonly trusted?: boolean;
  /** When the client last began a session with its hook, in any project; ISO 8601. Absent if it has not yet. */
  readonly lastRun?: string;
  readonly problem?: string;
}

/** Says which hooks are installed, which policy is in force, and how often each rule acted. */
export async function status(line: CommandLine, options: HooksOptions): Promise<ExitCode> {
  const machine = machineOf(line);
  const state =
    options.state ?? line.env['WORKFLOWLOOKUP_STATE'] ?? join(machine.home, '.workflowlookup', 'state');
  const installed = (
    await Promise.all(
      hookClients.flatMap((client) =>
        (['project', 'user'] as const).map((scope) => installedHooks(client, scope, machine)),
      ),
    )
  )
    .filter((one) => one !== undefined)
    .map((one): InstalledHooks => {
      const at = lastRun(state, one.client)?.toISOString();
      return at === undefined ? one : { ...one, lastRun: at };
    });
  const { policy, files, problems } = await readPolicy([machine.cwd], machine.home);
  const acts = countActs(state);
  const errors = hookLines(state, 'errors.jsonl').length;
  const { answer } = createOutput(line.terminal, options.json ?? false);
  await answer({ installed, policy: { ...policy, files, problems }, acts, errors }, () =>
    [
      messages.hooks.installed(
        columns(
          installed.map(({ client, scope, file, events, trusted, problem, lastRun: ran }) => [
            clientHooks[client].title,
            scope,
            plainLine(file),
            problem ?? messages.hooks.events(events),
            messages.hooks.lastRun(ran === undefined ? undefined : momentText(ran)),
            trusted === undefined ? '' : messages.hooks.trusted(trusted),
          ]),
          '  ',
        ),
      ),
      ...new Set(
        installed.flatMap(({ client, scope, trusted }) =>
          trusted === true ? [] : (trustNote(client, scope) ?? []),
        ),
      ),
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
