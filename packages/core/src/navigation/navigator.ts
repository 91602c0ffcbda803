import type { Condition, Context } from '@workflowlookup/conditions';
import type {
  ActivityLoop,
  ActivityStep,
  Approver,
  Checkpoint,
  Criteria,
  Enforcement,
  Json,
} from '@workflowlookup/schema';
import type { MissingList } from '../session/outputs/loop-iterations.ts';
import type { RunningLoop } from '../session/session-event.ts';
import type { AskedCheckpoint } from '../session/session-state.ts';

/** A checkpoint, at which the session waits for an answer, with its condition ready to evaluate. */
export interface SessionCheckpoint extends Omit<Checkpoint, 'condition' | 'approver'> {
  readonly condition?: Condition;
  readonly approver: Approver;
  /** The option that sends the work back: it opens the checkpoint again, and the activity can't be left before another answer. */
  readonly revision?: string;
}

/** A value that an action gives a variable if its condition is true. */
export interface Assignment {
  readonly name: string;
  readonly value: Json;
  readonly condition?: Condition;
}

/** A step of an activity, as a manifest has to account for it. */
export interface PlannedStep extends Pick<ActivityStep, 'id' | 'checkpoint' | 'fields' | 'evidence'> {
  /** Whether its author lets a manifest leave it out. */
  readonly isOptional: boolean;
  /** An agent may report it as not done, with a reason. */
  readonly mayBeMissing?: true;
  /** All must be true. Otherwise the step is skipped, and its checkpoint with it. */
  readonly conditions: readonly Condition[];
  readonly criteria?: Criteria;
  /** Variables that its output sets: a field by variable. */
  readonly fills?: Readonly<Record<string, string>>;
  /** Variables that the step sets when it is done. */
  readonly sets: readonly Assignment[];
}

/**
 * A loop over steps of an activity, with its conditions ready to evaluate. Its steps are required in each iteration, as
 * `loop-id@0::step-id`.
 */
export interface PlannedLoop extends Pick<ActivityLoop, 'id' | 'type' | 'over' | 'variable'> {
  readonly steps: readonly PlannedStep[];
  /** The loop continues while this is true. */
  readonly condition?: Condition;
  /** The loop ends once this is true. */
  readonly breakCondition?: Condition;
  readonly maxIterations: number;
}

/** The steps, loops and checkpoints of an activity, with the variables that they read. */
export interface ActivityPlan {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  readonly loops: readonly PlannedLoop[];
  readonly checkpoints: readonly SessionCheckpoint[];
  /** Loops that the activity is part of, and the names under which they give it an item. */
  readonly around?: readonly Pick<PlannedLoop, 'over' | 'variable'>[];
  /** A loop around a step of a step workflow whose list was removed, so that the step has no item. */
  readonly missing?: MissingList;
  /** The variables visible here. In a step workflow they include those of the loops around the step. */
  readonly context: Context;
  /**
   * The activity is entered again in each iteration of a loop of another activity, and the answers of all iterations
   * are kept.
   */
  readonly isRepeated?: true;
  /**
   * The lists of loops as they were before the current call, if the call writes to them. If the call shortens or
   * changes a list, the loop still runs over the earlier one.
   */
  readonly lists?: Context;
  /** Lists of loops that still have the definition's default. A manifest may leave out such a loop as a whole. */
  readonly examples?: readonly string[];
}

/** A possible transition from the current activity. */
export interface CandidateTransition {
  readonly target: string;
  /** Why it is possible, for people: a condition, or `default`. */
  readonly when: string;
  /** The decision or the loop it comes from, as people read it. */
  readonly by?: string;
  /** Whether it is legal now. */
  readonly holds: boolean;
  /** Unset variables that could still make it legal. */
  readonly undecided: readonly string[];
  /** Variables that the transition sets. */
  readonly sets: readonly Assignment[];
  /** Present if it is not a decision or transition of the current activity. */
  readonly from?: TransitionOrigin;
  /** The `maxIterations` of the loop, if only that keeps another iteration from being legal. */
  readonly limit?: number;
  /** The loop that has an iteration left and that keeps the move from being legal, whatever its condition. */
  readonly before?: Pick<TransitionOrigin, 'activity' | 'loop'>;
}

/** The activity that a move belongs to, and the loop over activities that it enters. */
export interface TransitionOrigin {
  readonly activity: string;
  readonly loop?: string;
  /** An iteration of the loop begins. */
  readonly beginsIteration?: true;
}

/** The possible transitions of a session. */
export interface Frontier {
  /** In the order in which they are tried; empty if only the end is left. */
  readonly moves: readonly CandidateTransition[];
  /**
   * The current activity, if it belongs to a loop without iterations left and has no transitions of its own, so that no
   * transition is possible.
   */
  readonly closedAt?: string;
  /** Why the next transition can't be computed, and what helps. */
  readonly obstacle?: string;
  /** Warnings for the caller. */
  readonly remarks: readonly string[];
}

/** The position of a session: everything navigation depends on. */
export interface SessionPosition {
  readonly current: string | undefined;
  /** Activities that were left, each once, in order. */
  readonly completed: readonly string[];
  /** How often each activity was entered. */
  readonly visits: Readonly<Record<string, number>>;
  /** The loops over activities that the session is in; absent before an event recorded them. */
  readonly loops?: readonly RunningLoop[];
  /** Activities that are skipped. */
  readonly skipped: ReadonlySet<string>;
  /** The skipped activities that are entered all the same if none of their transitions is open. */
  readonly needed?: ReadonlySet<string>;
  readonly variables: Context;
  /** Which checkpoints need a person. By default those whose definition says so. */
  readonly gates?: CheckpointPolicy;
}

