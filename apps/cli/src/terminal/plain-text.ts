import stringWidth from 'fast-string-width';

/**
 * Matches characters that move the cursor, colour, hide or reorder what a terminal shows. Joiners and emoji selectors
 * are allowed: many scripts need them, and they are harmless.
 */
const unsafe =
  /(?!\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFFF9-\uFFFB]/gu;

/** The styles that this program prints, which stay. */
const style = '\u001B\\[(?:1|2|22|31|32|33|39)m';
const unsafeOrStyle = new RegExp(`${style}|${unsafe.source}`, 'gu');

/** Matches what may come before the second colon of a command: spaces, and styles of this program. */
const lineOfCommand = new RegExp(`^((?:[^\\S\\n]|${style})*):(?=:)`, 'gm');

/** Most texts match this, and need no closer look. */
const harmless = /^[\n -"$-9;-~]*$/;

/** Matches text in which each character takes one column. Most cells and lines are like that. */
const ascii = /^[ -~]*$/;

/** Makes a text safe to print in one line, so that an agent's text can't change how the rest is shown. */
export function plainLine(text: string): string {
  if (ascii.test(text)) return text;
  return withoutUnsafe(text, (char) => (char === '\n' || char === '\t' ? ' ' : visible(char)));
}

/** Replaces each unsafe character, including line endings and tabs. */
export function withoutUnsafe(text: string, escaped: (char: string) => string): string {
  return text.replaceAll(unsafe, escaped);
}

/** Makes several lines safe, each as {@link plainLine} does, and indents them. */
export function plainLines(text: string, indent = ''): string {
  return text
    .split(/\r?\n/)
    .map((line) => indent + plainLine(line))
    .join('\n');
}

/**
 * Makes a text safe to print: without control characters, except line endings, tabs and the styles of this program,
 * and without lines that a CI service would take for a command. Everything that a command prints for people goes
 * through this function once.
 */
export function printable(text: string): string {
  return harmless.test(text) ? text : withoutCommands(withoutControls(text));
}

/** Makes control characters visible, except line endings, tabs and the styles of this program. */
export function withoutControls(text: string): string {
  return text.replaceAll(unsafeOrStyle, (found) =>
    found.length > 2 || found === '\n' || found === '\t' ? found : visible(found),
  );
}

/**
 * Defuses commands to CI services. GitHub takes a line that starts with `::`, after any spaces, for a command; Azure
 * Pipelines and TeamCity take `##[`, `##vso[` and the like anywhere in a line. `escaped` replaces the mark.
 */
export function withoutCommands(text: string, escaped: (mark: ':' | '#') => string = visible): string {
  return text
    .replaceAll(lineOfCommand, (_, before: string) => before + escaped(':'))
    .replaceAll(/##(?=[a-z]*\[)/gi, () => `#${escaped('#')}`);
}

/** Returns JSON that a terminal and a CI service show as it is. It parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent)
    .replaceAll(unsafe, (char) => (char === '\n' ? char : char.replaceAll(/[^]/g, jsonUnit)))
    .replaceAll(/##(?=[a-z]*\[)/gi, '#\\u0023');
}

/** Returns a UTF-16 unit as a JSON escape. */
function jsonUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a visible form of a character: `\u{1b}`. */
function visible(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * Makes cells safe and formats rows as columns, each as wide as its widest cell on a terminal. The last column is not
 * padded.
 */
export function columns(texts: readonly (readonly string[])[], indent = ''): string {
  const rows = texts.map((row) => row.map(plainLine));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  const pad = (cell: string, at: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
  return rows.map((row) => (indent + row.map(pad).join('  ')).trimEnd()).join('\n');
}

/** Matches joiners, which take no column, except in an emoji. */
const joiners = /\u200C|(?<!\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)\u200D/gu;

/** Returns how many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length;
  return stringWidth(text.normalize('NFC').replaceAll(joiners, ''));
}

/** Formats rows as columns that are indented. */
export function indented(rows: readonly (readonly string[])[]): string {
  return columns(rows, '  ');
}

/** Formats a moment in UTC: `2026-03-01 10:00:05`. */
export function momentText(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats the time between two moments in its two largest units: `2 h 5 min`. */
export function spanText(fromIso: string, toIso: string): string {
  let left = Math.max(0, Math.round((Date.parse(toIso) - Date.parse(fromIso)) / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of units) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** Returns a count with its noun: `2 tests`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Rounds an estimate to the digits that are known. */
export function roundEstimate(count: number): number {
  return Number(count.toPrecision(2));
}
