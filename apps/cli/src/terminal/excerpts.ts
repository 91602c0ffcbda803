import { structuredPatch } from 'diff';
import { plainLine, widthOf } from './plain-text.ts';
import type { Terminal } from './terminal.ts';

/** A position in a text. Lines and columns count from 1; columns are UTF-16 units. */
interface FramedPlace {
  readonly line: number;
  readonly column: number;
}

/** How much of a long line is shown. A prompt in JSON is one line, however long it is. */
const maxShown = 100;

/** Returns a line with its neighbours and a mark below the position. */
export function codeFrame(
  lines: readonly string[],
  { line, column }: FramedPlace,
  { paint }: Pick<Terminal, 'paint'>,
): string {
  const marked = lines[line - 1] ?? '';
  const from = marked.length > maxShown ? Math.max(0, column - maxShown / 2) : 0;
  const numbers = [line - 1, line, line + 1].filter((number) => number >= 1 && number <= lines.length);
  const width = String(numbers.at(-1)).length;
  const row = (label: string, text: string): string => `${paint('dim', `${label} |`)} ${text}`.trimEnd();
  return numbers
    .flatMap((number) => {
      const label = `${number === line ? '>' : ' '} ${String(number).padStart(width)}`;
      const shown = row(label, crop(lines[number - 1] ?? '', from));
      if (number !== line) return [shown];
      const before = widthOf(plainLine(lead(from) + marked.slice(from, column - 1)));
      return [shown, row(' '.repeat(label.length), ' '.repeat(before) + paint('red', '^'))];
    })
    .join('\n');
}

function crop(line: string, from: number): string {
  const rest = line.slice(from);
  return plainLine(lead(from) + (rest.length > maxShown ? `${rest.slice(0, maxShown)}…` : rest));
}

function lead(from: number): string {
  return from > 0 ? '…' : '';
}

/** Formats the difference between two texts, with some lines of context. A new text has no numbers of lines. */
export function diffText(before: string, after: string, { paint }: Pick<Terminal, 'paint'>): string {
  const { hunks } = structuredPatch('', '', before, after);
  const lines = hunks.flatMap(({ oldStart, newStart, lines: changed }) => [
    ...(before === '' ? [] : [paint('dim', `@@ -${oldStart} +${newStart} @@`)]),
    ...changed.map((line) => lineText(line, paint)),
  ]);
  return lines.join('\n');
}

function lineText(line: string, paint: Terminal['paint']): string {
  // A carriage return is part of the line ending, not of the line.
  const text = plainLine(line.replace(/\r$/, ''));
  if (text.startsWith('+')) return paint('green', text);
  return text.startsWith('-') ? paint('red', text) : text;
}
