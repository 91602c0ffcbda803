import { refuseResume } from '../session/refuse-resume.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Outcome } from './call-session.ts';
import { steadyMs } from './clock.ts';
import { reload } from './load-state.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { refusalError } from './refusals.ts';
import { createSessionAlarm } from './session-alarm.ts';

/** How long to wait for an answer. */
interface Wait {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** How often a store is asked whether a person, who may be in another process, has answered; a hint of the store makes it sooner. */
const lookEveryMs = 250;

/** Lets a worker go on once the checkpoint it stopped at is answered. @throws WorkflowError GATE_ACTIVE, STATE */
export async function resume(
  parts: SessionParts,
  session: OpenSession,
  wait: Wait,
): Promise<Outcome<undefined>> {
  const state = await waitForAnswer(parts, session, wait);
  const refusal = refuseResume(state);
  if (refusal !== undefined) throw refusalError(refusal, state, parts.policy);
  return { value: undefined, state };
}

/** The state once no checkpoint waits any more, or when the time is over. */
async function waitForAnswer(
  parts: SessionParts,
  { vault: { store }, state }: OpenSession,
  { waitMs, signal }: Wait,
): Promise<SessionState> {
  if (waitMs <= 0) return state;
  const { pause = pauseWithTimer } = parts;
  const until = steadyMs(parts) + waitMs;
  const alarm = createSessionAlarm(store, state.sid, signal);
  const isOver = (left: number): boolean => left <= 0 || signal?.aborted === true;
  let current = state;
  try {
    for (let left = waitMs; current.gate !== undefined && !isOver(left); left = until - steadyMs(parts)) {
      await pause(Math.min(left, lookEveryMs), alarm.signal());
      alarm.reset();
      current = await reload(store, current);
    }
    return current;
  } finally {
    alarm.end();
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
