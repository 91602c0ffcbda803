import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HookAct } from '@workflowlookup/host/hook-acts';
import { hookLines, hooksFolder, readHookActs } from '@workflowlookup/host/hook-acts';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import { ownEntry, shellArgument } from '../commands/command-line.ts';
import type { Machine, Scope } from '../connect/clients.ts';
import { thisMachine } from '../connect/clients.ts';
import type { FileChange } from '../connect/config-file.ts';
import { changeFile, readConfig } from '../connect/config-file.ts';
import { ownServer } from '../connect/connect.ts';
import { lastRun } from './hook/bindings.ts';
import type { HookClient } from './hook/events.ts';
import { hookClients } from './hook/events.ts';
import { readPolicy } from './hook/policy.ts';
import { hookMessages } from '../messages/clients.ts';
import { indented, momentText, plainLine } from '../terminal/plain-text.ts';
import { clientHooks, trustNote } from './client-hooks.ts';
import {
  isFolderTrusted,
  hooksFileOf,
  installedEvents,
  isLeftEmpty,
  withHooks,
  withoutHooks,
} from './hooks-config.ts';

export interface HooksOptions {
  readonly project?: boolean;
  readonly user?: boolean;
  readonly yes?: boolean;
  readonly state?: string;
}

/** @throws WorkflowError INVALID_INPUT */
async function openFile(
  { env }: CommandContext,
  client: HookClient,
  { project = false, user = false }: HooksOptions,
): Promise<Pick<FileChange, 'scope' | 'file' | 'before'>> {
  if (project && user) throw new WorkflowError('INVALID_INPUT', hookMessages.twoScopes());
  const scope = user ? 'user' : 'project';
  const file = hooksFileOf(client, scope, thisMachine(env));
  return { scope, file, before: (await readConfig(file))?.text };
}

/** The program and its arguments that a client runs for each event. */
function hookCommand(id: HookClient, state: string | undefined): readonly string[] {
  const { command, args } = ownServer(ownEntry, process.platform);
  const program = [command, ...args.slice(0, -2)];
  return [...program, 'hook', '--client', id, ...(state === undefined ? [] : ['--state', state])];
}

/** Adds our hooks to the file of a client, after showing the change and asking. */
export async function install(
  context: CommandContext,
  client: HookClient,
  options: HooksOptions,
): Promise<ExitCode> {
  const { title, format } = clientHooks[client];
  const opened = await openFile(context, client, options);
  const { scope, file, before: text = '' } = opened;
  const command = hookCommand(client, options.state);
  const state = options.state === undefined ? '' : ` --state ${shellArgument(options.state)}`;
  const after =
    format.kind === 'file'
      ? format.text(command)
      : withHooks({ file, text }, client, command.map(shellArgument).join(' '));
  return changeFile(
    context,
    { client, ...opened, after },
    {
      yes: options.yes,
      unchanged: (path) => hookMessages.alreadyInstalled(title, path),
      done: (path, outcome) =>
        hookMessages.installedIn(path, outcome, title, trustNote(client, scope), state),
    },
  );
}

/**
 * Takes our hooks out of the file of a client, after showing the change and asking. A file of the project that has
 * nothing else is deleted, with the folders that are empty then.
 */
export async function remove(
  context: CommandContext,
  client: HookClient,
  options: HooksOptions,
): Promise<ExitCode> {
  const { title, project, format } = clientHooks[client];
  const opened = await openFile(context, client, options);
  const { scope, file, before: text = '' } = opened;
  const after = format.kind === 'file' ? '' : withoutHooks({ file, text });
  const isDeleted =
    after !== text &&
    (format.kind === 'file' || (scope === 'project' && isLeftEmpty({ file, text: after }, client)));
  const code = await changeFile(
    context,
    { client, ...opened, after, isDeleted },
    {
      yes: options.yes,
      unchanged: (path) => hookMessages.noneToRemove(title, path),
      ...(isDeleted && { question: hookMessages.deleteFile }),
      needed: hookMessages.toRemove,
      declined: hookMessages.notRemoved,
      done: (path, outcome) => hookMessages.removedFrom(path, outcome, title),
    },
  );
  if (isDeleted && scope === 'project') await removeEmptyFolders(dirname(file), project.length - 1);
  return code;
}

