/** The severity of a finding: an `error` prevents a definition from being served (or its step from being validated). */
export type Severity = 'error' | 'warning';

/** A problem at one place in a definition, before its position in the text is known. */
export interface Finding {
  readonly severity: Severity;
  /** The kind of problem; callers branch on it. */
  readonly code: FindingCode;
  /** JSON pointer (RFC 6901) into the document; `''` is the whole document. */
  readonly pointer: string;
  /** States the value found and the value expected. */
  readonly message: string;
  /** An instruction that fixes the problem. */
  readonly suggestion?: string;
  /** An automatic fix, if one is certain. */
  readonly repair?: Repair;
  /**
   * Set if the definition is served despite this error, such as criteria of the right shape that can't be used
   * (docs/authoring.md#criteria).
   */
  readonly served?: true;
}

/** A finding with its position in the text. */
export interface Issue extends Omit<Finding, 'repair'> {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1, in UTF-16 units. */
  readonly column: number;
  /** Edits to the text that fix the problem, if they are safe. */
  readonly edits?: readonly TextEdit[];
}

/** The code and the meaning of every kind of finding. Tools filter by these codes, so they never change. */
export const findingCodes = {
  'unreadable-file': "A file or folder that can't be read.",
  'leaves-source': 'A symbolic link that leaves its source; it is not followed.',
  'beyond-limits': 'More than a definition may have: bytes, levels, values.',
  'syntax-error': 'A text that is not what its file name says: JSON, YAML or TOON.',
  'duplicate-key': 'A key that its object has twice.',
  'unsupported-syntax': 'A part of the notation that definitions do not use, such as merge keys and tags.',
  'misread-text': 'A text that the notation reads otherwise than it looks.',
  'missing-property': 'A property that has to be there.',
  'unknown-property': 'A property that nothing reads.',
  'older-property': 'A property of an older form of step workflows.',
  'wrong-value': 'A value that its place does not take.',
  'repeated-item': 'A list that says the same thing twice.',
  'not-a-definition': 'A file of another kind among definitions.',
  'duplicate-id': 'An id that two things have.',
  'unknown-step': 'A loop body that names no step it could run.',
  'unknown-activity': 'An activity that is named and does not exist.',
  'unknown-checkpoint': 'A checkpoint that is named and does not exist.',
  'unknown-option': 'A default option that is not offered.',
  'unknown-reference': 'A skill, operation or resource that is named and was not found.',
  'unknown-variable': 'A variable that is used and that nothing declares.',
  'unused-variable': 'A variable that is declared and that nothing looks at.',
  'unset-variable': 'A variable that a text shows and that nothing sets.',
  'unknown-setter': 'A set_by that names nothing that sets variables in the workflow.',
  'open-decision': 'A condition that decides whether a person is asked and that agents can influence.',
  'shadowed-name': 'A name that hides another.',
  'broken-condition': "A condition that can't be used.",
  'never-holds': 'A condition that nothing can satisfy.',
  'always-holds': 'A condition that passes nothing over.',
  'broken-criteria': "Validation criteria that can't be used.",
  'impossible-criteria': 'Validation criteria that no output can meet.',
  'doubtful-criteria': 'Validation criteria that are hardly meant as they stand.',
  unreachable: 'A step or an activity that no way leads to.',
  'missing-transition': 'An activity whose ways on are all closed, so that the session ends there.',
  stuck: "A place that a session can't go on from.",
  endless: 'A round that no session comes out of.',
  'endless-loop': 'A loop that only its bound ends.',
  'impassable-gate': 'A checkpoint that nobody gets past.',
  'no-activity': 'An activity workflow without activities.',
  'file-name': 'A file or folder that is named otherwise than its place asks.',
  'missing-version': 'A workflow without a version.',
  'long-prompt': 'A prompt that is long to follow.',
  'hidden-character': 'A character nobody can see.',
  'unknown-workflow': 'Tests of a workflow that does not exist.',
  'low-coverage': 'Tests that go through less of a workflow than was asked for.',
  unlisted: 'Stands for findings that are not listed.',
} as const;

/** The code of a finding. Your own checks use codes that start with `x-`. */
export type FindingCode = keyof typeof findingCodes | `x-${string}`;

/** A fix that doesn't change the meaning of the definition. */
export type Repair =
  /** Replaces the key or value with another word and keeps its quotes. */
  | { readonly kind: 'respell'; readonly to: string }
  /** Replaces these characters everywhere in the value. */
  | { readonly kind: 'swap'; readonly from: string; readonly to: string }
  /** Rewrites the value as text, as a number or boolean, or as a list with one item. */
  | { readonly kind: 'retype'; readonly as: 'list' | 'literal' | 'text' }
  /** Adds a property after the one at this pointer. */
  | { readonly kind: 'append'; readonly behind: string; readonly key: string; readonly value: string }
  /** Removes one character. */
  | { readonly kind: 'cut' };

/** An edit of a text, in UTF-16 units. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Applies edits to a text. If two overlap, the later one is skipped. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.offset - b.offset)) {
    if (edit.offset < at) continue;
    result += text.slice(at, edit.offset) + edit.text;
    at = edit.offset + edit.length;
  }
  return result + text.slice(at);
}
