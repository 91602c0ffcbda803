import type { ActivityStep, ActivityWorkflow, WorkflowError } from '@workflowlookup/schema';
import { defined, didYouMean, walkActivitySteps } from '@workflowlookup/schema';
import type { Navigator, SessionPosition } from '../navigation/navigator.ts';
import { startSession } from '../session/decide.ts';
import { visitsOf } from '../session/evolve.ts';
import type { Values } from '../session/session-state.ts';
import { skippedActivities } from '../session/session-state.ts';
import { iterationPrefix, parseInstanceId, warnOfUnknown } from '../navigation/next-step.ts';
import type { JudgedStep, NextRequest } from './lookup.ts';
import { notFound } from './lookup.ts';
import { nextMessages } from '../messages/lookup.ts';

/** The position of a caller, as far as the call shows it. */
export interface CallHistory {
  readonly at: SessionPosition;
  /** Completed ids that were ignored, and why. */
  readonly warnings: readonly string[];
}

/**
 * Reads a call of the lookup tools as a walk from the beginning: completed ids in the given order, one for each time an
 * activity was done, and then the current one. Apart from defaults, only the variables of the context are known.
 *
 * @throws WorkflowError STEP_NOT_FOUND for an unknown current activity
 * @see docs/tools.md#workflow_next
 */
export function readHistory(
  workflow: ActivityWorkflow,
  navigator: Navigator,
  { currentStep, completedSteps, context = {} }: NextRequest,
): CallHistory {
  const ids = new Set(workflow.activities.map(({ id }) => id));
  if (currentStep !== undefined && !ids.has(currentStep)) throw activityNotFound(workflow, currentStep);
  const done = completedSteps.filter((id) => ids.has(id));
  const isAgain = currentStep !== undefined && done.at(-1) !== currentStep;
  const visited = isAgain ? [...done, currentStep] : done;
  const variables = variablesFrom(navigator, context);
  const skipped = skippedActivities(navigator, [], variables);
  const loops = loopsAlong(navigator, visited, { variables, skipped });
  const at = {
    current: visited.at(-1),
    completed: [...new Set(done)],
    visits: countEach(visited),
    ...defined({ loops }),
    skipped,
    variables,
  };
  const strangers = new Set(completedSteps.filter((id) => !ids.has(id)));
  return { at, warnings: warnOfUnknown(strangers, (id) => ignored(id, ids)) };
}

/** Returns the variables: the caller's values over the defaults of the workflow and of active modes. */
export function variablesFrom(navigator: Navigator, context: NonNullable<NextRequest['context']>): Values {
  // A caller's context is JSON.
  return startSession(navigator, { variables: context as Values }).variables;
}

/** Returns the running loops over activities at the end of a walk, or `undefined` if the workflow has none. */
function loopsAlong(
  navigator: Navigator,
  visited: readonly string[],
  by: Pick<SessionPosition, 'variables' | 'skipped'>,
): SessionPosition['loops'] {
  const start: SessionPosition = { current: undefined, completed: [], visits: {}, ...by };
  if (navigator.loopsAt(start) === undefined) return undefined;
  let at: SessionPosition = { ...start, loops: [] };
  for (const id of visited) {
    const moves = navigator.ahead(at).moves.filter(({ target }) => target === id);
    // A transition may have been open then although it is closed with the current values.
    const move = moves.find(({ holds }) => holds) ?? moves[0];
    const loops = move === undefined ? at.loops : navigator.loopsAfter(at, id, move);
    const visits = { ...at.visits, [id]: visitsOf(at.visits, id) + 1 };
    at = { ...at, current: id, visits, ...defined({ loops }) };
  }
  return at.loops;
}

function countEach(ids: readonly string[]): SessionPosition['visits'] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function ignored(id: string, ids: ReadonlySet<string>): string {
  const around = parseInstanceId(id)?.iterations[0]?.loopId;
  return around !== undefined && ids.has(around)
    ? nextMessages.stepOfActivity(id, around)
    : nextMessages.unknownActivity(id);
}

/** An activity as a whole has no criteria. */
const withoutCriteria: JudgedStep = {};

/**
 * Returns the step or activity that an output is judged by: `activity@0::step`, in a loop also
 * `activity@0::loop@2::step`, or an activity alone.
 *
 * @throws WorkflowError STEP_NOT_FOUND with the nearest id there is
 */
export function findJudged(workflow: ActivityWorkflow, id: string): JudgedStep {
  const { iterations = [], stepId = '' } = parseInstanceId(id) ?? {};
  const [visit, inner, ...deeper] = iterations;
  const activity = workflow.activities.find((part) => part.id === (visit?.loopId ?? stepId));
  if (visit === undefined && activity !== undefined) return withoutCriteria;
  const step = [...(activity === undefined ? [] : walkActivitySteps(activity.definition))].find(
    (walked) =>
      walked.step.id === stepId &&
      deeper.length === 0 &&
      (inner === undefined || inner.loopId === walked.loop?.id),
  )?.step;
  if (visit === undefined || step === undefined) throw stepNotFound(workflow, id);
  return step;
}

/** The id under which a step of an activity is judged, in the visit that is counted from 0. */
export function judgedId(activityId: string, visit: number, { id }: ActivityStep): string {
  return iterationPrefix('', { loopId: activityId, iteration: visit }) + id;
}

function activityNotFound(workflow: ActivityWorkflow, id: string): WorkflowError {
  const within = parseInstanceId(id)?.iterations[0]?.loopId;
  const ids = workflow.activities.map((activity) => activity.id);
  const nearest = within !== undefined && ids.includes(within) ? within : didYouMean(id, ids);
  return notFound(workflow.id, 'activity', id, nearest);
}

function stepNotFound(workflow: ActivityWorkflow, id: string): WorkflowError {
  const known = workflow.activities.flatMap(({ id: activityId, definition }) => [
    activityId,
    ...[...walkActivitySteps(definition)].map(({ step }) => judgedId(activityId, 0, step)),
  ]);
  const nearest = known.find((candidate) => candidate.endsWith(`::${id}`)) ?? didYouMean(id, known);
  return notFound(workflow.id, 'step', id, nearest);
}
