import stringWidth from 'string-width';

/** Lines of text, and the room they take in pixels. */
export interface TextBlock {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Of a usual typeface at 13 pixels, a little more than the mean: a label must not leave its box. */
const columnPx = 7.4;
export const linePx = 17;

/** How wide a text may become. */
interface Limits {
  readonly columns: number;
  readonly lines: number;
}

/** Breaks a text into lines at spaces; what is too long ends in an ellipsis. */
export function textBlock(
  text: string,
  { columns, lines: most }: Limits = { columns: 30, lines: 4 },
): TextBlock {
  const all = breakLines(text, columns);
  const lines = all.length > most ? [...all.slice(0, most - 1), `${all[most - 1] ?? ''}…`] : all;
  const width = Math.max(0, ...lines.map((line) => stringWidth(line)));
  return { lines, width: Math.ceil(width * columnPx), height: lines.length * linePx };
}

/** Texts one under the other. */
export function stack(blocks: readonly TextBlock[]): TextBlock {
  return {
    lines: blocks.flatMap(({ lines }) => lines),
    width: Math.max(0, ...blocks.map(({ width }) => width)),
    height: blocks.reduce((sum, { height }) => sum + height, 0),
  };
}

function breakLines(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap((one) => breakWord(one, columns))) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && stringWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter((line) => line !== '');
}

function breakWord(word: string, columns: number): readonly string[] {
  const parts = [''];
  for (const char of word) {
    const longer = `${parts.at(-1) ?? ''}${char}`;
    if (stringWidth(longer) <= columns) parts[parts.length - 1] = longer;
    else parts.push(char);
  }
  return parts;
}
