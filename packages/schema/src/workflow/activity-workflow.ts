import type { Issue } from '../findings/finding.ts';
import type { Json, JsonObject } from '../json.ts';
import type { FieldsOfStep, Evidence } from './outputs.ts';
import type {
  Enforcement,
  SessionTexts,
  VariableDeclaration,
  Approver,
  ConditionSource,
  Criteria,
} from './step-workflow.ts';

/** A variable of an activity workflow. */
export interface ActivityVariable extends Omit<VariableDeclaration, 'default'> {
  /** The value at the start of a session. */
  readonly defaultValue?: Json;
}

/** An alternative way to run the workflow, active while its variable is true. */
export interface Mode {
  readonly id: string;
  readonly name: string;
  readonly activationVariable: string;
  readonly description?: string;
  readonly recognition?: readonly string[];
  /** Ids of activities to skip while the mode is active. */
  readonly skipActivities?: readonly string[];
  /** Values for variables that are still unset when the mode is activated. */
  readonly defaults?: JsonObject;
  /** A reference for {@link findResource}. */
  readonly resource?: string;
}

/** A folder for artifacts: a path with variables as `{name}`, alone or with more details. */
export type ArtifactLocation =
  | string
  | { readonly path: string; readonly description?: string; readonly gitignored?: boolean };

/** The workflow file of an activity workflow (docs/authoring.md#activity-workflows). */
export interface ActivityWorkflowDefinition extends SessionTexts {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description?: string;
  readonly author?: string;
  readonly tags?: readonly string[];
  readonly rules?: readonly string[];
  readonly variables?: readonly ActivityVariable[];
  readonly modes?: readonly Mode[];
  readonly artifactLocations?: { readonly [name: string]: ArtifactLocation };
  readonly skills?: SkillNames;
  /** Each is `[workflow/]skill::element`. */
  readonly operations?: readonly string[];
  /** Operations for every orchestrator, worker and agent that works alone, read from the `meta` workflow. */
  readonly operationsFor?: {
    readonly orchestrator?: readonly string[];
    readonly worker?: readonly string[];
    readonly solo?: readonly string[];
  };
  /** Default: the first activity. */
  readonly initialActivity?: string;
  /** Files of this workflow or of another (`workflow/activities/file`), or inline activities. */
  readonly activities?: readonly (string | Activity)[];
  readonly enforcement?: Enforcement;
}

/** The notation of a part. */
export type PartFormat = 'json' | 'md' | 'toon' | 'yaml';

/** The common properties of all parts of an activity workflow. */
export interface PartBase {
  readonly id: string;
  /**
   * The number at the start of the file name, such as `03`. It determines the order and the prefix of artifacts. Inline
   * activities count from `01`.
   */
  readonly index: string;
  /** Path in the folder of the workflow; for a borrowed part `workflow/path`. */
  readonly file: string;
  readonly format: PartFormat;
  /** The text of the file; for an inline activity the activity as JSON. */
  readonly text: string;
}

/** An activity and its source. */
export interface ActivityPart extends PartBase {
  readonly definition: Activity;
  /** JSON pointer of the activity in its file: `''` unless it is inline. */
  readonly pointer: string;
  /** Id of the workflow from which it is borrowed. References in the activity are looked up there first. */
  readonly lender?: string;
}

/** A skill and its source. */
export interface SkillPart extends PartBase {
  readonly definition: Skill;
}

/** A resource and its source. */
export interface ResourcePart extends PartBase {
  /** The file name without its number and extension. */
  readonly name: string;
  readonly version?: string;
  /** The text without its front matter. */
  readonly body: string;
  /** The value of a file in JSON, YAML or TOON. */
  readonly value?: Json;
}

/** A part that can't be used. The workflow is served without it. */
export interface BrokenPart {
  readonly kind: 'activity' | 'resource' | 'skill';
  /** The id in the text, or else the one in the file name. */
  readonly id: string;
  readonly file: string;
  /** The reasons, in the order of the text. */
  readonly issues: readonly Issue[];
}

/** An activity workflow with its skills and resources, after reading and checking. It never changes. */
export interface ActivityWorkflow {
  readonly kind: 'activities';
  readonly id: string;
  /**
   * `sha256:` and 64 hex digits over the canonical JSON of the parts. It doesn't depend on the notation of the files.
   */
  readonly digest: string;
  readonly definition: ActivityWorkflowDefinition;
  /** The text of the workflow file. */
  readonly text: string;
  readonly format: PartFormat;
  /** Ordered by number. Activities that the workflow file lists come last, in the order of the list. */
  readonly activities: readonly ActivityPart[];
  /** Ordered by number. */
  readonly skills: readonly SkillPart[];
  /** Ordered by number. */
  readonly resources: readonly ResourcePart[];
  readonly problems: readonly BrokenPart[];
}

/** Returns the activity with which a session starts, or `undefined` if every activity is broken. */
export function initialActivityOf({ definition, activities }: ActivityWorkflow): string | undefined {
  return definition.initialActivity ?? activities[0]?.id;
}

/** A short linear procedure of a skill, referred to as `skill::operation`. */
export interface Operation {
  readonly description: string;
  /** Inputs and outputs: lists of `{name: meaning}`, or an object of these. */
  readonly inputs?: Json;
  readonly output?: Json;
  readonly procedure?: readonly string[];
  /** Names of the tools used, by server or kind. */
  readonly tools?: JsonObject;
  /** References for {@link findResource}. */
  readonly resources?: readonly string[];
  /** Possible errors by name, usually `{cause, recovery}`. */
  readonly errors?: JsonObject;
  readonly rules?: JsonObject;
  readonly prose?: string;
  readonly note?: string;
}

/** A collection of operations, rules and errors (docs/authoring.md#skills). */
export interface Skill {
  readonly id: string;
  readonly version: string;
  readonly capability: string;
  readonly description?: string;
  /** Rules by name, each a text or a list of texts. */
  readonly rules?: JsonObject;
  /** Possible errors by name, usually `{cause, recovery}`. */
  readonly errors?: JsonObject;
  /** References for {@link findResource}. */
  readonly resources?: readonly string[];
  readonly operations?: { readonly [name: string]: Operation };
  readonly inputs?: Json;
  /** Instructions by phase. */
  readonly protocol?: JsonObject;
  readonly output?: Json;
}

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
