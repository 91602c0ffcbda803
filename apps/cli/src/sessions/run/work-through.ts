import type { Question, Task, TaskStep, TaskVariable } from '@workflowlookup/core/operator';
import type { ManifestEntry } from '@workflowlookup/core/sessions';
import { markedCheckpoint } from '@workflowlookup/core/sessions';
import type { Host } from '@workflowlookup/host';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError, defined, isJsonObject, parseJson } from '@workflowlookup/schema';
import { optionMessages } from '../../messages/common.ts';
import { runMessages } from '../../messages/sessions.ts';
import { plainLine, plainLines } from '../../terminal/plain-text.ts';
import type { Terminal } from '../../terminal/terminal.ts';

export interface RequiredStep {
  readonly task: Task;
  readonly step: TaskStep;
  /** An earlier draft of the output. */
  readonly draft?: string;
  /** Why that draft was refused. */
  readonly issues?: readonly string[];
}

export interface Work {
  readonly output: string;
  readonly variables?: Readonly<Record<string, Json>> | undefined;
  /** The step that was done, if it is not the required one: an optional step. */
  readonly step?: string | undefined;
  /** The activity to enter, if several transitions are open. */
  readonly activity?: string | undefined;
  /** Whether to submit the output although its criteria refuse it, which an advisory session allows. */
  readonly isForced?: true;
}

/** The answer to a checkpoint, with a note for the agent. */
export interface GivenAnswer {
  readonly option: string;
  readonly note?: string | undefined;
}

/** The source of the work: a person at a terminal, or prepared lines. `undefined` means that the work stops here. */
export interface Guide {
  /** Whether to ask again after a refusal: whether a person does the work. */
  readonly mayTryAgain: boolean;
  work(required: RequiredStep): Promise<Work | undefined>;
  answer(question: Question): Promise<GivenAnswer | undefined>;
  chooseActivity(task: Task, activities: readonly string[]): Promise<string | undefined>;
  close?(): Promise<void>;
}

/**
 * Reads the value of a variable that a person typed: a string as it is, anything else as JSON.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export function readVariable({ name, type }: Pick<TaskVariable, 'name' | 'type'>, typed: string): Json {
  if (type === 'string') return typed;
  const value = parseJson(typed);
  const found = Array.isArray(value) ? 'array' : typeof value;
  if (value !== undefined && (value === null || found === type)) return value;
  throw new WorkflowError('INVALID_INPUT', optionMessages.variable(name, type, examples[type] ?? '{}'));
}

const examples: Readonly<Record<string, string>> = {
  array: '["a", "b"]',
  boolean: 'true',
  number: '3',
  object: '{"a": 1}',
};

interface WorkContext {
  readonly host: Pick<Host, 'sessions' | 'operator'>;
  readonly guide: Guide;
  readonly sid: string;
  readonly resumeCommand: string;
  report(event: ProgressEvent): Promise<void>;
}

/** How the work ended: the session is complete, the person stopped, or a refusal could not be corrected. */
type WorkEnd = 'completed' | 'left' | 'refused';

interface Progress {
  token: string;
  /** The accepted outputs, by step id. */
  readonly outputs: Map<string, string>;
  /** Outputs to revise. */
  readonly drafts: Map<string, string>;
  variables: Record<string, Json>;
  activity?: string;
}

/**
 * Works through a session from its current state: shows each step, checks its output, answers checkpoints and moves
 * on, with the calls that an agent would make. Checkpoints are answered as by a person.
 */
export async function workThrough(
  context: WorkContext,
  { token, variables }: { readonly token: string; readonly variables: Readonly<Record<string, Json>> },
): Promise<WorkEnd> {
  let progress: Progress = startProgress(token, { ...variables });
  for (;;) {
    const task = await context.host.operator.task(context.sid);
    if (task.status === 'completed') return end(context, task, []);
    const outcome =
      task.status === 'blocked'
        ? await answerCheckpoint(context, progress)
        : await proceed(context, task, progress);
    if (outcome === 'completed') return outcome;
    if (outcome === 'left' || outcome === 'refused') {
      const { sid, resumeCommand: resume } = context;
      await context.report({ event: 'left', sid, ...defined({ at: task.activity?.id }), resume });
      return outcome;
    }
    if (outcome !== 'on') progress = outcome;
  }
}

