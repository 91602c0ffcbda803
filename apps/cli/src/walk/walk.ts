import type { ManifestEntry, Task, TaskStep } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Guide, Work } from './guide.ts';
import type { WalkEvent } from './walk-event.ts';

/** A person in a session. */
export interface Walker {
  readonly host: Pick<Host, 'sessions' | 'operator'>;
  readonly guide: Guide;
  readonly sid: string;
  /** The command that goes on with the session. */
  readonly goOn: string;
  tell(event: WalkEvent): Promise<void>;
}

/** How a walk came to its end: the session too, or it was left, or something was refused and nobody could do it again. */
export type WalkEnd = 'completed' | 'left' | 'refused';

/** The exit code of a walk. */
export function exitCodeOfWalk(came: WalkEnd): ExitCode {
  return { completed: exitCodes.ok, left: exitCodes.usage, refused: exitCodes.findings }[came];
}

/** What was done in the activity the session stands at. */
interface Progress {
  token: string;
  /** Of the steps that are done, by the id a manifest names them by. */
  readonly outputs: Map<string, string>;
  /** What was written and is to be done again. */
  readonly drafts: Map<string, string>;
  variables: Record<string, Json>;
  activity?: string;
}

/**
 * Goes through a session from where it stands: shows each step, takes what was done, has it judged, answers
 * checkpoints and moves on, by the calls an agent makes. A person answers checkpoints, so they are answered as one.
 */
export async function walk(
  walker: Walker,
  { token, variables }: { readonly token: string; readonly variables: Readonly<Record<string, Json>> },
): Promise<WalkEnd> {
  let progress: Progress = begin(token, { ...variables });
  for (;;) {
    const task = await walker.host.operator.task(walker.sid);
    if (task.status === 'completed') return end(walker, task, []);
    const went =
      task.status === 'blocked' ? await answer(walker, progress) : await proceed(walker, task, progress);
    if (went === 'left') return leave(walker, task);
    if (went === 'refused' || went === 'completed') return went;
    if (went !== 'on') progress = went;
  }
}

function begin(
  token: string,
  variables: Progress['variables'],
  drafts: Progress['drafts'] = new Map(),
): Progress {
  return { token, outputs: new Map(), drafts, variables };
}

/** `on` where the session stands where it stood, and there is more to do there. */
type Went = Progress | 'completed' | 'left' | 'on' | 'refused';

async function proceed(walker: Walker, task: Task, progress: Progress): Promise<Went> {
  if (task.activity === undefined) return move(walker, task, progress);
  const step = task.steps.find(({ isDue, id }) => isDue && !progress.outputs.has(id));
  if (step !== undefined) return work(walker, { task, step }, progress);
  const stopped = task.steps.find(
    ({ id, checkpoint }) => checkpoint !== undefined && progress.outputs.has(id),
  );
  const checkpoint = stopped?.checkpoint ?? task.checkpoints[0];
  return checkpoint === undefined
    ? move(walker, task, progress)
    : stop(walker, { checkpoint, step: stopped }, progress);
}

/** Takes the output of a step, until it is accepted. */
async function work(
  walker: Walker,
  { task, step }: { readonly task: Task; readonly step: TaskStep },
  progress: Progress,
): Promise<Went> {
  const { host, guide, sid, tell } = walker;
  const { activity = { id: '', name: '' } } = task;
  await tell({ event: 'step', activity, step, undecided: undecidedIn(task) });
  let draft = progress.drafts.get(step.id);
  let issues: readonly string[] | undefined;
  for (;;) {
    const done = await guide.work({
      task,
      step,
      ...(draft === undefined ? {} : { draft }),
      ...(issues === undefined ? {} : { issues }),
    });
    if (done === undefined) return 'left';
    const { output, step: named = step.id, variables = {} } = done;
    Object.assign(progress.variables, variables);
    const verdict = await host.operator.judge(sid, { step: named, output, variables: progress.variables });
    if (verdict.valid || done.isInsisted === true) return note(walker, { task, done, named }, progress);
    await tell({ event: 'refused', step: named, issues: verdict.issues, suggestions: verdict.suggestions });
    if (!guide.mayTryAgain) return leaveRefused(walker, task);
    ({ issues } = verdict);
    draft = output;
  }
}

/** Keeps an accepted output, and stops at the checkpoint of its step. */
async function note(
  walker: Walker,
  { task, done, named }: { readonly task: Task; readonly done: Work; readonly named: string },
  progress: Progress,
): Promise<Went> {
  progress.outputs.set(named, done.output);
  progress.drafts.set(named, done.output);
  if (done.activity !== undefined) progress.activity = done.activity;
  const step = task.steps.find(({ id }) => id === named);
  return step?.checkpoint === undefined
    ? 'on'
    : stop(walker, { checkpoint: step.checkpoint, step }, progress);
}

