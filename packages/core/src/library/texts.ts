import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type {
  Activity,
  ActivityLoop,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  ActivityWorkflowDefinition,
  Checkpoint,
  CheckpointOption,
  Effect,
  Json,
} from '@workflowlookup/schema';
import { encodeToon, initialActivityOf, walkActivitySteps, defined } from '@workflowlookup/schema';
import { schemaOfFields } from '@workflowlookup/validation';
import { shownEvidence } from '../evidence/evidence-state.ts';
import { valueTexts } from '../messages/instructions.ts';
import { messages } from '../messages/sessions.ts';
import type { PersonNote } from '../session/session-state.ts';

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
  /** The variables that evidence of steps depends on. */
  readonly context?: Context;
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
    context = {},
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
  return `${(await activityInToon(part, idle, context)).trimEnd()}\n${await toToon(extras)}`;
}

/**
 * Returns an activity with the JSON Schema of an output in place of the fields that the step asks for, and with values in
 * place of the variables in evidence.
 */
async function activityInToon(
  part: ActivityPart,
  idle: ReadonlySet<string>,
  context: Context,
): Promise<string> {
  const definition = idle.size === 0 ? part.definition : withoutSteps(part.definition, idle);
  const isAsWritten = [...walkActivitySteps(definition)].every(
    ({ step: { fields, evidence } }) => fields === undefined && evidence === undefined,
  );
  if (isAsWritten) return idle.size === 0 ? definitionText(part) : toToon(definition);
  const withSteps = (owner: Activity | ActivityLoop): object => ({
    ...owner,
    ...defined({ steps: owner.steps?.map((step) => stepView(step, context)) }),
  });
  return toToon({ ...withSteps(definition), ...defined({ loops: definition.loops?.map(withSteps) }) });
}

