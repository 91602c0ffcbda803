import type { FindingCode } from './finding-codes.ts';
import type { Repair } from './repair.ts';
import type { TextEdit } from './text-edit.ts';

/** How bad a finding is: an `error` keeps a definition from being served (or its step from being validated). */
export type Severity = 'error' | 'warning';

/** Something wrong at one place of a definition, before the place is looked up in the text. */
export interface Finding {
  readonly severity: Severity;
  /** What kind of finding it is; callers branch on it. */
  readonly code: FindingCode;
  /** JSON pointer (RFC 6901) into the document; `''` is the whole document. */
  readonly pointer: string;
  /** What was found and what was expected. */
  readonly message: string;
  /** What would do, as an instruction. */
  readonly suggestion?: string;
  /** What puts it right for sure, where that is known. */
  readonly repair?: Repair;
  /**
   * Present and true when the definition is served all the same although the finding is an error:
   * criteria of the right shape that cannot be used (docs/authoring.md#criteria).
   */
  readonly served?: true;
}

/** A finding with its place in the text. */
export interface Issue extends Omit<Finding, 'repair'> {
  /** Line in the text, from 1. */
  readonly line: number;
  /** Column in the line, from 1, in UTF-16 units. */
  readonly column: number;
  /** What to change in the text to put it right, where that is safe. */
  readonly edits?: readonly TextEdit[];
}
