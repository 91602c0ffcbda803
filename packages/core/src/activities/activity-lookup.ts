import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { initialActivityOf, WorkflowError } from '@workflowlookup/schema';
import { composeEnd } from '../guidance.ts';
import type { Lookup, NextReply, NextRequest } from '../lookup.ts';
import { graphNavigator } from '../session/graph-navigator.ts';
import type { Navigator } from '../session/navigator.ts';
import { activityMetadata } from './activity-overview.ts';
import { composeActivity } from './compose-activity.ts';
import { findJudged } from './find-judged.ts';
import type { NextActivity } from './next-activity.ts';
import { mostVisits, nextActivity } from './next-activity.ts';
import type { Trail } from './read-trail.ts';
import { readTrail, variablesFrom } from './read-trail.ts';

/**
 * The lookup tools on an activity workflow: each activity is a step, and nothing is known but what the call says.
 *
 * @see docs/tools.md#workflow_next
 */
export function activityLookup(workflow: ActivityWorkflow): Lookup {
  const graph = { workflow, navigator: graphNavigator(workflow) };
  return {
    metadata: () => activityMetadata(workflow),
    preview: () => ({ ...activityMetadata(workflow), firstStep: firstStep(graph) }),
    next: (request) => answer(graph, request),
    step: (stepId) => findJudged(workflow, stepId),
    variables: (context) => variablesFrom(graph.navigator, context),
  };
}

interface Graph {
  readonly workflow: ActivityWorkflow;
  readonly navigator: Navigator;
}

function firstStep(graph: Graph): NextReply['step'] {
  const id = initialActivityOf(graph.workflow);
  if (id === undefined || graph.navigator.absence(id) !== undefined) return null;
  return answer(graph, { workflowId: graph.workflow.id, completedSteps: [] }).step;
}

function answer({ workflow, navigator }: Graph, request: NextRequest): NextReply {
  const trail = readTrail(workflow, navigator, request);
  const next = nextActivity(navigator, trail.at);
  if (next.id === undefined) return endOf(next, trail);
  const part = partOf({ workflow, navigator }, next.id);
  const { undecided, ...handout } = composeActivity({ workflow, navigator, part }, trail.at, next.sets);
  return {
    ...handout,
    isComplete: false,
    ...remarks(trail.warnings, [...next.undecided, ...undecided]),
  };
}

function partOf({ workflow, navigator }: Graph, id: string): ActivityPart {
  const part = workflow.activities.find((candidate) => candidate.id === id);
  if (part !== undefined) return part;
  const reason = navigator.absence(id) ?? `there is no activity '${id}'.`;
  throw new WorkflowError('INVALID_WORKFLOW', `Workflow '${workflow.id}' can't go on: ${reason}`, {
    data: { workflowId: workflow.id, stepId: id },
  });
}

function endOf({ undecided, exhausted }: NextActivity, { warnings }: Trail): NextReply {
  const rounds = exhausted.map(
    (id) =>
      `The workflow ended although '${id}' comes next: it was completed ${mostVisits} times. Put what leads elsewhere into the context.`,
  );
  return {
    step: null,
    guidance: { prompt: rounds.length === 0 ? composeEnd(undecided) : rounds.join('\n') },
    isComplete: true,
    ...remarks([...warnings, ...rounds], undecided),
  };
}

function remarks(
  warnings: readonly string[],
  undecided: NonNullable<NextReply['undecided']>,
): Pick<NextReply, 'undecided' | 'warnings'> {
  return { ...(warnings.length > 0 && { warnings }), ...(undecided.length > 0 && { undecided }) };
}