/** Stops at a checkpoint and has it answered; a step it sends back is done again. */
async function stop(
  walker: Walker,
  { checkpoint, step }: { readonly checkpoint: string; readonly step: TaskStep | undefined },
  progress: Progress,
): Promise<Went> {
  const { host, sid } = walker;
  progress.token = (await host.sessions.yield(progress.token, checkpoint)).token;
  const went = await answer(walker, progress);
  if (went !== 'on' || step === undefined) return went;
  const after = await host.operator.task(sid);
  const isSentBack = after.steps.some((one) => one.id === step.id && one.checkpoint === checkpoint);
  if (isSentBack) progress.outputs.delete(step.id);
  return 'on';
}

async function answer({ host, guide, sid, tell }: Walker, progress: Progress): Promise<Went> {
  const question = await host.operator.present(sid);
  const { checkpoint: asked, parts, values } = question;
  await tell({ event: 'checkpoint', checkpoint: asked, parts, values });
  const option = await guide.answer(question);
  if (option === undefined) return 'left';
  const { revision } = question;
  const { checkpoint } = await host.operator.respond(sid, { mode: { kind: 'option', option }, revision });
  await tell({ event: 'answered', checkpoint, option });
  progress.token = (await host.sessions.resume(progress.token)).token;
  return 'on';
}

/** Hands in what was done and enters what is next. */
async function move(walker: Walker, task: Task, progress: Progress): Promise<Went> {
  const { host, guide, tell } = walker;
  // Values that are handed in with the move may open other ways: then the first legal one is taken.
  const isKnown = Object.keys(progress.variables).length === 0;
  const open = task.next.flatMap((call) => (call.kind === 'move' ? (call.activity ?? []) : []));
  const ways = isKnown ? open : [];
  const activityId = progress.activity ?? (ways.length > 1 ? await guide.way(task, ways) : undefined);
  if (activityId === undefined && ways.length > 1 && guide.mayTryAgain) return 'left';
  const manifest = manifestOf(task, progress.outputs);
  try {
    const { value, token, warnings } = await host.sessions.move(progress.token, {
      manifest,
      variables: progress.variables,
      ...(activityId === undefined ? {} : { activityId }),
    });
    if (value.status === 'completed') return await end(walker, task, warnings);
    await tell({ event: 'entered', activity: value.activity, warnings });
    return begin(token, {});
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await tell({ event: 'refused', issues: [error.message], suggestions: [] });
    if (!guide.mayTryAgain) return leaveRefused(walker, task);
    return begin(progress.token, progress.variables, progress.drafts);
  }
}

/** In the order of the activity, whatever was done first; what the task does not list comes last. */
function manifestOf({ steps }: Task, outputs: ReadonlyMap<string, string>): readonly ManifestEntry[] {
  const listed = steps.flatMap(({ id }) => (outputs.has(id) ? [id] : []));
  const ids = new Set([...listed, ...outputs.keys()]);
  return [...ids].map((id) => ({ step_id: id, output: outputs.get(id) ?? '' }));
}

const refusals: ReadonlySet<string> = new Set([
  'ACTIVITY_NOT_FOUND',
  'GATE_ACTIVE',
  'ILLEGAL_TRANSITION',
  'INVALID_PARAMS',
  'MANIFEST_INVALID',
  'STATE',
]);

function isRefusal(error: unknown): error is WorkflowError {
  return error instanceof WorkflowError && refusals.has(error.code);
}

/** Variables nobody set and that decide which way is open. */
function undecidedIn({ next }: Task): readonly string[] {
  return next.flatMap((call) => (call.kind === 'move' ? (call.undecided ?? []) : []));
}

async function end(
  { tell, sid }: Walker,
  { outcome }: Task,
  warnings: readonly string[],
): Promise<'completed'> {
  await tell({ event: 'completed', sid, ...(outcome === undefined ? {} : { outcome }), warnings });
  return 'completed';
}

async function leave({ tell, sid, goOn }: Walker, { activity }: Task): Promise<'left'> {
  const at = activity === undefined ? {} : { at: activity.id };
  await tell({ event: 'left', sid, ...at, goOn });
  return 'left';
}

async function leaveRefused(walker: Walker, task: Task): Promise<'refused'> {
  await leave(walker, task);
  return 'refused';
}
