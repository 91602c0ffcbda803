import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Host, Review, Source } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { storageOptionsOf } from '../open-host.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Output } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';
import { reasonText, reviewText } from './trust-review.ts';

export interface TrustFlags extends StateFlags {
  readonly folder?: boolean;
  readonly list?: boolean;
  readonly remove?: boolean;
}

interface UntrustedFile {
  readonly id?: string;
  readonly source: string;
  readonly file: string;
  readonly reason: 'changed' | 'replaces' | 'untrusted';
  readonly servedFrom?: string;
  readonly path: string;
}

/** Shows definitions that are not trusted yet, and records the decisions of the person at the terminal. */
export async function trust(
  line: CommandLine,
  path: string | undefined,
  flags: TrustFlags,
): Promise<ExitCode> {
  if ([flags.folder, flags.list, flags.remove].filter((flag) => flag === true).length > 1)
    throw new WorkflowError('INVALID_INPUT', messages.options.oneOfTrust);
  const output = createOutput(line.terminal, flags.json === true);
  const project = projectOf(path, flags);
  const [{ createHost }, place] = await Promise.all([
    import('@workflowlookup/host'),
    storageOptionsOf(line, flags),
  ]);
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

/**
 * Returns the folder of the project: the named folder if it has definitions of its own, otherwise the working folder.
 */
function projectOf(path: string | undefined, { folder = false }: TrustFlags): string {
  if (path === undefined || folder) return process.cwd();
  const places = [join(path, 'workflows'), join(path, '.workflowlookup', 'workflows')];
  return places.some(isFolder) ? resolve(path) : process.cwd();
}

/** Returns whether a path is a folder. `statSync` throws for a path below a file. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A path that can't be looked at is no folder.
    return false;
  }
}

async function heldIn({ definitions, sources }: Host): Promise<readonly UntrustedFile[]> {
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
  throw new WorkflowError('NOT_FOUND', messages.trust.noMatch(name));
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
  // The texts of untrusted files are left out, because an agent may have run this command.
  const untrusted = held.map(({ id, source, reason }) => ({
    ...(id !== undefined && { id }),
    source,
    reason,
  }));
  await answer({ folders, definitions, untrusted, ...(problem !== undefined && { problem }) }, () =>
    [
      ...(problem === undefined ? [] : [messages.trust.invalidRecord(problem)]),
      ...folders.map(({ path, at, by }) => `trusted folder  ${plainLine(path)}  (${by}, ${at.slice(0, 10)})`),
      ...definitions.map(
        ({ path, at, by, replaces, isChanged }) =>
          `${isChanged === true ? 'trusted before ' : 'trusted        '} ${plainLine(path)}  (${by}, ${at.slice(0, 10)})${isChanged === true ? ', changed since' : ''}${replaces === undefined ? '' : `, replaces ${replaces}`}`,
      ),
      ...held.map((one) => `not served      ${one.id ?? '(no id)'} from ${one.source}: ${reasonText(one)}`),
      ...(folders.length + definitions.length + untrusted.length === 0 ? [messages.trust.noneListed] : []),
    ].join('\n'),
  );
  return untrusted.length === 0 ? exitCodes.ok : exitCodes.findings;
}

async function remove(host: Host, { answer }: Output, path: string | undefined): Promise<ExitCode> {
  if (path === undefined) throw new WorkflowError('INVALID_INPUT', messages.trust.nameToRemove);
  const atPath = host.trust.remove(resolve(path));
  const count =
    atPath > 0
      ? atPath
      : trustedById(host, path).reduce((sum, entry) => sum + host.trust.remove(entry.path), 0);
  await answer({ removed: count }, () =>
    count === 0 ? messages.trust.nothingAt(plainLine(path)) : messages.trust.removed(count, plainLine(path)),
  );
  return count === 0 ? exitCodes.findings : exitCodes.ok;
}

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
  if (!isFolder(folder)) throw new WorkflowError('INVALID_INPUT', messages.trust.notFolder(path));
  await terminal.warn(`${messages.trust.folderWarning(plainLine(folder))}\n`);
  if (!isYes(await terminal.ask(messages.trust.folderQuestion))) return declined(output);
  const entry = host.trust.trustFolder(folder, host.person);
  await output.answer({ folder: entry }, () => messages.trust.folderTrusted(plainLine(entry.path)));
  return exitCodes.ok;
}

async function declined({ answer }: Output): Promise<ExitCode> {
  await answer({ folder: null }, () => messages.trust.declined);
  return exitCodes.findings;
}

async function decide(host: Host, output: Output, held: readonly UntrustedFile[]): Promise<ExitCode> {
  if (held.length === 0) {
    await output.answer({ trusted: [], left: 0 }, () => messages.trust.noneWaiting);
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
  if (replaces === undefined) return isYes(await terminal.ask(messages.trust.question));
  const text = await terminal.ask(messages.trust.replaceQuestion(replaces.source, replaces.id));
  return text === replaces.id;
}

function isYes(text: string | undefined): boolean {
  return /^y(es)?$/i.test(text ?? '');
}

/** Untrusted text is shown only at a terminal, because a pipe may lead to an agent. */
function mustBeInteractive({ terminal }: Output): void {
  if (terminal.isInteractive) return;
  throw new WorkflowError('HUMAN_REQUIRED', messages.trust.needsTerminal);
}
