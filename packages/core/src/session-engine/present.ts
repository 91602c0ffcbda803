import type { Checkpoint } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { presentCheckpoint } from '../library/present-checkpoint.ts';
import { hasDriven, waitsForHuman } from '../session/open-checkpoints.ts';
import { policyFor } from '../session/policy.ts';
import type { LoadedRun } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import type { Runnable } from './runnable.ts';
import { questionParts } from './question-parts.ts';
import { activityPart } from './session-library.ts';
import type { Presented } from './sessions.ts';
import type { WaitingGate } from './waiting-gate.ts';
import { waitingGate } from './waiting-gate.ts';

/** The checkpoint a session waits at, as it is put to a person. @throws WorkflowError STATE where none waits */
export function present(
  { policy: ours, caller }: Pick<SessionParts, 'policy'> & Partial<Pick<SessionParts, 'caller'>>,
  session: LoadedRun,
): Presented {
  const waiting = waitingGate(session);
  if (waiting === undefined) {
    throw new WorkflowError('STATE', 'No checkpoint waits for an answer: one is yielded first.');
  }
  const { open, gate, place } = waiting;
  const policy = policyFor(session.state, ours);
  const isPerson = caller?.mayRespond === true && !hasDriven(session.state, caller.credential);
  const isForHumans = !isPerson && waitsForHuman(open, gate, policy);
  const checkpoint = written(session.runnable, waiting);
  return {
    checkpoint: presentCheckpoint(checkpoint, place.context),
    ...questionParts(checkpoint, place.context, session.state),
    activity: open.activity,
    definition: definitionOf(session.state),
    yieldedAt: open.yieldedAt,
    needsHuman: isForHumans,
    ...(isForHumans ? { humanAnswersWith: ours.humanAnswersWith(session.state.sid) } : {}),
    mayElicit: !isForHumans || policy.trustElicitation,
  };
}

/** Where the definition came from that a session runs on, and which one it is. */
export function definitionOf({ digest, source }: LoadedRun['state']): Presented['definition'] {
  return { digest, ...(source === undefined ? {} : { source }) };
}

/** A checkpoint as its author wrote it; the one a confirmation becomes was written by nobody. */
function written(runnable: Runnable, { open, gate }: WaitingGate): Checkpoint {
  if (runnable.kind === 'activities') {
    const { checkpoints = [] } = activityPart(runnable.workflow, open.activity).definition;
    const found = checkpoints.find(({ id }) => id === gate.id);
    if (found !== undefined) return found;
  }
  const { id, name, message, options, approver } = gate;
  return { id, name, message, options, approver };
}
