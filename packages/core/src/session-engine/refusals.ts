import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import { messages } from '../messages/sessions.ts';
import type { Refusal, SessionCommand } from '../session/command.ts';
import { policyFor } from '../session/decide.ts';
import { hasDriven } from '../session/open-checkpoints.ts';
import type { SessionState } from '../session/session-state.ts';
import type { NextCall } from '../session/status.ts';
import { answerCall, nextCalls } from '../session/status.ts';
import { collectorOf } from '../evidence/outside-evidence.ts';
import type { OpenSession, RunnableSession } from './open-session.ts';
import { nextToken } from './session-tokens.ts';
import type { CallKind, SessionParts } from './sessions.ts';
import { isAlone } from './trace.ts';

/** The call that resolves an error: its kind, or the call itself with what the server knows of its arguments. */
export type Remedy = CallKind | (NextCall & { readonly isAlone: boolean });

type CallingParts = Pick<SessionParts, 'policy' | 'evidence'> & Partial<Pick<SessionParts, 'caller'>>;

type RefusedKind = CallKind | SessionCommand['kind'];

/**
 * Returns the refusal of a call as an error. `data.remedy` is the call that would help. If a person made the call, the
 * error does not say how a person can answer.
 */
export async function refusalError(
  parts: CallingParts,
  session: RunnableSession,
  refusal: Refusal,
  kind: RefusedKind,
  isPersons = false,
): Promise<WorkflowError> {
  const { code, message, data } = refusal;
  const { state } = session;
  const found = refusal.remedy ?? remedyFor(parts, session, code, kind);
  const remedy = typeof found === 'object' ? { ...found, isAlone: await isAlone(session) } : found;
  const isForPerson =
    !isPersons && typeof found === 'object' && found.kind === 'answer' && found.by === 'human';
  const where = isForPerson ? ` ${messages.personAnswersWith(parts.policy.humanAnswersWith(state.sid))}` : '';
  return new WorkflowError(code, message + where, { data: { ...data, ...defined({ remedy }) } });
}

function remedyFor(
  parts: CallingParts,
  session: RunnableSession,
  code: ErrorCode,
  kind: RefusedKind,
): CallKind | NextCall | undefined {
  const { state } = session;
  const { current } = state;
  const answer = answerTo(parts, session);
  switch (code) {
    case 'CHECKPOINT_OPEN':
      return answer;
    case 'HUMAN_REQUIRED':
      return answer && { ...answer, by: 'human' };
    case 'VARIABLE_PROTECTED':
      // The refused answer would change a person's decision, so only a person can give it.
      return kind === 'answer' && answer !== undefined ? { ...answer, by: 'human' } : undefined;
    case 'SESSION_COMPLETED':
      return 'status';
    case 'EVIDENCE_REQUIRED':
      return collectorOf(parts, session) === undefined ? undefined : 'collect';
    case 'INVALID_STATE':
      if (answer !== undefined) return answer;
      if (current === undefined) return kind === 'move' ? undefined : 'move';
      return kind === 'answer' || kind === 'present' ? askFirst(parts, session) : undefined;
    default:
      return undefined;
  }
}

/** Returns the call that answers the open checkpoint. A caller who may respond acts for a person. */
function answerTo(
  { policy, caller }: CallingParts,
  { state, runnable }: RunnableSession,
): Extract<NextCall, { kind: 'answer' }> | undefined {
  const answer = answerCall(state, runnable.navigator, policyFor(state, policy).gates);
  const isPerson = caller?.mayRespond === true && !hasDriven(state, caller.credential);
  return answer?.by === 'human' && isPerson ? { ...answer, by: 'any' } : answer;
}

/** Returns the call that asks the checkpoint of an activity if none was answered there yet. */
function askFirst({ policy }: CallingParts, { state, runnable }: RunnableSession): CallKind | NextCall {
  if (state.answered.length > 0) return 'status';
  const calls = nextCalls(state, runnable.navigator, policyFor(state, policy).gates);
  return calls.find((call) => call.kind === 'yield') ?? 'status';
}

/** Returns the error for a call that lost against another write, with the current state and a token that can write. */
export function conflict(session: OpenSession, state: SessionState, nowMs: number): WorkflowError {
  const { revision, current, lastAnswer, gate: openCheckpoint } = state;
  const [answered, open] = [lastAnswer?.checkpoint, openCheckpoint?.checkpoint];
  return new WorkflowError(
    'SESSION_CONFLICT',
    messages.conflict(revision, { activity: current, answered, open }),
    { data: { session_token: nextToken(session, nowMs, state), revision, remedy: 'status' } },
  );
}
