/**
 * Characters that move the cursor, colour, hide or reorder what a terminal shows. Joiners and the selectors of emoji are
 * left alone: texts in many scripts need them, and they change nothing else.
 */
const unsafe =
  /(?!\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFFF9-\uFFFB]/gu;

/** The styles that this program sets itself, which are kept. */
const style = '\u001B\\[(?:1|2|22|31|32|33|39)m';
const unsafeOrStyle = new RegExp(`${style}|${unsafe.source}`, 'gu');

/** The text before the second colon of a command: spaces, and styles that this program sets. */
const lineOfCommand = new RegExp(`^((?:[^\\S\\n]|${style})*):(?=:)`, 'gm');

/** What most texts consist of, so that they need no closer look. */
const harmless = /^[\n -"$-9;-~]*$/;

/** A text of one line, for a terminal: what agents wrote can't change how the rest is shown. */
export function plainLine(text: string): string {
  return withoutUnsafe(text, (char) => (char === '\n' || char === '\t' ? ' ' : visible(char)));
}

/** A text with something else in the place of each unsafe character, line ends and tabs among them. */
export function withoutUnsafe(text: string, escaped: (char: string) => string): string {
  return text.replaceAll(unsafe, escaped);
}

/** A text of several lines, each as {@link plainLine}, with this before every line. */
export function plainLines(text: string, indent = ''): string {
  return text
    .split(/\r?\n/)
    .map((line) => indent + plainLine(line))
    .join('\n');
}

/**
 * A text as it may be printed: with no control characters but line ends, tabs and the styles of this program, and with no
 * line that a CI service takes for a command to it. Whatever a command prints for people goes through it once.
 */
export function printable(text: string): string {
  return harmless.test(text) ? text : withoutCommands(withoutControls(text));
}

/** A text without control characters, but for line ends, tabs and the styles of this program. */
export function withoutControls(text: string): string {
  return text.replaceAll(unsafeOrStyle, (found) =>
    found.length > 2 || found === '\n' || found === '\t' ? found : visible(found),
  );
}

/**
 * GitHub takes a line that starts with `::` for a command, after any spaces, and as Azure Pipelines and TeamCity `##[`,
 * `##vso[` and the like wherever they stand in a line. The mark of each is replaced by what `escaped` makes of it.
 */
export function withoutCommands(text: string, escaped: (mark: ':' | '#') => string = visible): string {
  return text
    .replaceAll(lineOfCommand, (_, before: string) => before + escaped(':'))
    .replaceAll(/##(?=[a-z]*\[)/gi, () => `#${escaped('#')}`);
}

/** A value as JSON that a terminal and a CI service show as it is; it reads back as the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent)
    .replaceAll(unsafe, (char) => (char === '\n' ? char : char.replaceAll(/[^]/g, jsonUnit)))
    .replaceAll(/##(?=[a-z]*\[)/gi, '#\\u0023');
}

/** A unit of UTF-16 as JSON spells it. */
function jsonUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A character as people see it: `\u{1b}`. */
function visible(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
