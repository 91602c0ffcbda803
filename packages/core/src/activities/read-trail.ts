import type { ActivityWorkflow } from '@workflowlookup/schema';
import { parseInstanceId } from '../instance-id.ts';
import type { NextRequest } from '../lookup.ts';
import type { Navigator, Whereabouts } from '../session/navigator.ts';
import { startSession } from '../session/start-session.ts';
import type { Values } from '../session/variables.ts';
import { skippedActivities } from '../session/variables.ts';
import { activityNotFound } from './find-judged.ts';

/** Where a caller stands, as far as the call tells. */
export interface Trail {
  readonly at: Whereabouts;
  /** Completed ids that were ignored, and why. */
  readonly warnings: readonly string[];
}

/**
 * Reads a call of the lookup tools as a walk from the beginning: completed ids in the order given, an id for each time
 * its activity was done, and then the current one. The context is all that is known of the variables beside defaults.
 *
 * @throws WorkflowError STEP_NOT_FOUND for an unknown current activity
 * @see docs/tools.md#workflow_next
 */
export function readTrail(
  workflow: ActivityWorkflow,
  navigator: Navigator,
  { currentStep, completedSteps, context = {} }: NextRequest,
): Trail {
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
    ...(loops === undefined ? {} : { loops }),
    skipped,
    variables,
  };
  const strangers = new Set(completedSteps.filter((id) => !ids.has(id)));
  return { at, warnings: [...strangers].map((id) => ignored(id, ids)) };
}

/** The variables: what the caller says, over the defaults of the workflow and of the modes that are in force. */
export function variablesFrom(navigator: Navigator, context: NonNullable<NextRequest['context']>): Values {
  // A caller's context is JSON.
  return startSession(navigator, { variables: context as Values }).variables;
}

/** The loops over activities that go on where a walk has come to; `undefined` where the workflow has none. */
function loopsAlong(
  navigator: Navigator,
  visited: readonly string[],
  by: Pick<Whereabouts, 'variables' | 'skipped'>,
): Whereabouts['loops'] {
  const start: Whereabouts = { current: undefined, completed: [], visits: {}, ...by };
  if (navigator.loopsAt(start) === undefined) return undefined;
  const visits = new Map<string, number>();
  let at: Whereabouts = { ...start, loops: [] };
  for (const id of visited) {
    const moves = navigator.ahead(at).moves.filter(({ target }) => target === id);
    // A way may have been open then that is not open with the values of now.
    const move = moves.find(({ holds }) => holds) ?? moves[0];
    const loops = move === undefined ? at.loops : navigator.loopsAfter(at, id, move);
    visits.set(id, (visits.get(id) ?? 0) + 1);
    at = {
      ...at,
      current: id,
      visits: Object.fromEntries(visits),
      ...(loops === undefined ? {} : { loops }),
    };
  }
  return at.loops;
}

function countEach(ids: readonly string[]): Whereabouts['visits'] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function ignored(id: string, ids: ReadonlySet<string>): string {
  const around = parseInstanceId(id)?.rounds[0]?.loopId;
  return around !== undefined && ids.has(around)
    ? `'${id}' is a step of activity '${around}': it was ignored, for only whole activities count as completed.`
    : `The workflow has no activity '${id}': it was ignored in the completed steps.`;
}
