import type { Issue } from './issue.ts';

/** A place in a text; line and column count from 1, columns in UTF-16 units. */
export type Position = Pick<Issue, 'line' | 'column'>;

/** Turns offsets of a text into positions; a line ends at LF, CRLF or CR. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ 0: end, index }) => index + end.length)];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** A place in a text, as a message says it. */
export function describePosition(text: string, offset: number): string {
  const { line, column } = positionsIn(text)(offset);
  return `line ${line}, column ${column}`;
}
