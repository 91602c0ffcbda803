import stringWidth from 'string-width';
import { padColumns, plainLine } from './plain-text.ts';
import type { Terminal } from './terminal.ts';

/** Formats rows as columns, each as wide as its widest cell on a terminal. The last column is not padded. */
export function columns(rows: readonly (readonly string[])[], indent = ''): string {
  return padColumns(rows, { widthOf: (cell) => stringWidth(cell), indent });
}

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
      const before = stringWidth(plainLine(lead(from) + marked.slice(from, column - 1)));
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
