import type { ActivityStep, ActivityWorkflow } from '@workflowlookup/schema';
import { didYouMean, walkActivitySteps, WorkflowError } from '@workflowlookup/schema';
import { parseInstanceId, roundPrefix } from '../instance-id.ts';
import type { JudgedStep } from '../lookup.ts';

/** An activity as a whole has no criteria. */
const withoutCriteria: JudgedStep = {};

/**
 * What an output is judged by: `activity@0::step`, in a loop also `activity@0::loop@2::step`, or an activity alone.
 *
 * @throws WorkflowError STEP_NOT_FOUND with the nearest id there is
 */
export function findJudged(workflow: ActivityWorkflow, id: string): JudgedStep {
  const { rounds = [], stepId = '' } = parseInstanceId(id) ?? {};
  const [visit, round, ...deeper] = rounds;
  const activity = workflow.activities.find((part) => part.id === (visit?.loopId ?? stepId));
  if (visit === undefined && activity !== undefined) return withoutCriteria;
  const step = [...(activity === undefined ? [] : walkActivitySteps(activity.definition))].find(
    (walked) =>
      walked.step.id === stepId &&
      deeper.length === 0 &&
      (round === undefined || round.loopId === walked.loop?.id),
  )?.step;
  if (visit === undefined || step === undefined) throw stepNotFound(workflow, id);
  return step;
}

/** The id under which a step of an activity is judged, in the visit that is counted from 0. */
export function judgedId(activityId: string, visit: number, { id }: ActivityStep): string {
  return roundPrefix('', { loopId: activityId, iteration: visit }) + id;
}

/** The error for an id that is no activity. */
export function activityNotFound(workflow: ActivityWorkflow, id: string): WorkflowError {
  const within = parseInstanceId(id)?.rounds[0]?.loopId;
  const ids = workflow.activities.map((activity) => activity.id);
  const nearest = within !== undefined && ids.includes(within) ? within : didYouMean(id, ids);
  return notFound(workflow, { id, kind: 'activity', nearest });
}

function stepNotFound(workflow: ActivityWorkflow, id: string): WorkflowError {
  const known = workflow.activities.flatMap(({ id: activityId, definition }) => [
    activityId,
    ...[...walkActivitySteps(definition)].map(({ step }) => judgedId(activityId, 0, step)),
  ]);
  const nearest = known.find((candidate) => candidate.endsWith(`::${id}`)) ?? didYouMean(id, known);
  return notFound(workflow, { id, kind: 'step', nearest });
}

function notFound(
  workflow: ActivityWorkflow,
  { id, kind, nearest }: { readonly id: string; readonly kind: string; readonly nearest: string | undefined },
): WorkflowError {
  const hint = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
  return new WorkflowError('STEP_NOT_FOUND', `Workflow '${workflow.id}' has no ${kind} '${id}'.${hint}`, {
    data: { stepId: id },
  });
}
