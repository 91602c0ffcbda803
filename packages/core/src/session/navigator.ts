import type { Condition, Context } from '@workflowlookup/conditions';
import type { Approver, Criteria, Enforcement, Json } from '@workflowlookup/schema';

/** What the answer to a checkpoint does. */
export interface Effect {
  readonly setVariable?: Readonly<Record<string, Json>>;
  /** The activity expected next, until it is entered or the activity is left. */
  readonly transitionTo?: string;
  /** Activities passed over for the rest of the session. */
  readonly skipActivities?: readonly string[];
}

/** An answer a checkpoint offers. */
export interface GateOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly effect?: Effect;
}

/** A checkpoint: a place where the session waits for an answer. */
export interface Gate {
  readonly id: string;
  readonly name: string;
  /** `{name}` stands for a variable. */
  readonly message: string;
  readonly condition?: Condition;
  readonly options: readonly GateOption[];
  readonly defaultOption?: string;
  readonly autoAdvanceMs?: number;
  /** `true` when its author says so; then no timer answers it. */
  readonly blocking?: boolean;
  readonly approver: Approver;
}

/** A step of an activity, as a manifest has to account for it. */
export interface PlannedStep {
  readonly id: string;
  /** Whether it may be left out of a manifest. */
  readonly required: boolean;
  /** The checkpoint it stops at. */
  readonly checkpoint?: string;
  readonly criteria?: Criteria;
}

/** The steps of a loop; a manifest may name them bare or as `loop-id@0::step-id`. */
export interface PlannedLoop {
  readonly id: string;
  readonly steps: readonly PlannedStep[];
}

/** An activity, as the variables make it. */
export interface Place {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  readonly loops: readonly PlannedLoop[];
  readonly gates: readonly Gate[];
}

/** A way on from where a session stands. */
export interface Move {
  readonly target: string;
  /** What leads there, as people read it: a condition, or `default`. */
  readonly when: string;
  /** Whether it is legal now. */
  readonly holds: boolean;
}

/** Where a session stands, as far as navigation goes. */
export interface Whereabouts {
  readonly current: string | undefined;
  /** Activities that were left, each once, in order. */
  readonly completed: readonly string[];
  /** How often each activity was entered. */
  readonly visits: Readonly<Record<string, number>>;
  readonly variables: Context;
}

/** A variable a workflow declares. */
export interface DeclaredVariable {
  readonly name: string;
  readonly type: string;
  readonly value?: Json;
}

/** A manner of working, in force while its variable is true. */
export interface Mode {
  readonly id: string;
  /** That its variable is true. */
  readonly activation: Condition;
  readonly skipActivities: readonly string[];
  /** Values for variables nobody set. */
  readonly defaults: Readonly<Record<string, Json>>;
}

/**
 * Where the two kinds of workflow differ: what is eligible first, what is legal next, and what stands at a place.
 * Pure; made once for each workflow.
 */
export interface Navigator {
  readonly workflow: {
    readonly id: string;
    readonly version: string;
    readonly title: string;
    readonly digest: string;
  };
  readonly enforcement: Enforcement;
  readonly variables: readonly DeclaredVariable[];
  readonly modes: readonly Mode[];
  /** Activities that must have been visited before the end. */
  readonly required: readonly string[];
  /** Whether the workflow has this activity; the reserved words of the end are activities only where it says so. */
  has(activityId: string): boolean;
  /** The ways on, in the order in which they are tried; none where the end is all that is left. */
  moves(at: Whereabouts): readonly Move[];
  /** What keeps the session from going on at all, and what would do. */
  obstacle(at: Whereabouts): string | undefined;
  /** What stands at an activity. */
  place(activityId: string, at: Whereabouts): Place;
}