function startProgress(
  token: string,
  variables: Progress['variables'],
  drafts: Progress['drafts'] = new Map(),
): Progress {
  return { token, outputs: new Map(), drafts, variables };
}

/** `on` means that the session is still in the same activity and has more to do there. */
type Outcome = Progress | 'completed' | 'left' | 'on' | 'refused';

async function proceed(context: WorkContext, task: Task, progress: Progress): Promise<Outcome> {
  if (task.activity === undefined) return leaveActivity(context, task, progress);
  const step = task.steps.find(({ isDue, id }) => isDue && !progress.outputs.has(id));
  if (step !== undefined) return workOnStep(context, { task, step }, progress);
  const stopped = task.steps.find(
    ({ id, checkpoint }) => checkpoint !== undefined && progress.outputs.has(id),
  );
  const checkpoint = stopped?.checkpoint ?? task.checkpoints[0];
  return checkpoint === undefined
    ? leaveActivity(context, task, progress)
    : yieldCheckpoint(context, { checkpoint, step: stopped }, progress);
}

/** Takes the output of a step until it is accepted. */
async function workOnStep(
  context: WorkContext,
  { task, step }: { readonly task: Task; readonly step: TaskStep },
  progress: Progress,
): Promise<Outcome> {
  const { host, guide, sid, report } = context;
  const { activity = { id: '', name: '' } } = task;
  // The unset variables that decide which transition is open.
  const undecided = task.next.flatMap((call) => (call.kind === 'move' ? (call.undecided ?? []) : []));
  await report({ event: 'step', activity, step, undecided });
  let draft = progress.drafts.get(step.id);
  let issues: readonly string[] | undefined;
  for (;;) {
    const done = await guide.work({ task, step, ...defined({ draft, issues }) });
    if (done === undefined) return 'left';
    const { output, step: named = step.id, variables = {} } = done;
    Object.assign(progress.variables, variables);
    const verdict = await host.operator.judge(sid, { step: named, output, variables: progress.variables });
    if (verdict.valid || done.isForced === true)
      return acceptOutput(context, { task, done, named }, progress);
    await report({ event: 'refused', step: named, issues: verdict.issues, suggestions: verdict.suggestions });
    if (!guide.mayTryAgain) return 'refused';
    ({ issues } = verdict);
    draft = output;
  }
}

/** Stores an accepted output, and yields the checkpoint of its step. */
async function acceptOutput(
  context: WorkContext,
  { task, done, named }: { readonly task: Task; readonly done: Work; readonly named: string },
  progress: Progress,
): Promise<Outcome> {
  progress.outputs.set(named, done.output);
  progress.drafts.set(named, done.output);
  if (done.activity !== undefined) progress.activity = done.activity;
  const step = task.steps.find(({ id }) => id === named);
  return step?.checkpoint === undefined
    ? 'on'
    : yieldCheckpoint(context, { checkpoint: step.checkpoint, step }, progress);
}

/** Yields a checkpoint and answers it. If the answer sends the step back, the step is done again. */
async function yieldCheckpoint(
  context: WorkContext,
  { checkpoint, step }: { readonly checkpoint: string; readonly step: TaskStep | undefined },
  progress: Progress,
): Promise<Outcome> {
  const { host, sid } = context;
  progress.token = (await host.sessions.yield(progress.token, checkpoint)).token;
  const outcome = await answerCheckpoint(context, progress);
  if (outcome !== 'on' || step === undefined) return outcome;
  const after = await host.operator.task(sid);
  const isSentBack = after.steps.some((one) => one.id === step.id && one.checkpoint === checkpoint);
  if (isSentBack) progress.outputs.delete(step.id);
  return 'on';
}

async function answerCheckpoint(
  { host, guide, sid, report }: WorkContext,
  progress: Progress,
): Promise<Outcome> {
  const question = await host.operator.present(sid);
  const { checkpoint: asked, parts, values } = question;
  await report({ event: 'checkpoint', checkpoint: asked, parts, values });
  const given = await guide.answer(question);
  if (given === undefined) return 'left';
  const { option, note } = given;
  const { checkpoint } = await host.operator.respond(sid, {
    mode: { kind: 'option', option },
    revision: question.revision,
    ...defined({ note }),
  });
  await report({ event: 'answered', checkpoint, option });
  progress.token = (await host.sessions.resume(progress.token)).token;
  return 'on';
}

