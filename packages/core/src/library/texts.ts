import type { Context } from '@workflowlookup/conditions';
import type {
  ActivityPart,
  ActivityVariable,
  ActivityWorkflow,
  Checkpoint,
  CheckpointOption,
  Json,
  ResourcePart,
  SkillPart,
} from '@workflowlookup/schema';
import { encodeToon, initialActivityOf } from '@workflowlookup/schema';
import type { ArtifactPath } from './fill-variables.ts';
import { fillQuestion } from './fill-variables.ts';

/** Lines ahead of a text, by key, such as the session's token. */
export type Header = Readonly<Record<string, string>>;

/** Texts with a line `---` between them; empty ones are left out. */
export function joinSections(...sections: readonly string[]): string {
  return sections
    .map((section) => section.trimEnd())
    .filter((section) => section !== '')
    .join('\n---\n');
}

/** The summary of a workflow in TOON. */
export function summaryText(workflow: ActivityWorkflow): Promise<string> {
  return toToon(workflowSummary(workflow));
}

/** Returns the whole definition of a workflow: its file if that is TOON, else converted to TOON. */
export function definitionText(workflow: ActivityWorkflow): Promise<string> {
  return inToon(workflow);
}

/** Additions to the text of an activity. */
export interface ActivityExtras {
  /** Ids of the steps that are left to do, in order; of a step in a loop one for each iteration. */
  readonly remaining: readonly string[];
  /** The items of the iterations among them. */
  readonly iterations?: readonly { readonly iteration: string; readonly item: Json }[];
  readonly artifacts?: readonly ArtifactPath[];
}

/** Returns a complete activity, then the remaining steps and the paths of its artifacts. */
export async function activityText(
  part: ActivityPart,
  { remaining, iterations = [], artifacts = [] }: ActivityExtras,
): Promise<string> {
  const extras = {
    remaining,
    ...(iterations.length > 0 && { iterations }),
    ...(artifacts.length > 0 && { artifactPaths: artifacts }),
  };
  return `${(await inToon(part)).trimEnd()}\n${await toToon(extras)}`;
}

/** Returns a skill: its file if that is TOON, else converted to TOON. */
export function skillText(skill: SkillPart): Promise<string> {
  return inToon(skill);
}

/** A skill behind a header. */
export async function skillAnswer(skill: SkillPart, header: Header): Promise<string> {
  return joinSections(await toToon(header), await skillText(skill));
}

/** The skills of a workflow behind a header that names the scope. */
export async function skillsAnswer(skills: readonly SkillPart[], header: Header): Promise<string> {
  const texts = skills.length === 0 ? [await toToon({ skills })] : await Promise.all(skills.map(skillText));
  return joinSections(await toToon({ scope: 'workflow', ...header }), ...texts);
}

/** Returns the text of a resource without front matter, after a header with its id and version. */
export async function resourceText(resource: ResourcePart, header: Header): Promise<string> {
  const { id, version, body } = resource;
  return joinSections(await toToon({ ...header, id, ...(version !== undefined && { version }) }), body);
}

async function inToon(part: {
  readonly format: string;
  readonly text: string;
  readonly definition: object;
}): Promise<string> {
  return part.format === 'toon' ? part.text : toToon(part.definition);
}

/** The summary of an activity before it is entered. */
interface ActivityStub {
  readonly id: string;
  readonly name: string;
  /** Whether it must be visited before the end. */
  readonly required: boolean;
}

/** An activity workflow without the content of its activities. */
export interface ActivityWorkflowSummary {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description?: string;
  readonly rules?: readonly string[];
  readonly variables?: readonly ActivityVariable[];
  readonly initialActivity?: string;
  readonly activities: readonly ActivityStub[];
}

/** The summary of an activity workflow, for whoever leads the work. */
export function workflowSummary(workflow: ActivityWorkflow): ActivityWorkflowSummary {
  const { id, version, title, description, rules, variables } = workflow.definition;
  const initialActivity = initialActivityOf(workflow);
  return {
    id,
    version,
    title,
    ...(description !== undefined && { description }),
    ...(rules !== undefined && { rules }),
    ...(variables !== undefined && { variables }),
    ...(initialActivity !== undefined && { initialActivity }),
    activities: workflow.activities.map((part) => ({
      id: part.id,
      name: part.definition.name,
      required: part.definition.required === true,
    })),
  };
}

/** Returns a checkpoint for display: the whole definition, with the variables filled in. */
export function presentCheckpoint(checkpoint: Checkpoint, variables: Context): Checkpoint {
  const fill = (text: string): string => fillQuestion(text, variables);
  const option = (written: CheckpointOption): CheckpointOption => ({
    ...written,
    label: fill(written.label),
    ...(written.description !== undefined && { description: fill(written.description) }),
  });
  return {
    ...checkpoint,
    name: fill(checkpoint.name),
    message: fill(checkpoint.message),
    options: checkpoint.options.map(option),
  };
}

/** {@link presentCheckpoint} in TOON. */
export function checkpointText(checkpoint: Checkpoint, variables: Context): Promise<string> {
  return toToon(presentCheckpoint(checkpoint, variables));
}

/** Converts a plain object to TOON. JSON's own type is too narrow for our types. */
export function toToon(value: object): Promise<string> {
  return encodeToon(value as Json);
}