/** A session sets the variables itself, so their names are enough. */
function stepView({ fields, ...step }: ActivityStep, context: Context): object {
  const { evidence, sets } = step;
  return {
    ...step,
    ...defined({
      evidence: evidence && shownEvidence(evidence, context),
      outputSchema: fields && schemaOfFields(fields),
      sets: fields && sets && Object.keys(sets),
    }),
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

/** Returns a definition as text: its file if that is TOON, else converted to TOON. */
export async function definitionText(part: {
  readonly format: string;
  readonly text: string;
  readonly definition: object;
}): Promise<string> {
  return part.format === 'toon' ? part.text : toToon(part.definition);
}

/** An activity workflow without the content of its activities. */
interface ActivityWorkflowSummary extends Pick<
  ActivityWorkflowDefinition,
  'id' | 'version' | 'title' | 'description' | 'rules' | 'variables' | 'initialActivity'
> {
  /** `required`: whether it must be visited before the end. */
  readonly activities: readonly { readonly id: string; readonly name: string; readonly required: boolean }[];
}

/** The summary of an activity workflow, for orchestrators. */
export function workflowSummary(workflow: ActivityWorkflow): ActivityWorkflowSummary {
  const { id, version, title, description, rules, variables } = workflow.definition;
  const initialActivity = initialActivityOf(workflow);
  return {
    id,
    version,
    title,
    ...defined({ description, rules, variables, initialActivity }),
    activities: workflow.activities.map((part) => ({
      id: part.id,
      name: part.definition.name,
      required: part.definition.required === true,
    })),
  };
}

/** Returns a checkpoint for display: the whole definition, with the variables filled in. */
export function presentCheckpoint(checkpoint: Checkpoint, variables: Context): Checkpoint {
  const fill = (text: string): string => joined(fillParts(text, variables));
  const title = (text: string): string => joined(fillTitleParts(text, variables));
  const option = (written: CheckpointOption): CheckpointOption => ({
    ...written,
    label: title(written.label),
    ...(written.description !== undefined && { description: fill(written.description) }),
  });
  return {
    ...checkpoint,
    name: title(checkpoint.name),
    message: fill(checkpoint.message),
    options: checkpoint.options.map(option),
  };
}

/** Converts a plain object to TOON. JSON's own type is too narrow for our types. */
export function toToon(value: object): Promise<string> {
  return encodeToon(value as Json);
}

/**
 * Maximum number of characters that values add to one text in total. Without it, a text that names a long value many
 * times could become huge.
 */
const maxInsertedChars = 65_536;

// `{{name}}` belongs to step workflows and stays.
const marker = /(?<!\{)\{([\w.-]+)\}(?!\})/g;

/** A piece of a text: as its author wrote it, or the value of a variable. */
export type TextPart = string | { readonly variable: string; readonly text: string };

/**
 * Replaces `{name}` by the variable of that name, for paths and digests: text as it is, anything else as JSON. Unset
 * variables stay as they are written, and inserted text is never expanded again.
 */
export function fillVariables(text: string, variables: Context): string {
  return replaceNames(
    text,
    filler(variables, (value) => JSON.stringify(value)),
  );
}

/**
 * {@link fillVariables} for readers: lists and objects as text.
 *
 * @see docs/authoring.md#activity-workflows
 */
export function fillText(text: string, variables: Context): string {
  return replaceNames(text, filler(variables, readable));
}

/** The name of a checkpoint: {@link fillText}, with each value on one short line. */
export function fillTitle(text: string, variables: Context): string {
  const fill = filler(variables, readable);
  return replaceNames(text, (name) => {
    const value = fill(name);
    return value === undefined ? undefined : shortLine(value);
  });
}

function replaceNames(text: string, fill: (name: string) => string | undefined): string {
  return text.replace(marker, (written, name: string) => fill(name) ?? written);
}

/** {@link fillParts} for the name of a checkpoint and the labels of its options, with each value on one short line. */
export function fillTitleParts(text: string, variables: Context): readonly TextPart[] {
  return fillParts(text, variables).map((part) =>
    typeof part === 'string' ? part : { ...part, text: shortLine(part.text) },
  );
}

/** Most characters of a value in a title. */
const maxTitleChars = 80;

/** Puts a value on one line, and cuts it at 80 characters. */
export function shortLine(value: string): string {
  const line = value.trim().replaceAll(/\s+/g, ' ');
  if (line.length <= maxTitleChars) return line;
  // No character is cut in two.
  const kept = line.slice(0, maxTitleChars - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}

function joined(parts: readonly TextPart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

/** The text of a question in parts: {@link fillText}, but a variable that is not set is named as such. */
export function fillParts(text: string, variables: Context): readonly TextPart[] {
  const fill = filler(variables, readable);
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: written, 1: variable = '', index } of text.matchAll(marker)) {
    const inserted = fill(variable);
    const value = inserted === undefined ? valueTexts.unset(variable) : { variable, text: inserted };
    parts.push(text.slice(from, index), value);
    from = index + written.length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

/** Returns a function that returns the text of a variable, or a note once the texts are too long together. */
function filler(variables: Context, write: (value: unknown) => string): (name: string) => string | undefined {
  let left = maxInsertedChars;
  return (name) => {
    const value = lookUp(variables, name);
    if (value === undefined || value === null) return undefined;
    const inserted = typeof value === 'string' ? value : write(value);
    if (inserted.length > left) return valueTexts.tooLong(name);
    left -= inserted.length;
    return inserted;
  };
}

/**
 * Writes a value for a reader: `a, b`, `(1) A sentence. (2) Another one.` or `file: x.ts, line: 3`. A text that could be
 * taken for another value, such as an item with a comma, makes it use the longer form, and at last JSON.
 */
function readable(value: unknown): string {
  if (Array.isArray(value)) return readableList(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  const isSimple = entries.every(([key, one]) => isPlain(key) && isPlain(one));
  return entries.length > 0 && isSimple
    ? entries.map(([key, one]) => `${key}: ${String(one)}`).join(', ')
    : JSON.stringify(value);
}

function readableList(list: readonly unknown[]): string {
  if (list.length === 0) return 'none';
  if (list.every((item) => isPlain(item))) return list.map(String).join(', ');
  const items = list.map((item) => (typeof item === 'string' ? item : readable(item)));
  return items.some((item) => /\(\d+\)|[\r\n]/.test(item))
    ? JSON.stringify(list)
    : items.map((item, at) => `(${at + 1}) ${item}`).join(' ');
}

/** Returns whether a value can stand between commas. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string')
    return value.trim() !== '' && value.length <= 60 && !/[,;:()\r\n]/.test(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** The names of the variables that {@link fillVariables} looks for in a text. */
export function namesInText(text: string): readonly string[] {
  return Array.from(text.matchAll(marker), ([, name = '']) => name);
}

/** A file that an activity creates, and its path. */
interface ArtifactPath {
  readonly id: string;
  /** Location, then the number of the activity's file before the name, with the variables in them. */
  readonly path: string;
}

/** Returns the artifacts of an activity of this workflow. An undeclared location is left out of the path. */
export function artifactPaths(
  { definition: { artifactLocations = {} } }: ActivityWorkflow,
  { definition: { artifacts = [] }, index }: ActivityPart,
  variables: Context,
): readonly ArtifactPath[] {
  const folderOf = (location: string | undefined): string => {
    if (location === undefined || !Object.hasOwn(artifactLocations, location)) return '';
    const declared = artifactLocations[location] ?? '';
    return `${typeof declared === 'string' ? declared : declared.path}/`;
  };
  return artifacts.map(({ id, name, location }) => ({
    id,
    path: fillVariables(`${folderOf(location)}${index}-${name}`, variables),
  }));
}
