import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { Refusal } from '../session/refusal.ts';
import type { SessionState } from '../session/session-state.ts';
import type { CallKind } from './call-kind.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionPolicy } from './parts.ts';
import { nextToken } from './seal-token.ts';

/** A refusal as an error; `data.remedy` is the kind of call that would help. */
export function refusalError(
  { code, message, data }: Refusal,
  state: SessionState,
  policy: SessionPolicy,
): WorkflowError {
  const remedy = remedyFor(code, state);
  const where =
    code === 'HUMAN_REQUIRED' ? ` A human answers with: ${policy.humanAnswersWith(state.sid)}.` : '';
  return new WorkflowError(code, message + where, {
    data: { ...data, ...(remedy === undefined ? {} : { remedy }) },
  });
}

function remedyFor(code: ErrorCode, { gate, current }: SessionState): CallKind | undefined {
  switch (code) {
    case 'GATE_ACTIVE':
      return gate === undefined ? 'yield' : 'answer';
    case 'HUMAN_REQUIRED':
      return 'resume';
    case 'SESSION_COMPLETED':
      return 'status';
    case 'STATE':
      return current === undefined ? 'move' : undefined;
    default:
      return undefined;
  }
}

/** Another write came first: the caller is told where the session stands, and gets a token that can write. */
export function conflict(session: OpenSession, state: SessionState, nowMs: number): WorkflowError {
  const { revision, current, lastAnswer, gate } = state;
  const place = current === undefined ? 'before its first activity' : `at '${current}'`;
  const answered =
    lastAnswer === undefined ? '' : ` Checkpoint '${lastAnswer.checkpoint}' is answered already.`;
  const waits = gate === undefined ? '' : ` Checkpoint '${gate.checkpoint}' waits.`;
  return new WorkflowError(
    'SESSION_CONFLICT',
    `The session has moved on since this token was made: it is at revision ${revision}, ${place}.${answered}${waits} Nothing was changed. Look where it stands and go on with the current token.`,
    { data: { session_token: nextToken(session, nowMs, { state }), revision } },
  );
}