/** Removes a folder and at most `count` folders around it. Stops at the first one that is not empty. */
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

/** Says which hooks are installed, which policy is in force, and how often each rule acted. */
export async function status({ answer, env }: CommandContext, options: HooksOptions): Promise<ExitCode> {
  const machine = thisMachine(env);
  const state =
    options.state ?? env['WORKFLOWLOOKUP_STATE'] ?? join(machine.home, '.workflowlookup', 'state');
  const scopes: readonly Scope[] = ['project', 'user'];
  const found = await Promise.all(
    hookClients.flatMap((client) => scopes.map((scope) => installedHooks(client, scope, machine))),
  );
  const installed = found
    .filter((one) => one !== undefined)
    // When the client last began a session with its hook, in any project.
    .map((one) => ({ ...one, lastRun: lastRun(state, one.client)?.toISOString() }));
  const { policy, files, problems } = await readPolicy([machine.cwd], machine.home);
  const acts = countActs(state);
  const errors = hookLines(state, 'errors.jsonl').length;
  return answer(
    { installed, policy: { ...policy, files, problems }, acts, errors },
    () =>
      [
        hookMessages.installed(
          indented(
            installed.map(({ client, scope, file, events, trusted, problem, lastRun: ran }) => [
              clientHooks[client].title,
              scope,
              file,
              problem ?? hookMessages.events(events),
              hookMessages.lastRun(ran && momentText(ran)),
              trusted === undefined ? '' : hookMessages.trusted(trusted),
            ]),
          ),
        ),
        ...new Set(
          installed.flatMap(({ client, scope, trusted }) =>
            trusted === true ? [] : (trustNote(client, scope) ?? []),
          ),
        ),
        hookMessages.policy(
          indented(
            Object.entries(policy).map(([rule, value]) => [rule, [value].flat().join(', ') || 'none']),
          ),
          files.map(plainLine),
        ),
        ...problems.map(plainLine),
        hookMessages.acts(
          indented(acts.map(({ client, rule, act, count }) => [client, rule, act, String(count)])),
        ),
        ...(errors === 0
          ? []
          : [hookMessages.errors(errors, plainLine(join(hooksFolder(state), 'errors.jsonl')))]),
      ].join('\n'),
    problems.length === 0,
  );
}

/** Returns what is installed in a file of a client, or why the file can't be read; `undefined` if nothing is. */
async function installedHooks(client: HookClient, scope: Scope, machine: Machine) {
  const { user, format } = clientHooks[client];
  if (scope === 'user' && user === undefined) return undefined;
  const file = hooksFileOf(client, scope, machine);
  try {
    const config = await readConfig(file);
    if (config === undefined) return undefined;
    const events = format.kind === 'file' ? ['all'] : installedEvents(config);
    // Absent if the client does not say whether its user trusts the folder, or does not ask.
    const trusted = scope === 'user' ? undefined : isFolderTrusted(client, machine);
    return events.length === 0 ? undefined : { client, scope, file, events, trusted };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { client, scope, file, events: [], problem };
  }
}

/** Counts how often each rule acted for each client. */
function countActs(stateDirectory: string) {
  const counts = new Map<string, Pick<HookAct, 'client' | 'rule' | 'act'> & { readonly count: number }>();
  for (const { client, rule, act } of readHookActs(stateDirectory)) {
    const key = `${client} ${rule} ${act}`;
    counts.set(key, { client, rule, act, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const sorted = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  return sorted.map(([, counted]) => counted);
}
