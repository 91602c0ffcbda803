import { refuseResume } from '../session/command.ts';
import { personNotes } from '../session/session-state.ts';
import type { SessionState } from '../session/session-state.ts';
import type { OpenSession } from './open-session.ts';
import { reopen } from './open-session.ts';
import { refusalError } from './refusals.ts';
import type { Outcome, Resumed, SessionParts, Wait } from './sessions.ts';
import { steadyMs } from './trace.ts';

/**
 * Interval at which a store is checked for the answer of a person, who may use another process. A hint of the store
 * makes it faster.
 */
const lookEveryMs = 250;

/** Lets a worker continue once its checkpoint is answered. @throws WorkflowError CHECKPOINT_OPEN, INVALID_STATE */
export async function resume(
  parts: SessionParts,
  session: OpenSession,
  wait: Wait,
): Promise<Outcome<Resumed>> {
  const state = await waitForAnswer(parts, session, wait);
  const refusal = refuseResume(state);
  if (refusal !== undefined) throw await refusalError(parts, { ...session, state }, refusal, 'resume');
  const notes = personNotes(state);
  return { value: notes.length === 0 ? {} : { notes }, state };
}

/** The state once no checkpoint waits any more, or when the time is over. */
async function waitForAnswer(
  parts: SessionParts,
  session: OpenSession,
  { waitMs, signal }: Wait,
): Promise<SessionState> {
  if (waitMs <= 0) return session.state;
  const { pause = pauseWithTimer } = parts;
  const { vault, state } = session;
  const until = steadyMs(parts) + waitMs;
  let current = session;
  // Ends a pause when the store hints that the session was written to, or when the caller leaves.
  let alarm = new AbortController();
  const goOff = (): void => alarm.abort();
  const unwatch = vault.store.watchChanges?.((sids) => {
    if (sids.includes(state.sid)) goOff();
  });
  signal?.addEventListener('abort', goOff);
  const isWaiting = (left: number): boolean =>
    left > 0 && current.state.gate !== undefined && signal?.aborted !== true;
  try {
    for (let left = waitMs; isWaiting(left); left = until - steadyMs(parts)) {
      await pause(Math.min(left, lookEveryMs), alarm.signal);
      alarm = new AbortController();
      current = await reopen(current);
    }
    return current.state;
  } finally {
    unwatch?.();
    signal?.removeEventListener('abort', goOff);
  }
}

function pauseWithTimer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal?.aborted === true ? 0 : ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
