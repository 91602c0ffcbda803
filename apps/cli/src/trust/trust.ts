import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Host, Review, Source } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { createOutput } from '../output.ts';
import { plainLine } from '../plain-text.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import { placeOf } from '../state/place-of.ts';
import { reasonText } from './reason-text.ts';
import { reviewText } from './review-text.ts';

/** Options of `trust`. */
export interface TrustFlags extends StateFlags {
  readonly folder?: boolean;
  readonly list?: boolean;
  readonly remove?: boolean;
}

/** A definition of the project that is not served. */
interface Held {
  readonly id?: string;
  readonly source: string;
  readonly file: string;
  readonly reason: 'changed' | 'replaces' | 'untrusted';
  readonly servedFrom?: string;
  /** Absolute path. */
  readonly path: string;
}

/** Shows what nobody trusted yet, and takes the decisions of the person at the terminal. */
export async function trust(
  line: CommandLine,
  path: string | undefined,
  flags: TrustFlags,
): Promise<ExitCode> {
  if ([flags.folder, flags.list, flags.remove].filter((flag) => flag === true).length > 1)
    throw new WorkflowError('INVALID_PARAMS', 'Give one of --folder, --list and --remove.');
  const output = createOutput(line.terminal, flags.json === true);
  const project = projectOf(path, flags);
  const [{ createHost }, place] = await Promise.all([import('@workflowlookup/host'), placeOf(line, flags)]);
  const host = createHost({ ...place, environment: line.env, workingDirectory: project });
  try {
    if (flags.remove === true) return await remove(host, output, path);
    if (flags.folder === true) return await trustFolder(host, output, path ?? '.');
    const held = await heldIn(host);
    const named = path === undefined || resolve(path) === project ? undefined : namedBy(host, held, path);
    if (flags.list === true) return await list(host, output, { held, ...named });
    return await decide(host, output, named?.held ?? held);
  } finally {
    await host.close();
  }
}

/** The folder whose project is meant: the one that is named where it has definitions of its own, else this one. */
function projectOf(path: string | undefined, { folder = false }: TrustFlags): string {
  if (path === undefined || folder) return process.cwd();
  const places = [join(path, 'workflows'), join(path, '.workflowlookup', 'workflows')];
  return places.some(isFolder) ? resolve(path) : process.cwd();
}

/** Whether a path is a folder. `statSync` throws for a path below a file. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A path that does not exist, or lies below a file, is not a folder.
    return false;
  }
}

async function heldIn({ definitions, sources }: Host): Promise<readonly Held[]> {
  const untrusted = await definitions.untrusted();
  return untrusted.map(({ id, source = '', file, reason, servedFrom }) => ({
    ...(id !== undefined && { id }),
    source,
    file,
    reason,
    ...(servedFrom !== undefined && { servedFrom }),
    path: join(directoryOf(sources, source), file),
  }));
}

function directoryOf(sources: readonly Source[], name: string): string {
  return sources.find((source) => source.name === name)?.directory ?? '';
}

type Entries = ReturnType<Host['trust']['record']>;

/** What of the definitions that are held back, and of those that are trusted, an argument names. */
interface Named {
  readonly held: readonly Held[];
  readonly folders: Entries['folders'];
  readonly definitions: Entries['definitions'];
}

