import type { Checkpoint } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { presentCheckpoint } from '../library/present-checkpoint.ts';
import type { Gate } from '../session/navigator.ts';
import { waitsForHuman } from '../session/open-checkpoints.ts';
import type { LoadedRun } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { activityPart } from './session-library.ts';
import type { Presented } from './sessions.ts';

/** The checkpoint a session waits at, as it is put to a person. @throws WorkflowError STATE where none waits */
export function present(
  { policy, caller }: Pick<SessionParts, 'policy'> & Partial<Pick<SessionParts, 'caller'>>,
  session: LoadedRun,
): Presented {
  const { state, runnable } = session;
  const waiting = state.gate;
  const place = waiting && runnable.navigator.place(waiting.activity, state);
  const gate = place?.gates.find(({ id }) => id === waiting?.checkpoint);
  if (waiting === undefined || place === undefined || gate === undefined) {
    throw new WorkflowError('STATE', 'No checkpoint waits for an answer: one is yielded first.');
  }
  const isForHumans = caller?.mayRespond !== true && waitsForHuman(waiting, gate, policy);
  return {
    checkpoint: presentCheckpoint(written(session, gate), place.context),
    activity: waiting.activity,
    yieldedAt: waiting.yieldedAt,
    needsHuman: isForHumans,
    ...(isForHumans ? { humanAnswersWith: policy.humanAnswersWith(state.sid) } : {}),
    mayElicit: !isForHumans || policy.trustElicitation,
  };
}

/** A checkpoint as its author wrote it; the one a confirmation becomes was written by nobody. */
function written({ runnable, state }: LoadedRun, gate: Gate): Checkpoint {
  const activity = state.gate?.activity;
  if (runnable.kind === 'activities' && activity !== undefined) {
    const { checkpoints = [] } = activityPart(runnable.workflow, activity).definition;
    const found = checkpoints.find(({ id }) => id === gate.id);
    if (found !== undefined) return found;
  }
  const { id, name, message, options, approver } = gate;
  return { id, name, message, options, approver };
}
