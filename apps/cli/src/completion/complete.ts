import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { plainLine } from '../plain-text.ts';
import { standInLine } from './stand-in-line.ts';
import { suggestionsFor } from './suggestions-for.ts';

/** What the shell is told beside the suggestions: not to name files itself, and to leave out the space behind. */
const directives = { noFiles: 4, noSpace: 2 };

/**
 * What every shell takes as it is: a shell puts a suggestion on its line without quotes, so that it would expand or run
 * anything else.
 */
const plainWord = /^[\p{L}\p{M}\p{N}_./:@+,=-]+$/u;

/** Prints what the last word can become, as the scripts of the shells read it. */
export async function complete(
  program: Command,
  words: readonly string[],
  { terminal, env }: CommandLine,
): Promise<void> {
  const current = words.at(-1) ?? '';
  const stand = standInLine(program, words.slice(0, -1), current);
  const start = stand.place.kind === 'value' ? current.replace(/^--?[\w-]+=/, '') : current;
  const all = await suggestionsFor(stand, { start, env });
  const fitting = all
    .filter(({ value }) => value.startsWith(start) && plainWord.test(value))
    // The name of a file may look like an option that nobody typed.
    .filter(({ value }) => !value.startsWith('-') || start.startsWith('-'));
  const isFolder = fitting.length === 1 && fitting[0]?.value.endsWith('/') === true;
  const lines = fitting.map(({ value, about }) =>
    about === undefined ? value : `${value}\t${plainLine(about)}`,
  );
  const directive = directives.noFiles + (isFolder ? directives.noSpace : 0);
  await terminal.print(`${[...lines, `:${directive}`].join('\n')}\n`);
}
