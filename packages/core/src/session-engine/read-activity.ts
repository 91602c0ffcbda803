import { evaluate } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { composeHandout } from '../guidance.ts';
import { artifactPaths } from '../library/artifacts.ts';
import { workerBundle } from '../library/operation-bundle.ts';
import type { ActivityExtras } from '../library/texts.ts';
import { activityText } from '../library/texts.ts';
import { toToon } from '../library/to-toon.ts';
import type { StepInstance } from '../session/account-for.ts';
import { accountFor } from '../session/account-for.ts';
import { standAt } from '../stand-at.ts';
import { deliverBundle } from './deliver-bundle.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import type { Runnable } from './runnable.ts';
import { activityPart, sessionLibrary } from './session-library.ts';
import type { ActivityReading } from './sessions.ts';

/** The current activity of a session, for whoever does the work. @throws WorkflowError STATE before the first */
export async function readActivity(
  parts: SessionParts,
  session: OpenSession,
  full: boolean,
): Promise<ActivityReading> {
  const { runnable, state } = session;
  const { current } = state;
  if (current === undefined) {
    throw new WorkflowError('STATE', 'No activity is entered yet.', { data: { remedy: 'move' } });
  }
  const library = await sessionLibrary(parts, session);
  if (runnable.kind === 'steps') {
    const bundle = await deliverBundle(session, workerBundle(library), full);
    return { bundle, body: await toToon(stepView(session, runnable, current)) };
  }
  const part = activityPart(runnable.workflow, current);
  const place = runnable.navigator.place(current, state);
  const { due } = accountFor(place);
  return {
    bundle: await deliverBundle(session, workerBundle(library, runnable.workflow, part), full),
    body: await activityText(part, {
      remaining: due.map(({ id }) => id),
      iterations: iterationsIn(due),
      artifacts: artifactPaths(runnable.workflow, part, place.context),
    }),
  };
}

/** An item with more characters of JSON than this is left out: who works on it finds it in the variables. */
const maxItemChars = 200;

/** The iterations of loops that are left to do, each with its item. */
function iterationsIn(due: readonly StepInstance[]): NonNullable<ActivityExtras['iterations']> {
  const items = new Map<string, Json>();
  for (const { group, item } of due) {
    const [value] = Object.values(item) as readonly Json[];
    if (value !== undefined && JSON.stringify(value).length <= maxItemChars) items.set(group, value);
  }
  return [...items].map(([iteration, item]) => ({ iteration, item }));
}

/** A step as its session hands it out: what `workflow_next` gives, each text once, and its checkpoint. */
function stepView(
  { state: { completed, variables } }: OpenSession,
  { compiled, navigator }: Extract<Runnable, { kind: 'steps' }>,
  current: string,
): object {
  const found = standAt(compiled, current, variables);
  if (found === undefined) return { id: current, remaining: [] };
  const { definition } = compiled.workflow;
  const { step, guidance } = composeHandout(found, definition, completed.length === 0);
  const { prompt: _prompt, agentRole: _role, guidance: _tips, ...rest } = step;
  const { gates, context } = navigator.place(current, { variables });
  const checkpoints = gates
    .filter(({ condition }) => condition === undefined || evaluate(condition, context))
    .map(({ id, message, options, approver }) => ({ id, message, options, approver }));
  return {
    ...rest,
    ...(found.loop === undefined ? {} : { loop: found.loop }),
    ...guidance,
    ...(checkpoints.length === 0 ? {} : { checkpoints }),
    remaining: [current],
  };
}
