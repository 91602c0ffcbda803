import type { Host, HostOptions, Review } from '@workflowlookup/host';
import { createHost } from '@workflowlookup/host';
import { writeOutHidden } from '@workflowlookup/schema';
import type { CommandContext } from '../commands/command-line.ts';
import {
  changedCheckpoints,
  replacedCheckpoints,
  reviewMessages,
  trustMessages,
} from '../messages/definitions.ts';
import { diffText } from '../terminal/excerpts.ts';
import { plainLine as plain } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Held = Awaited<ReturnType<Host['definitions']['untrusted']>>[number];

/** Returns why a definition is not served to agents. */
function reasonText({ id = '', reason, servedFrom = '' }: Omit<Held, 'source'>): string {
  if (reason !== 'replaces') return trustMessages[reason];
  return id === 'meta' ? trustMessages.replacesMeta : trustMessages.wouldReplace(servedFrom, id);
}

/** Returns a line about a definition that is not served to agents. */
export function heldText(held: Omit<Held, 'source'> & { readonly source?: string }): string {
  return trustMessages.held(held.id, held.source, reasonText(held));
}

/**
 * Prints a note on standard error if agents don't get the workflow that is shown, or if it is not the one of the
 * project. `host` is what the person at the terminal sees; `forAgents` are the options for what agents see.
 */
export async function noteServed(
  { terminal }: CommandContext,
  id: string,
  host: Host,
  forAgents: HostOptions,
): Promise<void> {
  const origin = await host.definitions.origin(id);
  if (origin === undefined) return;
  const held = (await host.definitions.untrusted()).find((one) => one.id === id);
  if (held !== undefined)
    return terminal.warn(`${trustMessages.otherFile(id, reasonText(held), origin.source)}\n`);
  const isOfProject = host.sources.some(
    ({ name, isProject }) => name === origin.source && isProject === true,
  );
  if (!isOfProject || !terminal.isInteractive || forAgents.trustProject === true) return;
  const served = createHost(forAgents);
  try {
    const reason = (await served.definitions.untrusted()).find((one) => one.id === id);
    if (reason === undefined) return;
    await terminal.warn(`${trustMessages.notServed(id, reasonText(reason))}\n`);
  } finally {
    await served.close();
  }
}

/** The parts of a definition that a person sees before deciding. */
interface ShownReview extends Pick<Held, 'id'> {
  readonly source: string;
  readonly path: string;
  readonly number: number;
  readonly of: number;
  /** Absent for an unreadable file, and for a link that leads out of the project. */
  readonly review: Review | undefined;
}

/** Makes a text safe for the terminal and writes out characters that are invisible. */
function plainLine(text: string): string {
  return plain(writeOutHidden(text));
}

/** The most lines of a definition to print. Longer ones are for an editor. */
const maxLines = 400;

/** The most entries of one list. */
const maxListed = 20;

type Paint = Pick<Terminal, 'paint'>;

/** Formats everything a person needs to decide about a definition, with hidden characters written out. */
export function reviewText({ review, path, number, of, ...held }: ShownReview, terminal: Paint): string {
  const { paint } = terminal;
  const head = paint('bold', reviewMessages.head(number, of, plainLine(path)));
  if (review === undefined) return ['', head, paint('red', reviewMessages.notReadable)].join('\n');
  const { id = held.id ?? '(none)', title } = review;
  const { checkpoint, checkpoints, commands, hidden, problems } = reviewMessages;
  return [
    '',
    head,
    reviewMessages.definition(id, held.source, title && plainLine(title)),
    ...replacedLines(review, terminal),
    ...(review.since === undefined ? [] : checkpointLines(review.since, paint, changedCheckpoints)),
    ...changeLines(review, terminal),
    ...section(paint('red', hidden), review.hidden, (one) => `${placeOf(one)} ${one.name}`),
    ...section(paint('bold', commands), review.commands, (one) => `${placeOf(one)} ${plainLine(one.text)}`),
    ...section(paint('bold', checkpoints), review.checkpoints, (one) =>
      checkpoint(plainLine(one.id), one.needsPerson, plainLine(one.message)),
    ),
    ...section(
      paint('bold', problems),
      review.problems,
      (one) => `${placeOf(one)} ${one.severity}: ${plainLine(one.message)}`,
    ),
    ...(review.isTrustable ? [] : [paint('red', whyNot(review))]),
    '',
  ].join('\n');
}

function whyNot({ id, hidden }: Review): string {
  if (id === 'meta') return reviewMessages.replacesMeta;
  return hidden.length > 0 ? reviewMessages.hasHidden : reviewMessages.hasErrors;
}

function replacedLines({ replaces }: Review, { paint }: Paint): readonly string[] {
  if (replaces === undefined) return [];
  const { source, id } = replaces;
  const differences = checkpointLines(replaces, paint, replacedCheckpoints);
  return [
    paint('red', reviewMessages.replaces(source, id)),
    ...(differences.length === 0 ? [reviewMessages.sameCheckpoints] : differences),
  ];
}

/** Returns a line for each kind of change of the checkpoints that there is. Only an added checkpoint is harmless. */
function checkpointLines(
  changes: NonNullable<Review['since']>,
  paint: Terminal['paint'],
  words: typeof changedCheckpoints | typeof replacedCheckpoints,
): readonly string[] {
  return (['missing', 'weaker', 'added'] as const)
    .filter((kind) => changes[kind].length > 0)
    .map((kind) => {
      const line = `${words[kind]}: ${changes[kind].map(plainLine).join(', ')}`;
      return kind === 'added' ? line : paint('red', line);
    });
}

function changeLines({ texts, before }: Review, terminal: Paint): readonly string[] {
  const names = [...new Set([...(before?.keys() ?? []), ...texts.keys()])].toSorted();
  const title = before === undefined ? reviewMessages.text : reviewMessages.changes;
  const lines = names.flatMap((name) => {
    const old = writeOutHidden(before?.get(name) ?? '');
    const text = writeOutHidden(texts.get(name) ?? '');
    return old === text
      ? []
      : [terminal.paint('dim', `--- ${plainLine(name)}`), ...diffText(old, text, terminal).split('\n')];
  });
  const more = lines.length - maxLines;
  const shown = more > 0 ? [...lines.slice(0, maxLines), reviewMessages.moreLines(more)] : lines;
  return [terminal.paint('bold', title), ...shown.map((line) => `  ${line}`)];
}

function section<One>(title: string, list: readonly One[], textOf: (one: One) => string): readonly string[] {
  const more = list.length - maxListed;
  const lines = list.slice(0, maxListed).map((one) => `  ${textOf(one)}`);
  return list.length === 0 ? [] : [title, ...lines, ...(more > 0 ? [`  ${reviewMessages.more(more)}`] : [])];
}

type Place = { readonly file: string; readonly line: number; readonly column?: number };

function placeOf({ file, line, column }: Place): string {
  return `${plainLine(file)}:${line}${column === undefined ? '' : `:${column}`}`;
}
