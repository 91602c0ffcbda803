import { fileMessages } from '../messages/files.ts';
import type { Finding, Issue } from '../findings/finding.ts';
import type { Problem } from '../messages/workflow.ts';

/** A finding with additional hints about its position. */
export interface TextFinding extends Finding {
  /** Offset in the text, in UTF-16 units, if the pointer alone isn't enough. */
  readonly offset?: number;
  /** Set if the finding is about the property name, not its value. */
  readonly atKey?: true;
}

/** A range of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  /** Absent if only the start is known. */
  readonly end?: number;
}

/**
 * Returns the range of a place in the text. If the place doesn't exist, it returns the start of its nearest existing
 * ancestor.
 */
export type Locate = (pointer: string, atKey: boolean) => Span;

export interface ParsedText {
  /** Without the byte order mark. */
  readonly text: string;
  /** Absent where the text could not be parsed. */
  readonly value?: unknown;
  /** Syntax errors and exceeded limits. Empty if the value can be checked. */
  readonly findings: readonly TextFinding[];
  /** Other findings, which don't prevent checking the value. */
  readonly warnings?: readonly TextFinding[];
  readonly locator: () => Promise<Locate>;
}

/** What the parser of a notation returns. */
export type Parsed = Omit<ParsedText, 'text'>;

/** The reason why a text can't be parsed, and where. */
export interface Refusal extends Problem {
  readonly offset: number;
}

/** Returns the result for a text that is refused for one reason at one place. */
export function refused(refusal: Refusal): Parsed {
  return { findings: [{ ...refusal, pointer: '' }], locator: locatorAt(refusal.offset) };
}

/** Returns the locator of a text in which every place is at the same offset. */
export function locatorAt(start: number): ParsedText['locator'] {
  return () => Promise.resolve(() => ({ start }));
}

export function duplicateKey(
  name: string,
  pointer: string,
  { text, first, offset }: { readonly text: string; readonly first: number; readonly offset: number },
): TextFinding {
  const firstLine = positionsIn(text)(first).line;
  return { ...fileMessages.duplicateKey(name, firstLine), pointer, offset };
}

/** A position in a text. Lines and columns count from 1, columns in UTF-16 units. */
export type Position = Pick<Issue, 'line' | 'column'>;

/** Returns a function that turns offsets into positions. A line ends with LF, CRLF or CR. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ 0: end, index }) => index + end.length)];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

export function describePosition(text: string, offset: number): string {
  const { line, column } = positionsIn(text)(offset);
  return `line ${line}, column ${column}`;
}