/** A loop that the session is in and that takes its iterations from a variable. */
export interface OpenLoop {
  readonly loop: string;
  /** The activity that has it; absent in a step workflow. */
  readonly activity?: string;
  /** The variable with its list, or with its number of iterations. */
  readonly over: string;
  readonly kind: 'list' | 'count';
  /** The session variable that holds the item; absent if the item is visible in the loop only. */
  readonly variable?: string;
}

/** A variable a workflow declares. */
export interface DeclaredVariable {
  readonly name: string;
  readonly type: string;
  readonly value?: Json;
  /**
   * Who may set it: `agent`, `checkpoint`, ids of activities and checkpoints. If absent, agents may until an answer
   * sets it.
   */
  readonly setBy?: readonly string[];
  /** The ids in `setBy` that are activities, whose agents may set it. */
  readonly setIn?: readonly string[];
}

/** A mode of working. It is active while its variable is true. */
export interface Mode {
  readonly id: string;
  /** The variable that activates it. */
  readonly variable: string;
  /** The condition that its variable is true. */
  readonly activation: Condition;
  readonly skipActivities: readonly string[];
  /** Values for variables that are not set. */
  readonly defaults: Readonly<Record<string, Json>>;
}

/** Which checkpoints need a person: those whose definition says so, or all. */
export type CheckpointPolicy = 'declared' | 'human';

/** A move that no open transition allows. */
export interface IllegalTransition extends Pick<SessionPosition, 'current' | 'completed'> {
  /** Absent: the end. */
  readonly to: string | undefined;
  /** Activities that the session skips. */
  readonly skipped?: ReadonlySet<string>;
}

/**
 * The differences between the two kinds of workflow: where a session starts, what is legal next, and what an activity
 * contains. Pure; created once for each workflow.
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
  /**
   * The activities at which a session can begin: the first one, and those that no other activity leads to. Absent if the
   * definition says where a session begins.
   */
  readonly entries?: readonly string[];
  /**
   * Returns the full id of an activity from the name a caller uses, or `undefined` if the workflow has none of that
   * name. The reserved words for the end are activities only if the workflow has activities of these names.
   */
  find(name: string, at: SessionPosition): string | undefined;
  /** Why an activity that the workflow should have can't be used. */
  absence(activityId: string): string | undefined;
  /** Returns the possible transitions. */
  ahead(at: SessionPosition): Frontier;
  /** Returns the transitions by which a skipped activity is passed over. */
  past(activityId: string, at: SessionPosition): readonly CandidateTransition[];
  /**
   * Returns what follows an activity whatever agents do in it: an activity, or the end if `target` is absent. Returns
   * `undefined` if loops, or conditions on variables that are not fixed, decide.
   */
  settledNext(
    activityId: string,
    at: Pick<SessionPosition, 'variables'>,
    isFixed: (name: string) => boolean,
  ): { readonly target?: string } | undefined;
  /** Returns the content of an activity. */
  place(activityId: string, at: Pick<SessionPosition, 'variables'>): ActivityPlan;
  /** The checkpoint of an activity that needs a person; under `human`, any. */
  personsCheckpoint(activityId: string, gates: CheckpointPolicy): string | undefined;
  /**
   * Returns whether a session that skips an activity could miss a question to a person, because its loops, actions or
   * answers can lead to one.
   */
  sendsToPerson(activityId: string, gates: CheckpointPolicy): boolean;
  /** Returns the activity with a person's checkpoint that a move without a legal transition could bypass. */
  passedBy(stray: IllegalTransition, gates: CheckpointPolicy): string | undefined;
  /**
   * Returns whether the second activity is the first or can be reached from it. In a step workflow that means the same
   * step in another iteration. With `at`, a session goes from there to the first activity, and only loops with
   * iterations left lead further.
   */
  leadsTo(from: string, to: string, at?: SessionPosition): boolean;
  /**
   * Returns whether a question is certainly asked again, after a move, before the session returns to the activity that
   * its answer opened.
   */
  asksAgain(question: AskedCheckpoint, to: string, opened: string): boolean;
  /**
   * Returns whether the step after a question is still to be done, which only a step workflow can tell. `outer` means
   * that the question is the last step of an iteration, so the step comes after the loop.
   */
  awaits(question: AskedCheckpoint, done: readonly string[]): 'same' | 'outer' | undefined;
  /** Returns the variables that decide whether a session that moves from one activity to another returns to a third. */
  readBeforeReturn(from: string | undefined, to: string, back: string): readonly string[];
  /**
   * Returns the loops over activities that the session is in, the latest iteration last, or `undefined` if the workflow
   * has none.
   */
  loopsAt(at: SessionPosition): readonly RunningLoop[] | undefined;
  /** The loops over activities that the session is in after a legal move. */
  loopsAfter(
    at: SessionPosition,
    to: string,
    move: CandidateTransition | undefined,
  ): readonly RunningLoop[] | undefined;
  /** Returns the loops that the session is in and whose lists an agent can't shorten. */
  openLoops(at: SessionPosition): readonly OpenLoop[];
  /** Returns the variables that entering or leaving an activity sets. */
  sets(activityId: string, moment: 'entry' | 'exit'): readonly Assignment[];
}
