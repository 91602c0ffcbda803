import type { Json, JsonObject } from '../json.ts';
import type { FieldsOfStep } from './fields.ts';
import type { Evidence } from './evidence.ts';
import type { Approver, ConditionSource, Criteria } from './step-workflow.ts';

/**
 * An action of a step or an activity: it sets a variable, writes to the log, sends a message or requests a validation.
 */
export interface Action {
  readonly action: 'log' | 'validate' | 'set' | 'emit' | 'message';
  /** For set and validate: the variable. */
  readonly target?: string;
  /** A text with variables as `{name}`. */
  readonly message?: string;
  /** For set: the new value. */
  readonly value?: Json;
  readonly condition?: ConditionSource;
  readonly description?: string;
}

/** Another workflow to start as a child session. */
export interface Trigger {
  /** Id of the workflow. */
  readonly workflow: string;
  /** Names of the variables to pass to the child session. */
  readonly passContext?: readonly string[];
  readonly description?: string;
}

/** One step for a worker in an activity. */
export interface ActivityStep extends FieldsOfStep {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The skill to use: its id, or `workflow/id`. */
  readonly skill?: string;
  /** Arguments for the skill, by parameter. */
  readonly skill_args?: JsonObject;
  /** Id of the checkpoint of this activity that must be answered at this step. */
  readonly checkpoint?: string;
  /** If false, a manifest may leave the step out. */
  readonly required?: boolean;
  /** If true, an agent that can't do the step may report it as `not_done`. */
  readonly may_be_missing?: boolean;
  /** If both this and `condition` are given, both must be true. */
  readonly when?: ConditionSource;
  readonly condition?: ConditionSource;
  readonly actions?: readonly Action[];
  readonly triggers?: readonly Trigger[];
  readonly validationCriteria?: Criteria;
  /** What proves that the step was done. */
  readonly evidence?: readonly Evidence[];
}

/** The effect of answering a checkpoint. */
export interface Effect {
  /** New values by variable. */
  readonly setVariable?: JsonObject;
  /** Id of the next activity. */
  readonly transitionTo?: string;
  /** Ids of activities to skip for the rest of the session. */
  readonly skipActivities?: readonly string[];
}

/** One possible answer to a checkpoint. */
export interface CheckpointOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly effect?: Effect;
  /** Whoever chooses the option must write a note with the answer. */
  readonly note?: 'required';
  /** The option can't be undone, so people confirm it. */
  readonly irreversible?: boolean;
}

/** A question that must be answered before work continues. */
export interface Checkpoint {
  readonly id: string;
  readonly name: string;
  /** The question, with variables as `{name}`. */
  readonly message: string;
  /** The question is only asked if this is true. */
  readonly condition?: ConditionSource;
  readonly options: readonly CheckpointOption[];
  /** Id of the option to use when the timer expires. */
  readonly defaultOption?: string;
  /** Milliseconds after which `defaultOption` may be used without an answer. */
  readonly autoAdvanceMs?: number;
  readonly blocking?: boolean;
  readonly approver?: Approver;
  /** If true, a session with the autonomy `reversible` takes `defaultOption` without asking. */
  readonly reversible?: boolean;
}

/** One branch of a decision. */
export interface Branch {
  readonly id: string;
  readonly label: string;
  readonly condition?: ConditionSource;
  /** Id of the next activity. */
  readonly transitionTo?: string;
  readonly isDefault?: boolean;
}

/** A decision by variables: the first branch whose condition is true is taken, or else the default. */
export interface Decision {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly branches: readonly Branch[];
}

/** Repeated steps or activities. */
export interface ActivityLoop {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly type: 'forEach' | 'while' | 'doWhile';
  /** For forEach: name of the variable for the item. */
  readonly variable?: string;
  /** For forEach: name of the variable with the list. */
  readonly over?: string;
  /** For while and doWhile: the loop continues while this is true. */
  readonly condition?: ConditionSource;
  /** Default 100. */
  readonly maxIterations?: number;
  /** Ends the loop as soon as it is true. */
  readonly breakCondition?: ConditionSource;
  readonly steps?: readonly ActivityStep[];
  /** Ids of activities that may be entered again while the loop runs. */
  readonly activities?: readonly string[];
}

/** A transition to another activity: the first one whose condition is true is taken, or else the default. */
export interface Transition {
  /** Id of an activity, or one of {@link reservedTargets}. */
  readonly to: string;
  readonly condition?: ConditionSource;
  readonly isDefault?: boolean;
}

/** A file that an activity produces. */
export interface Artifact {
  readonly id: string;
  /** File name, with variables as `{name}`. */
  readonly name: string;
  /** A key of the workflow's `artifactLocations`. */
  readonly location?: string;
  readonly action?: string;
  readonly description?: string;
}

/** The skills for an activity or a workflow, each as `[workflow/]id`. */
export interface SkillNames {
  readonly primary?: string;
  readonly supporting?: readonly string[];
}

/** An activity: a node in the graph of an activity workflow (docs/authoring.md#activities). */
export interface Activity {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly description?: string;
  readonly problem?: string;
  /** Phrases with which a user asks for this activity. */
  readonly recognition?: readonly string[];
  readonly skills?: SkillNames;
  /** Each is `[workflow/]skill::element`. */
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
  /** What an agent may do in this activity besides reading; by default everything. Hooks in its client enforce it. */
  readonly allows?: readonly ('edit' | 'shell' | 'network')[];
  readonly artifacts?: readonly Artifact[];
}

/** Targets that complete the session, unless the workflow has an activity with that id. */
export const reservedTargets: readonly string[] = ['end', 'end-workflow', 'complete'];
