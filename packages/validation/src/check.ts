import type { Context } from '@workflowlookup/conditions';
import type { Meter } from '@workflowlookup/schema';

/** What is judged, and by what. */
export interface Subject {
  readonly output: string;
  readonly context: Context;
  readonly meter: Meter;
  /** The JSON the output is, read on first use. */
  readonly instance: () => Instance;
}

/** A JSON value, or none where the output is not JSON. */
export type Instance = { readonly json: unknown } | undefined;

/** A rule or composition that was not met. */
export interface Failure {
  readonly issue: string;
  readonly remedies: readonly string[];
  /** Present and true when it is not known whether the rule is met. */
  readonly unchecked?: true;
}

/** What failed, nothing when all is met; or that the conditions left nothing to check. */
export type Outcome = readonly Failure[] | 'left out';

/** Compiled criteria of any size. */
export type Check = (subject: Subject) => Outcome;

/** The core of a rule: what would remedy the output, or `undefined` when it meets the rule. */
export type Test = (subject: Subject) => readonly string[] | undefined;