/** Submits the manifest and enters the next activity. */
async function leaveActivity(context: WorkContext, task: Task, progress: Progress): Promise<Outcome> {
  const { host, guide, report } = context;
  // Variables submitted with the move may open other transitions. Then the server takes the first legal one.
  const isKnown = Object.keys(progress.variables).length === 0;
  const open = task.next.flatMap((call) => (call.kind === 'move' ? (call.activity ?? []) : []));
  const activities = isKnown ? open : [];
  const activityId =
    progress.activity ?? (activities.length > 1 ? await guide.chooseActivity(task, activities) : undefined);
  if (activityId === undefined && activities.length > 1 && guide.mayTryAgain) return 'left';
  const manifest = manifestOf(task, progress.outputs);
  try {
    const { value, token, warnings } = await host.sessions.move(progress.token, {
      manifest,
      variables: progress.variables,
      ...defined({ activityId }),
    });
    if (value.status === 'completed') return await end(context, task, warnings);
    await report({ event: 'entered', activity: value.activity, warnings });
    return startProgress(token, {});
  } catch (error) {
    if (!(error instanceof WorkflowError && refusals.has(error.code))) throw error;
    await report({ event: 'refused', issues: [error.message], suggestions: [] });
    if (!guide.mayTryAgain) return 'refused';
    return startProgress(progress.token, progress.variables, progress.drafts);
  }
}

/** Lists the outputs in the order of the activity; outputs of unlisted steps come last. */
function manifestOf({ steps }: Task, outputs: ReadonlyMap<string, string>): readonly ManifestEntry[] {
  const listed = steps.flatMap(({ id }) => (outputs.has(id) ? [id] : []));
  const ids = new Set([...listed, ...outputs.keys()]);
  return [...ids].map((id) => ({ step_id: id, output: outputs.get(id) ?? '' }));
}

const refusals: ReadonlySet<string> = new Set([
  'ACTIVITY_NOT_FOUND',
  'CHECKPOINT_OPEN',
  'ILLEGAL_TRANSITION',
  'INVALID_INPUT',
  'MANIFEST_INVALID',
  'INVALID_STATE',
]);

async function end(
  { report, sid }: WorkContext,
  { outcome }: Task,
  warnings: readonly string[],
): Promise<'completed'> {
  await report({ event: 'completed', sid, ...defined({ outcome }), warnings });
  return 'completed';
}

export type ProgressEvent =
  | { readonly event: 'started' | 'resumed'; readonly sid: string; readonly workflow: Task['workflow'] }
  | {
      readonly event: 'step';
      readonly activity: NonNullable<Task['activity']>;
      readonly step: TaskStep;
      readonly undecided: readonly string[];
    }
  | {
      readonly event: 'refused';
      readonly step?: string;
      readonly issues: readonly string[];
      readonly suggestions: readonly string[];
    }
  | ({ readonly event: 'checkpoint' } & Pick<Question, 'checkpoint' | 'parts' | 'values'>)
  | { readonly event: 'answered'; readonly checkpoint: string; readonly option: string }
  | { readonly event: 'entered'; readonly activity: string; readonly warnings: readonly string[] }
  | {
      readonly event: 'completed';
      readonly sid: string;
      readonly outcome?: 'abandoned';
      readonly warnings: readonly string[];
    }
  | { readonly event: 'left'; readonly sid: string; readonly at?: string; readonly resume: string };

type Paint = Terminal['paint'];

/** Formats an event for people; empty if there is nothing to print. */
export function progressText(event: ProgressEvent, { paint }: Pick<Terminal, 'paint'>): string {
  return (texts[event.event] as (event: ProgressEvent, paint: Paint) => string)(event, paint);
}

type EventOf<Name extends ProgressEvent['event']> = Extract<ProgressEvent, { event: Name }>;

