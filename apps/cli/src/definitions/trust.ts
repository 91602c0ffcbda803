import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { UntrustedDefinition } from '@workflowlookup/core';
import type { Host, Review } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { isFolder } from '../files.ts';
import { optionMessages } from '../messages/common.ts';
import { trustMessages } from '../messages/definitions.ts';
import { storageOptionsOf } from '../open-host.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';
import { agrees, requireTerminal } from '../terminal/terminal.ts';
import { heldText, reviewText } from './trust-review.ts';

export interface TrustFlags extends StateFlags {
  readonly folder?: boolean;
  readonly list?: boolean;
  readonly remove?: boolean;
}

type UntrustedFile = UntrustedDefinition & { readonly source: string; readonly path: string };

/** Shows definitions that are not trusted yet, and records the decisions of the person at the terminal. */
export async function trust(
  context: CommandContext,
  path: string | undefined,
  flags: TrustFlags,
): Promise<ExitCode> {
  if ([flags.folder, flags.list, flags.remove].filter((flag) => flag === true).length > 1)
    throw new WorkflowError('INVALID_INPUT', optionMessages.oneOfTrust);
  const project = projectOf(path, flags);
  const [{ createHost }, place] = await Promise.all([
    import('@workflowlookup/host'),
    storageOptionsOf(context, flags),
  ]);
  const host = createHost({ ...place, environment: context.env, workingDirectory: project });
  try {
    if (flags.remove === true) return await remove(host, context, path);
    if (flags.folder === true) return await trustFolder(host, context, path ?? '.');
    const held = await heldIn(host);
    const named = path === undefined || resolve(path) === project ? undefined : namedBy(host, held, path);
    if (flags.list === true) return await list(host, context, { held, ...named });
    return await decide(host, context, named?.held ?? held);
  } finally {
    await host.close();
  }
}

/**
 * Returns the folder of the project: the named folder if it has definitions of its own, otherwise the working folder.
 */
function projectOf(path: string | undefined, { folder = false }: TrustFlags): string {
  if (path === undefined || folder) return process.cwd();
  const places = [join(path, 'workflows'), join(path, '.workflowlookup', 'workflows')];
  return places.some(isFolder) ? resolve(path) : process.cwd();
}

async function heldIn({ definitions, sources }: Host): Promise<readonly UntrustedFile[]> {
  const untrusted = await definitions.untrusted();
  return untrusted.map((one) => {
    const { directory = '', name = '' } = sources.find((source) => source.name === one.source) ?? {};
    return { ...one, source: name, path: join(directory, one.file) };
  });
}

type Entries = ReturnType<Host['trust']['record']>;

/** The untrusted and the trusted definitions that an argument names. */
interface Named {
  readonly held: readonly UntrustedFile[];
  readonly folders: Entries['folders'];
  readonly definitions: Entries['definitions'];
}

