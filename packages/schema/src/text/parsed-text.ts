import * as messages from '../messages/files.ts';
import type { Finding, FindingCode, Issue, Repair } from '../findings/finding.ts';

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
  /** Absent where the text could not be parsed. */
  readonly value?: unknown;
  /** Syntax errors and exceeded limits. Empty if the value can be checked. */
  readonly findings: readonly TextFinding[];
  /** Other findings, which don't prevent checking the value. */
  readonly warnings?: readonly TextFinding[];
  readonly locator: () => Promise<Locate>;
}

/** Returns the result for a text that is refused for one reason at one place. */
export function refused({ offset, ...what }: Refusal): ParsedText {
  return {
    findings: [{ severity: 'error', pointer: '', ...what, offset }],
    locator: () => Promise.resolve(() => ({ start: offset })),
  };
}

/** The reason why a text can't be parsed, and where. */
export interface Refusal {
  readonly code: FindingCode;
  readonly message: string;
  readonly suggestion: string;
  readonly repair?: Repair;
  readonly offset: number;
}

/** Refuses a text over `maxDefinitionBytes`. */
export function tooLarge(what: string, offset = 0): Refusal {
  return { code: 'beyond-limits', ...messages.tooLarge(what), offset };
}

export function tooDeep(offset: number): Refusal {
  return { code: 'beyond-limits', ...messages.tooDeep, offset };
}

/** Refuses a text with more than `maxDefinitionValues` values or tokens. */
export function tooManyValues(what: 'values' | 'YAML tokens'): Refusal {
  return { code: 'beyond-limits', ...messages.tooManyValues(what), offset: 0 };
}

export function duplicateKey(
  name: string,
  pointer: string,
  at: { offset: number; firstLine: number },
): TextFinding {
  return {
    severity: 'error',
    code: 'duplicate-key',
    pointer,
    ...messages.duplicateKey(name, at.firstLine),
    offset: at.offset,
  };
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
