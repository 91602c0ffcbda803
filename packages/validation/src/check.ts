import type { Context } from '@workflowlookup/conditions';
import type { JsonObject, Meter } from '@workflowlookup/schema';
import { toPointer } from '@workflowlookup/schema';

/** The output being validated, with its context and budget. */
export interface Subject {
  readonly output: string;
  readonly context: Context;
  readonly meter: Meter;
  /** The fields of the output, for rules that check one of them. */
  readonly fields?: JsonObject | undefined;
  /** Returns the output as JSON, parsed on first use. */
  readonly instance: () => Instance;
}

/** A JSON value, or `undefined` if the output isn't JSON. */
export type Instance = { readonly json: unknown } | undefined;

/** A rule or composition that failed. */
export interface Failure {
  readonly issue: string;
  readonly remedies: readonly string[];
  /** Set if the rule could not be checked, so it is unknown whether the output meets it. */
  readonly unchecked?: true;
}

/** The failures (none if the output passes), or `left out` if no rule applied because of its condition. */
export type Outcome = readonly Failure[] | 'left out';

/** Compiled criteria at any level. */
export type Check = (subject: Subject) => Outcome;

/** The check of one rule: returns suggestions that fix the output, or `undefined` if the output meets the rule. */
export type Test = (subject: Subject) => readonly string[] | undefined;

/** Steps that one validation may take; criteria that need more are too complex to check (docs/authoring.md#limits). */
export const maxSteps = 50_000_000;

/**
 * Steps that compiling the criteria for one validation may take. They count toward the budget for reading the
 * definition.
 */
export const maxCompilationSteps = 200_000_000;

/** The budgets for compiling criteria and for validating an output. */
export interface Meters {
  readonly compile: Meter;
  /** Refilled before each validation. */
  readonly run: Meter;
}

/** A reason why criteria can't be used. */
export interface Problem {
  /** JSON pointer within the criteria. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion?: string;
  /** The cause: the rule itself, its condition, or its JSON Schema. */
  readonly fault: 'rule' | 'condition' | 'schema';
}

/** A position in the criteria. Problems are collected here, so that one pass finds all of them. */
export interface Location {
  readonly pointer: string;
  /** Number of enclosing lists and compositions. */
  readonly depth: number;
  /** Set for a rule written as a bare pattern, which has no fields to point at. */
  readonly bare?: true;
  readonly problems: Problem[];
}

export function within(place: Location, key: string | number): Location {
  return { ...place, pointer: place.pointer + toPointer([key]) };
}
