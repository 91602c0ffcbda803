import type { SessionState } from '../session/session-state.ts';
import { stateOf } from './load-state.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';

/** How often a store is asked whether a person, who may be in another process, has answered. */
const lookEveryMs = 250;

/** The state once no checkpoint waits any more, or when the time is over. */
export async function waitForAnswer(
  parts: SessionParts,
  { vault: { store }, state }: OpenSession,
  { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<SessionState> {
  const { pause = pauseWithTimer } = parts;
  let current = state;
  for (
    let left = waitMs;
    left > 0 && current.gate !== undefined && signal?.aborted !== true;
    left -= lookEveryMs
  ) {
    await pause(Math.min(left, lookEveryMs), signal);
    const loaded = await store.load(state.sid);
    if (loaded !== undefined) current = stateOf(loaded);
  }
  return current;
}

function pauseWithTimer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