/** Finds definitions by the path of a file, of an activity workflow or of a folder above; otherwise by id. */
function namedBy(host: Host, held: readonly UntrustedFile[], name: string): Named {
  const place = realOf(name);
  const { folders, definitions } = host.trust.record();
  const isNamed = ({ path }: { readonly path: string }): boolean => {
    const real = realOf(path);
    return (
      isInside(place, real) || (basename(real).startsWith('workflow.') && isInside(dirname(real), place))
    );
  };
  const atPath = {
    held: held.filter(isNamed),
    folders: folders.filter(({ path }) => isInside(path, place) || isInside(place, path)),
    definitions: definitions.filter(isNamed),
  };
  if (Object.values(atPath).some(({ length }) => length > 0)) return atPath;
  const byId = {
    held: held.filter(({ id }) => id === name),
    folders: [],
    definitions: trustedById(host, name),
  };
  if (byId.held.length + byId.definitions.length > 0) return byId;
  throw new WorkflowError('NOT_FOUND', trustMessages.noMatch(name));
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realOf(path: string): string {
  const place = resolve(path);
  try {
    return realpathSync(place);
  } catch {
    // A path that does not exist has no real path.
    return place;
  }
}

async function list(
  host: Host,
  { answer }: Output,
  { held, ...named }: Pick<Named, 'held'> & Partial<Named>,
): Promise<ExitCode> {
  const { problem, ...all } = host.trust.record();
  const { folders, definitions: trusted } = { ...all, ...named };
  const heldPaths = new Set(held.map((one) => realOf(one.path)));
  const definitions = trusted.map((one) => ({ ...one, ...(heldPaths.has(one.path) && { isChanged: true }) }));
  // The texts of untrusted files are left out, because an agent may have run this command.
  const untrusted = held.map(({ id, source, reason }) => ({ id, source, reason }));
  return answer(
    { folders, definitions, untrusted, problem },
    () =>
      [
        ...(problem === undefined ? [] : [trustMessages.invalidRecord(problem)]),
        ...folders.map(({ path, at, by }) =>
          trustMessages.folderListed(plainLine(path), by, at.slice(0, 10)),
        ),
        ...definitions.map(({ path, at, by, replaces, isChanged = false }) =>
          trustMessages.listed(plainLine(path), by, at.slice(0, 10), isChanged, replaces),
        ),
        ...held.map((one) => trustMessages.heldListed(heldText(one))),
        ...(folders.length + definitions.length + untrusted.length === 0 ? [trustMessages.noneListed] : []),
      ].join('\n'),
    untrusted.length === 0,
  );
}

async function remove(host: Host, { answer }: Output, path: string | undefined): Promise<ExitCode> {
  if (path === undefined) throw new WorkflowError('INVALID_INPUT', trustMessages.nameToRemove);
  const atPath = host.trust.remove(resolve(path));
  const count =
    atPath > 0
      ? atPath
      : trustedById(host, path).reduce((sum, entry) => sum + host.trust.remove(entry.path), 0);
  const { nothingAt, removed } = trustMessages;
  const name = plainLine(path);
  return answer({ removed: count }, () => (count === 0 ? nothingAt(name) : removed(count, name)), count > 0);
}

function trustedById({ trust: { record }, sources }: Host, id: string): Entries['definitions'] {
  const roots = sources
    .filter(({ isProject }) => isProject === true)
    .map(({ directory }) => realOf(directory));
  return record().definitions.filter(
    (one) => one.id === id && roots.some((root) => isInside(root, one.path)),
  );
}

async function trustFolder(host: Host, { answer, terminal }: Output, path: string): Promise<ExitCode> {
  await requireTerminal(terminal, trustMessages.needsTerminal);
  const folder = resolve(path);
  if (!isFolder(folder)) throw new WorkflowError('INVALID_INPUT', trustMessages.notFolder(path));
  await terminal.warn(`${trustMessages.folderWarning(plainLine(folder))}\n`);
  if (!(await agrees(terminal, trustMessages.folderQuestion)))
    return answer({ folder: null }, () => trustMessages.declined, false);
  const entry = host.trust.trustFolder(folder, host.person);
  return answer({ folder: entry }, () => trustMessages.folderTrusted(plainLine(entry.path)));
}

async function decide(
  host: Host,
  { answer, terminal }: Output,
  held: readonly UntrustedFile[],
): Promise<ExitCode> {
  if (held.length === 0) return answer({ trusted: [], left: 0 }, () => trustMessages.noneWaiting);
  await requireTerminal(terminal, trustMessages.needsTerminal);
  const trusted: string[] = [];
  for (const [index, one] of held.entries()) {
    const review = await host.reviews.review(one);
    await terminal.warn(`${reviewText({ ...one, review, number: index + 1, of: held.length }, terminal)}\n`);
    if (review?.isTrustable !== true || !(await isAccepted(terminal, review))) continue;
    host.reviews.accept(review, host.person);
    trusted.push(review.id ?? one.file);
  }
  const left = held.length - trusted.length;
  return answer(
    { trusted, left },
    () => trustMessages.decided(trusted.length, held.length, left),
    left === 0,
  );
}

/**
 * Replacing a workflow of a more trusted source requires typing its id, because a single letter is typed too easily.
 */
async function isAccepted(terminal: Terminal, { replaces }: Review): Promise<boolean> {
  if (replaces === undefined) return agrees(terminal, trustMessages.question);
  const text = await terminal.ask(trustMessages.replaceQuestion(replaces.source, replaces.id));
  return text === replaces.id;
}
