import type { Activity, SkillNames } from './activity.ts';
import type { Issue } from './issue.ts';
import type { Json, JsonObject } from './json.ts';
import type { Skill } from './skill.ts';
import type { Enforcement, VariableSetters, VariableType } from './step-workflow.ts';

/** A variable an activity workflow uses. */
export interface ActivityVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly description?: string;
  /** What the variable is when a session starts. */
  readonly defaultValue?: Json;
  readonly required?: boolean;
  readonly set_by?: VariableSetters;
}

/** A way to run the workflow, active while its variable is true. */
export interface Mode {
  readonly id: string;
  readonly name: string;
  readonly activationVariable: string;
  readonly description?: string;
  readonly recognition?: readonly string[];
  /** Ids of activities passed over while the mode is active. */
  readonly skipActivities?: readonly string[];
  /** What variables nobody set become when the mode is activated. */
  readonly defaults?: JsonObject;
  /** Reference as {@link findResource} takes it. */
  readonly resource?: string;
}

/** Where artifacts go: a path in which `{name}` is a variable, alone or with more about it. */
export type ArtifactLocation =
  | string
  | { readonly path: string; readonly description?: string; readonly gitignored?: boolean };

/** The workflow file of an activity workflow as its author wrote it (docs/authoring.md#activity-workflows). */
export interface ActivityWorkflowDefinition {
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
  /** `[workflow/]skill::element` each. */
  readonly operations?: readonly string[];
  /** Operations every orchestrator and every worker gets; read from the `meta` workflow. */
  readonly operationsFor?: { readonly orchestrator?: readonly string[]; readonly worker?: readonly string[] };
  /** Default: the first activity. */
  readonly initialActivity?: string;
  /** Files of this workflow or of another (`workflow/activities/file`), or whole activities. */
  readonly activities?: readonly (string | Activity)[];
  readonly enforcement?: Enforcement;
}

/** How the text of a part is written. */
export type PartFormat = 'json' | 'md' | 'toon' | 'yaml';

/** What every part of an activity workflow has. */
export interface PartBase {
  readonly id: string;
  /** The number before the file name, such as `03`: order, and prefix of artifacts. Inline activities count from `01`. */
  readonly index: string;
  /** Path in the folder of the workflow; of a borrowed part `lender/path`. */
  readonly file: string;
  readonly format: PartFormat;
  /** The file as it was read; of an inline activity the activity as JSON. */
  readonly text: string;
}

/** An activity and where it comes from. */
export interface ActivityPart extends PartBase {
  readonly definition: Activity;
  /** JSON pointer of the activity in its file: `''`, or the place of an inline one. */
  readonly pointer: string;
  /** Id of the workflow it is borrowed from; its skills and resources are looked for there first. */
  readonly lender?: string;
}

/** A skill and where it comes from. */
export interface SkillPart extends PartBase {
  readonly definition: Skill;
}

/** A resource and where it comes from. */
export interface ResourcePart extends PartBase {
  /** File name without number and extension. */
  readonly name: string;
  readonly version?: string;
  /** The text without its front matter. */
  readonly body: string;
  /** What a file in JSON, YAML or TOON says. */
  readonly value?: Json;
}

/** A part that could not be used; the workflow is served without it. */
export interface BrokenPart {
  readonly kind: 'activity' | 'resource' | 'skill';
  /** The id its text or, failing that, its file name gives it. */
  readonly id: string;
  readonly file: string;
  /** Why, in the order of the text. */
  readonly issues: readonly Issue[];
}

/** A graph of activities with its skills and resources, read, checked and pinned. Never changed once made. */
export interface ActivityWorkflow {
  readonly kind: 'activities';
  readonly id: string;
  /** `sha256:` and 64 hex digits over the canonical JSON of what the parts say, whatever notation they are written in. */
  readonly digest: string;
  readonly definition: ActivityWorkflowDefinition;
  /** The workflow file as it was read. */
  readonly text: string;
  readonly format: PartFormat;
  /** By number; where the workflow file lists activities, those it lists come last, in its order. */
  readonly activities: readonly ActivityPart[];
  /** By number. */
  readonly skills: readonly SkillPart[];
  /** By number. */
  readonly resources: readonly ResourcePart[];
  readonly problems: readonly BrokenPart[];
}

/** The activity a session starts with; `undefined` when every activity is broken. */
export function initialActivityOf({ definition, activities }: ActivityWorkflow): string | undefined {
  return definition.initialActivity ?? activities[0]?.id;
}
