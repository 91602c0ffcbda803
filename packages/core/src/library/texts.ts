import type { Context } from '@workflowlookup/conditions';
import type {
  Activity,
  ActivityPart,
  ActivityStep,
  ActivityVariable,
  ActivityWorkflow,
  Checkpoint,
  CheckpointOption,
  Effect,
  Json,
  SkillPart,
} from '@workflowlookup/schema';
import { encodeToon, initialActivityOf, walkActivitySteps } from '@workflowlookup/schema';
import { schemaOfFields } from '@workflowlookup/validation';
import type { ArtifactPath } from './fill-variables.ts';
import { fillQuestion } from './fill-variables.ts';
import { messages } from '../messages/sessions.ts';
import type { PersonNote } from '../session/person-notes.ts';

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

/** A step that is done because its checkpoint was answered. */
export interface AnsweredView {
  readonly step: string;
  readonly checkpoint: string;
  /** The option. */
  readonly answer: string;
  readonly label?: string;
  readonly answered_by?: string;
  readonly person?: string;
  /** The words of the person who answered. */
  readonly note?: string;
  /** What the answer set and opened. */
  readonly effect?: Effect;
}

/** Additions to the text of an activity. */
export interface ActivityExtras {
  /** Ids of the steps that are left to do, in order; of a step in a loop one for each iteration. */
  readonly remaining: readonly string[];
  /** The steps that are done because their checkpoint was answered. */
  readonly answered?: readonly AnsweredView[];
  /** What persons wrote with their answers. */
  readonly notes?: readonly PersonNote[];
  /** Who decides at each checkpoint that is still to be answered, by its id. */
  readonly answeredBy?: Readonly<Record<string, string>>;
  /** Ids of steps that are not described, because their conditions are false and stay so. */
  readonly idle?: ReadonlySet<string>;
  /** The items of the iterations among them. */
  readonly iterations?: readonly { readonly iteration: string; readonly item: Json }[];
  readonly artifacts?: readonly ArtifactPath[];
}

/** Returns a complete activity, then the remaining steps and the paths of its artifacts. */
export async function activityText(
  part: ActivityPart,
  {
    remaining,
    answered = [],
    answeredBy = {},
    notes = [],
    idle = new Set(),
    iterations = [],
    artifacts = [],
  }: ActivityExtras,
): Promise<string> {
  const extras = {
    remaining,
    ...(Object.keys(answeredBy).length > 0 && { answered_by: answeredBy }),
    ...(answered.length > 0 && { answered, note: messages.answeredInManifest() }),
    ...(notes.length > 0 && { personNotes: notes }),
    ...(iterations.length > 0 && { iterations }),
    ...(artifacts.length > 0 && { artifactPaths: artifacts }),
  };
  return `${(await activityInToon(part, idle)).trimEnd()}\n${await toToon(extras)}`;
}

/** Returns an activity with the JSON Schema of an output in place of the fields that the step asks for. */
async function activityInToon(part: ActivityPart, idle: ReadonlySet<string>): Promise<string> {
  const definition = idle.size === 0 ? part.definition : withoutSteps(part.definition, idle);
  const isPlain = [...walkActivitySteps(definition)].every(({ step }) => step.fields === undefined);
  if (isPlain) return idle.size === 0 ? inToon(part) : toToon(definition);
  const { steps, loops } = definition;
  return toToon({
    ...definition,
    ...(steps !== undefined && { steps: steps.map(stepView) }),
    ...(loops !== undefined && {
      loops: loops.map((loop) => ({
        ...loop,
        ...(loop.steps !== undefined && { steps: loop.steps.map(stepView) }),
      })),
    }),
  });
}

/** A session sets the variables itself, so their names are enough. */
function stepView({ fields, sets, ...step }: ActivityStep): object {
  if (fields === undefined) return step;
  return {
    ...step,
    outputSchema: schemaOfFields(fields),
    ...(sets !== undefined && { sets: Object.keys(sets) }),
  };
}

/** Returns an activity without some of its steps, and without the checkpoints that only they stop at. */
function withoutSteps(activity: Activity, idle: ReadonlySet<string>): Activity {
  const { steps = [], checkpoints = [], loops = [] } = activity;
  const kept = steps.filter(({ id }) => !idle.has(id));
  const stops = (list: readonly ActivityStep[]): readonly (string | undefined)[] =>
    list.map(({ checkpoint }) => checkpoint);
  const used = new Set([...stops(kept), ...loops.flatMap((loop) => stops(loop.steps ?? []))]);
  const unused = new Set(stops(steps).filter((id) => !used.has(id)));
  return {
    ...activity,
    steps: kept,
    ...(checkpoints.length > 0 && { checkpoints: checkpoints.filter(({ id }) => !unused.has(id)) }),
  };
}

/** Returns a skill: its file if that is TOON, else converted to TOON. */
export function skillText(skill: SkillPart): Promise<string> {
  return inToon(skill);
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

/** Converts a plain object to TOON. JSON's own type is too narrow for our types. */
export function toToon(value: object): Promise<string> {
  return encodeToon(value as Json);
}
