/** Characters that move the cursor, colour, hide or turn round what a terminal shows. */
const unsafe = /[\p{Cc}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** A text of one line, for a terminal: what agents wrote can't change how the rest is shown. */
export function plainLine(text: string): string {
  return text.replaceAll(unsafe, (char) =>
    char === '\n' || char === '\t' ? ' ' : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A text of several lines, each as {@link plainLine}, with this before every line. */
export function plainLines(text: string, indent = ''): string {
  return text
    .split(/\r?\n/)
    .map((line) => indent + plainLine(line))
    .join('\n');
}