const texts: { readonly [Name in ProgressEvent['event']]: (event: EventOf<Name>, paint: Paint) => string } = {
  started: beginText,
  resumed: beginText,
  step: ({ activity, step, undecided }, paint) =>
    `\n${taskText({ task: { activity }, step }, paint)}${undecidedText(undecided)}`,
  refused: ({ step, issues, suggestions }, paint) =>
    [
      paint('red', runMessages.notAccepted(step === undefined ? undefined : plainLine(step))),
      ...[...issues, ...suggestions].map((line) => plainLines(line, '  ')),
    ].join('\n'),
  checkpoint: (question, paint) => {
    const { name, message } = markedCheckpoint(question);
    return `\n${paint('bold', plainLine(name))}\n${plainLines(message, '  ')}`;
  },
  answered: ({ checkpoint, option }, paint) =>
    paint('green', `${plainLine(checkpoint)}: ${plainLine(option)}`),
  entered: ({ warnings }, paint) => warned(warnings, paint).join('\n'),
  completed: ({ sid, outcome = 'completed', warnings }, paint) =>
    [...warned(warnings, paint), runMessages.ended(sid, outcome)].join('\n'),
  left: ({ sid, at, resume }) => runMessages.left(sid, at === undefined ? undefined : plainLine(at), resume),
};

function beginText({ event, sid, workflow: { title, id, version } }: EventOf<'resumed' | 'started'>): string {
  return runMessages.begun(sid, `${plainLine(title)} (${plainLine(`${id} ${version}`)})`, event);
}

function undecidedText(names: readonly string[]): string {
  return names.length === 0 ? '' : `${runMessages.undecided(names.map(plainLine).join(', '))}\n`;
}

function warned(warnings: readonly string[], paint: Paint): readonly string[] {
  return warnings.map((line) => paint('yellow', plainLine(runMessages.warning(line))));
}

/** Formats a step: what to do, and the criteria for its output. */
export function taskText(
  { task, step }: { readonly task: Pick<Task, 'activity'>; readonly step: TaskStep },
  paint: Terminal['paint'] = (_, text) => text,
): string {
  const { activity } = task;
  const isActivity = activity !== undefined && activity.id !== step.id;
  return [
    ...(isActivity ? [paint('dim', plainLine(`${activity.name} (${activity.id})`))] : []),
    `${paint('bold', plainLine(step.name))} ${paint('dim', plainLine(`(${step.id})`))}`,
    '',
    ...(step.text === undefined ? [] : [plainLines(step.text, '  '), '']),
    ...(step.criteria.length === 0
      ? []
      : [runMessages.refusedWith, ...step.criteria.map((line) => plainLines(line, '  ')), '']),
    ...fieldsText(step),
  ].join('\n');
}

function fieldsText({ outputSchema }: TaskStep): readonly string[] {
  const fields = fieldsIn(outputSchema);
  if (fields.length === 0) return [];
  const required: readonly unknown[] = Array.isArray(outputSchema?.['required'])
    ? outputSchema['required']
    : [];
  const lines = fields.map(([id, schema]) => {
    const { description = '' } = isJsonObject(schema) ? schema : {};
    const kind = required.includes(id) ? kindOf(schema) : runMessages.optional(kindOf(schema));
    return plainLines(runMessages.field(id, kind, typeof description === 'string' ? description : ''), '  ');
  });
  return [runMessages.fields, ...lines, ''];
}

/** Returns a text with a label for each field of a step, to be filled in; empty if the step has none. */
export function labelsFor(step: TaskStep): string {
  return fieldsIn(step.outputSchema)
    .map(([id]) => `${id}: \n`)
    .join('');
}

/** Returns the fields that an output schema describes, each with its own schema. */
function fieldsIn(schema: TaskStep['outputSchema']): readonly (readonly [id: string, schema: Json])[] {
  const { properties } = schema ?? {};
  return isJsonObject(properties) ? Object.entries(properties) : [];
}

/** Returns the words for what a schema accepts. */
function kindOf(schema: Json | undefined): string {
  if (!isJsonObject(schema)) return runMessages.text;
  const { type, enum: options, items, properties } = schema;
  if (Array.isArray(options)) return runMessages.oneOf(options.map(String));
  if (type === 'array') return runMessages.listOf(kindOf(items));
  if (type === 'object' && isJsonObject(properties)) return runMessages.objectWith(Object.keys(properties));
  if (type === 'boolean') return runMessages.trueOrFalse;
  return type === 'string' || typeof type !== 'string' ? runMessages.text : type;
}