/** By the path of a file, of the folder of an activity workflow, or of a folder above; else by the id of a definition. */
function namedBy(host: Host, held: readonly Held[], name: string): Named {
  const place = realOf(name);
  const { folders, definitions } = host.trust.record();
  const isNamed = ({ path }: { readonly path: string }): boolean => {
    const real = realOf(path);
    return isInside(place, real) || (isWorkflowFile(real) && isInside(dirname(real), place));
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
  throw new WorkflowError(
    'INVALID_PARAMS',
    `'${name}' is neither the path nor the id of a definition of this project that needs trust. See which there are: workflowlookup trust --list`,
  );
}

function isWorkflowFile(path: string): boolean {
  return basename(path).startsWith('workflow.');
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
  // What untrusted files say of themselves is left out: an agent may be the one who asks.
  const untrusted = held.map(({ id, source, reason }) => ({
    ...(id !== undefined && { id }),
    source,
    reason,
  }));
  await answer({ folders, definitions, untrusted, ...(problem !== undefined && { problem }) }, () =>
    [
      ...(problem === undefined ? [] : [`The trust record is not used: ${problem}.`]),
      ...folders.map(({ path, at, by }) => `trusted folder  ${plainLine(path)}  (${by}, ${at.slice(0, 10)})`),
      ...definitions.map(
        ({ path, at, by, replaces, isChanged }) =>
          `${isChanged === true ? 'trusted before ' : 'trusted        '} ${plainLine(path)}  (${by}, ${at.slice(0, 10)})${isChanged === true ? ', changed since' : ''}${replaces === undefined ? '' : `, replaces ${replaces}`}`,
      ),
      ...held.map((one) => `not served      ${one.id ?? '(no id)'} from ${one.source}: ${reasonText(one)}`),
      ...(folders.length + definitions.length + untrusted.length === 0
        ? ['Nothing of this project needs trust.']
        : []),
    ].join('\n'),
  );
  return untrusted.length === 0 ? exitCodes.ok : exitCodes.findings;
}

async function remove(host: Host, { answer }: Output, path: string | undefined): Promise<ExitCode> {
  if (path === undefined)
    throw new WorkflowError(
      'INVALID_PARAMS',
      'Name what you no longer trust: workflowlookup trust --remove PATH',
    );
  const atPath = host.trust.remove(resolve(path));
  const count =
    atPath > 0
      ? atPath
      : trustedById(host, path).reduce((sum, entry) => sum + host.trust.remove(entry.path), 0);
  await answer({ removed: count }, () =>
    count === 0
      ? `Nothing at '${plainLine(path)}' was trusted. See what is: workflowlookup trust --list`
      : `${count === 1 ? '1 entry' : `${count} entries`} removed: agents are no longer served '${plainLine(path)}'.`,
  );
  return count === 0 ? exitCodes.findings : exitCodes.ok;
}

/** The definitions of this project that were trusted under an id. */
function trustedById({ trust: { record }, sources }: Host, id: string): Entries['definitions'] {
  const roots = sources
    .filter(({ isProject }) => isProject === true)
    .map(({ directory }) => realOf(directory));
  return record().definitions.filter(
    (one) => one.id === id && roots.some((root) => isInside(root, one.path)),
  );
}

async function trustFolder(host: Host, output: Output, path: string): Promise<ExitCode> {
  const { terminal } = output;
  mustBeInteractive(output);
  const folder = resolve(path);
  if (!isFolder(folder)) throw new WorkflowError('INVALID_PARAMS', `'${path}' is not a folder.`);
  await terminal.warn(
    `Trust every definition in '${plainLine(folder)}', as it is now and as anyone changes it later?\nAgents are then served it without another question, unless it would replace a bundled workflow or one in your home: 'workflowlookup trust' asks for these each time they change.\nThe trust belongs to this path, whatever is put there later. Do this for folders that only you, or people you trust, write to.\n`,
  );
  if (!isYes(await terminal.ask('Trust this folder? (y/N) '))) return declined(output);
  const entry = host.trust.trustFolder(folder, host.person);
  await output.answer({ folder: entry }, () => `The folder '${plainLine(entry.path)}' is trusted.`);
  return exitCodes.ok;
}

async function declined({ answer }: Output): Promise<ExitCode> {
  await answer({ folder: null }, () => 'Nothing was trusted.');
  return exitCodes.findings;
}

async function decide(host: Host, output: Output, held: readonly Held[]): Promise<ExitCode> {
  if (held.length === 0) {
    await output.answer({ trusted: [], left: 0 }, () => 'No definition of this project waits to be trusted.');
    return exitCodes.ok;
  }
  mustBeInteractive(output);
  const trusted: string[] = [];
  for (const [index, one] of held.entries()) {
    const review = await host.reviews.review(one);
    await output.terminal.warn(
      `${reviewText({ ...one, review, number: index + 1, of: held.length }, output.terminal)}\n`,
    );
    if (review?.isTrustable !== true) continue;
    if (!(await agrees(output, review))) continue;
    host.reviews.accept(review, host.person);
    trusted.push(review.id ?? one.file);
  }
  const left = held.length - trusted.length;
  await output.answer(
    { trusted, left },
    () =>
      `${trusted.length} of ${held.length} trusted${left === 0 ? '.' : `; agents are not served the ${left === 1 ? 'other one' : `other ${left}`}.`}`,
  );
  return left === 0 ? exitCodes.ok : exitCodes.findings;
}

/**
 * Replacing a workflow of a more trusted source requires typing its id, because a single letter is typed too easily.
 */
async function agrees({ terminal }: Output, { replaces }: Review): Promise<boolean> {
  if (replaces === undefined) return isYes(await terminal.ask('Trust this definition? (y/N) '));
  const text = await terminal.ask(
    `To trust it and let it replace the ${replaces.source} workflow, type ${replaces.id} (Enter: don't): `,
  );
  return text === replaces.id;
}

function isYes(text: string | undefined): boolean {
  return /^y(es)?$/i.test(text ?? '');
}

/** Untrusted text is shown only at a terminal, because a pipe may lead to an agent. */
function mustBeInteractive({ terminal }: Output): void {
  if (terminal.isInteractive) return;
  throw new WorkflowError(
    'HUMAN_REQUIRED',
    "Only a person at a terminal can trust definitions, and standard input is not a terminal. Run 'workflowlookup trust' at one.",
  );
}
