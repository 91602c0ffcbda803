import type { FindingCode } from './finding-codes.ts';
import type { Finding } from './issue.ts';
import type { Repair } from './repair.ts';
import { maxDefinitionBytes, maxDefinitionValues, maxDepth } from './limits.ts';

/** A finding whose place may be known by more than its pointer. */
export interface Found extends Finding {
  /** Where it is in the text, in UTF-16 units, when the pointer alone can't say. */
  readonly offset?: number;
  /** The property itself is meant, not its value. */
  readonly atKey?: true;
}

/** A stretch of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  /** Absent where only the beginning is known. */
  readonly end?: number;
}

/** Where a place of a document stands in its text; one that is not there goes by the start of the nearest above it. */
export type Locate = (pointer: string, atKey: boolean) => Span;

/** What a text says, and what keeps it from being judged. */
export interface ParsedText {
  /** Absent where the text could not be parsed. */
  readonly value?: unknown;
  /** Syntax errors and broken limits; empty when the value can be judged. */
  readonly findings: readonly Found[];
  /** What was found beside them and does not keep the value from being judged. */
  readonly warnings?: readonly Found[];
  readonly locator: () => Promise<Locate>;
}

/** A text that is refused unparsed, for one reason at one place. */
export function refused({ offset, ...what }: Refusal): ParsedText {
  return {
    findings: [{ severity: 'error', pointer: '', ...what, offset }],
    locator: () => Promise.resolve(() => ({ start: offset })),
  };
}

/** Why a text can't be parsed, and where. */
export interface Refusal {
  readonly code: FindingCode;
  readonly message: string;
  readonly suggestion: string;
  readonly repair?: Repair;
  readonly offset: number;
}

/** The refusal of a text over {@link maxDefinitionBytes}. */
export function tooLarge(what: string, offset = 0): Refusal {
  const message = `${what} more than ${maxDefinitionBytes} bytes, the most a definition may have`;
  return {
    code: 'beyond-limits',
    message,
    suggestion: 'Move long material out of the workflow, or split it',
    offset,
  };
}

/** The refusal of a text nested deeper than {@link maxDepth}. */
export function tooDeep(offset: number): Refusal {
  const message = `Nested deeper than ${maxDepth} levels, the most a definition may have`;
  return { code: 'beyond-limits', message, suggestion: 'Flatten the document', offset };
}

/** The refusal of a text with more than {@link maxDefinitionValues} values or tokens. */
export function tooManyValues(what: 'values' | 'YAML tokens'): Refusal {
  const message = `More than ${maxDefinitionValues} ${what}, the most a definition may have`;
  return { code: 'beyond-limits', message, suggestion: 'Split the workflow', offset: 0 };
}

/** A key that its object already has. */
export function duplicateKey(
  name: string,
  pointer: string,
  at: { offset: number; firstLine: number },
): Found {
  return {
    severity: 'error',
    code: 'duplicate-key',
    pointer,
    message: `Duplicate key '${name}': the same object has it on line ${at.firstLine}`,
    suggestion: 'Keep one of the two',
    offset: at.offset,
  };
}
