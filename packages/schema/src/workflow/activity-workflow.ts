import type { Issue } from '../findings/finding.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Activity, SkillNames } from './activity.ts';
import type { Enforcement, SessionTexts, VariableSetters, VariableType } from './step-workflow.ts';

/** A variable of an activity workflow. */
export interface ActivityVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly description?: string;
  /** The value at the start of a session. */
  readonly defaultValue?: Json;
  readonly required?: boolean;
  readonly set_by?: VariableSetters;
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
