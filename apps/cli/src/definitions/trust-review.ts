import type { Host, HostOptions, Review } from '@workflowlookup/host';
import { createHost } from '@workflowlookup/host';
import { writeOutHidden } from '@workflowlookup/schema';
import type { CommandContext } from '../commands/command-line.ts';
import { trustMessages } from '../messages/definitions.ts';
import { diffText } from '../terminal/excerpts.ts';
import { plainLine as plain } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Held = Awaited<ReturnType<Host['definitions']['untrusted']>>[number];

/** Returns why a definition is not served to agents. */
export function reasonText({
  id = '',
  reason,
  servedFrom = '',
}: Pick<Held, 'id' | 'reason' | 'servedFrom'>): string {
  if (reason === 'changed') return 'it has changed since a person trusted it';
  if (reason === 'untrusted') return 'no person has trusted it';
  if (id === 'meta') return "a project can't replace the shared workflow 'meta'";
  return `it would replace the ${servedFrom} workflow '${id}', and no person has agreed to this version`;
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
  const head = paint('bold', `${number} of ${of}: ${plainLine(path)}`);
  if (review === undefined) return ['', head, paint('red', notReadable)].join('\n');
  return [
    '',
    head,
    `id ${review.id ?? held.id ?? '(none)'}, from ${held.source}${review.title === undefined ? '' : `: ${plainLine(review.title)}`}`,
    ...replacedLines(review, terminal),
    ...(review.since === undefined ? [] : checkpointLines(review.since, paint, sinceTrusted)),
    ...changeLines(review, terminal),
    ...section(
      "Characters that can't be seen",
      review.hidden.map(({ file, line, column, name }) => `${plainLine(file)}:${line}:${column} ${name}`),
      terminal,
      'red',
    ),
    ...section(
      'Lines that look like commands',
      review.commands.map(({ file, line, text }) => `${plainLine(file)}:${line} ${plainLine(text)}`),
      terminal,
    ),
    ...section(
      'Checkpoints',
      review.checkpoints.map(
        ({ id, message, needsPerson }) =>
          `${plainLine(id)} (${needsPerson ? 'needs a person' : 'an agent may answer'}): ${plainLine(message)}`,
      ),
      terminal,
    ),
    ...section(
      'Problems',
      review.problems.map(
        ({ file, line, column, severity, message }) =>
          `${plainLine(file)}:${line}:${column} ${severity}: ${plainLine(message)}`,
      ),
      terminal,
    ),
    ...(review.isTrustable ? [] : [paint('red', whyNot(review))]),
    '',
  ].join('\n');
}

const notReadable =
  "It can't be trusted: its name has characters that can't be seen, or the file can't be read as text, is too large, or is a link that leads out of the project.";

function whyNot({ id, hidden }: Review): string {
  if (id === 'meta')
    return "It can't be trusted: a project can't replace 'meta', which all workflows share. Give it another id.";
  if (hidden.length > 0)
    return "It can't be trusted: it has characters that can't be seen. 'workflowlookup lint --fix' removes soft hyphens, zero-width spaces, word joiners and byte order marks; remove all others in an editor.";
  return "It can't be trusted: it has errors and would not be served. Fix them first: workflowlookup lint";
}

function replacedLines({ replaces }: Review, { paint }: Paint): readonly string[] {
  if (replaces === undefined) return [];
  const { source, id } = replaces;
  const differences = checkpointLines(replaces, paint, {
    missing: '  It does not have these checkpoints',
    weaker: '  An agent may answer these, which need a person in the workflow that it replaces',
    added: '  It also has these',
  });
  return [
    paint('red', `It replaces the ${source} workflow '${id}'.`),
    ...(differences.length === 0 ? ['  The checkpoints are the same.'] : differences),
  ];
}

const sinceTrusted = {
  missing: 'Checkpoints removed since you trusted it',
  weaker: 'Checkpoints that needed a person and that an agent may answer now',
  added: 'Checkpoints added since you trusted it',
};

/** Returns a line for each kind of change of the checkpoints that there is. Only an added checkpoint is harmless. */
function checkpointLines(
  changes: NonNullable<Review['since']>,
  paint: Terminal['paint'],
  words: typeof sinceTrusted,
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
  const title = before === undefined ? 'What it says' : 'What changed since you trusted it';
  const lines = names.flatMap((name) => {
    const old = writeOutHidden(before?.get(name) ?? '');
    const text = writeOutHidden(texts.get(name) ?? '');
    return old === text
      ? []
      : [terminal.paint('dim', `--- ${plainLine(name)}`), ...diffText(old, text, terminal).split('\n')];
  });
  const more = lines.length - maxLines;
  const shown =
    more > 0
      ? [...lines.slice(0, maxLines), `… ${more} more lines: read them in an editor before you trust them`]
      : lines;
  return [terminal.paint('bold', title), ...shown.map((line) => `  ${line}`)];
}

function section(
  title: string,
  lines: readonly string[],
  { paint }: Paint,
  emphasis: 'bold' | 'red' = 'bold',
): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - maxListed;
  return [
    paint(emphasis, title),
    ...lines.slice(0, maxListed).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}
