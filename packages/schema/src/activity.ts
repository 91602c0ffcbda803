import type { Json, JsonObject } from './json.ts';
import type { Approver, ConditionSource, Criteria } from './step-workflow.ts';

/** What a step, a checkpoint or a transition does to the variables, writes down or asks to be checked. */
export interface Action {
  readonly action: 'log' | 'validate' | 'set' | 'emit' | 'message';
  /** set, validate: the variable. */
  readonly target?: string;
  /** Text in which `{name}` is a variable. */
  readonly message?: string;
  /** set: what the variable becomes. */
  readonly value?: Json;
  readonly condition?: ConditionSource;
  readonly description?: string;
}

/** Another workflow to start as a child of the session. */
export interface Trigger {
  /** Id of the workflow. */
  readonly workflow: string;
  /** Names of the variables the child starts with. */
  readonly passContext?: readonly string[];
  readonly description?: string;
}

/** One thing for a worker to do in an activity. */
export interface ActivityStep {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The skill that says how: its id, or `workflow/id`. */
  readonly skill?: string;
  /** What the skill is told, by parameter. */
  readonly skill_args?: JsonObject;
  /** Id of the checkpoint of this activity at which the step stops. */
  readonly checkpoint?: string;
  /** False: a manifest may leave the step out. */
  readonly required?: boolean;
  /** Both this and `condition` must hold where both are given. */
  readonly when?: ConditionSource;
  readonly condition?: ConditionSource;
  readonly actions?: readonly Action[];
  readonly triggers?: readonly Trigger[];
  readonly validationCriteria?: Criteria;
}

/** What answering a checkpoint does. */
export interface Effect {
  /** Variables and what they become. */
  readonly setVariable?: JsonObject;
  /** Id of the activity to go to next. */
  readonly transitionTo?: string;
  /** Ids of activities passed over for the rest of the session. */
  readonly skipActivities?: readonly string[];
}

/** One answer to a checkpoint. */
export interface CheckpointOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly effect?: Effect;
}

/** A question at which work stops until it is answered. */
export interface Checkpoint {
  readonly id: string;
  readonly name: string;
  /** The question; `{name}` is a variable. */
  readonly message: string;
  /** The question is asked only where this holds. */
  readonly condition?: ConditionSource;
  readonly options: readonly CheckpointOption[];
  /** Id of the option that the timer takes. */
  readonly defaultOption?: string;
  /** Milliseconds after which `defaultOption` may be taken without an answer. */
  readonly autoAdvanceMs?: number;
  readonly blocking?: boolean;
  readonly approver?: Approver;
}

/** One way out of a decision. */
export interface Branch {
  readonly id: string;
  readonly label: string;
  readonly condition?: ConditionSource;
  /** Id of the activity to go to next. */
  readonly transitionTo?: string;
  readonly isDefault?: boolean;
}

/** A choice the variables make; the first branch whose condition holds is taken, then the default. */
export interface Decision {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly branches: readonly Branch[];
}

/** Steps, or activities, that are repeated. */
export interface ActivityLoop {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly type: 'forEach' | 'while' | 'doWhile';
  /** forEach: name of the variable that holds the item. */
  readonly variable?: string;
  /** forEach: name of the variable that holds the list. */
  readonly over?: string;
  /** while, doWhile: the loop goes on while this holds. */
  readonly condition?: ConditionSource;
  /** Default 100. */
  readonly maxIterations?: number;
  /** Ends the loop once it holds. */
  readonly breakCondition?: ConditionSource;
  readonly steps?: readonly ActivityStep[];
  /** Ids of activities that may be entered again while the loop goes on. */
  readonly activities?: readonly string[];
}

/** A way to another activity: the first whose condition holds is taken, then the default. */
export interface Transition {
  /** Id of an activity, or one of {@link reservedTargets}. */
  readonly to: string;
  readonly condition?: ConditionSource;
  readonly isDefault?: boolean;
}

/** Something an activity leaves behind. */
export interface Artifact {
  readonly id: string;
  /** File name; `{name}` is a variable. */
  readonly name: string;
  /** A name of the workflow's `artifactLocations`. */
  readonly location?: string;
  readonly action?: string;
  readonly description?: string;
}

/** The skills an activity, or a workflow, is worked on with: `[workflow/]id` each. */
export interface SkillNames {
  readonly primary?: string;
  readonly supporting?: readonly string[];
}

/** A node of the graph of an activity workflow, as its author wrote it (docs/authoring.md#activities). */
export interface Activity {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly description?: string;
  readonly problem?: string;
  /** What a user says when this activity is meant. */
  readonly recognition?: readonly string[];
  readonly skills?: SkillNames;
  /** `[workflow/]skill::element` each. */
  readonly operations?: readonly string[];
  readonly steps?: readonly ActivityStep[];
  readonly checkpoints?: readonly Checkpoint[];
  readonly decisions?: readonly Decision[];
  readonly loops?: readonly ActivityLoop[];
  readonly transitions?: readonly Transition[];
  readonly triggers?: readonly Trigger[];
  readonly entryActions?: readonly Action[];
  readonly exitActions?: readonly Action[];
  readonly outcome?: readonly string[];
  readonly context_to_preserve?: readonly string[];
  readonly required?: boolean;
  readonly estimatedTime?: string;
  readonly rules?: readonly string[];
  readonly artifacts?: readonly Artifact[];
}

/** Targets that complete the session, unless an activity of the workflow has that id. */
export const reservedTargets: readonly string[] = ['end', 'end-workflow', 'complete'];
