import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { messages } from '../messages/sessions.ts';
import type { SessionState } from '../session/session-state.ts';
import type { CallKind } from './call-session.ts';

/**
 * The most events and recorded calls of one session. A verification and a trace read all of them, and agents decide how
 * many there are.
 */
export const sessionLimits = { events: 20_000, calls: 100_000 } as const;

/** Calls that add an event. An answer is not one of them, so that an open question can always be answered. */
const adding: ReadonlySet<CallKind> = new Set(['collect', 'move', 'park', 'yield']);

/** A process asks the store for the number of calls after so many of its own. */
const callsBetween = 1000;

/** How many sessions of a store are counted. */
const maxCounted = 20_000;

/** The calls of this process by session, and `Infinity` for a session that has too many. */
const counted = new WeakMap<object, Map<string, number>>();

/**
 * Fails for a call of an agent if its session has as many events or calls as one may have. People can still answer its
 * checkpoint and end it.
 *
 * @throws WorkflowError QUOTA_EXCEEDED
 */
export async function refuseBeyondLimits(
  store: Pick<SessionStore, 'calls'>,
  { sid, revision }: Pick<SessionState, 'sid' | 'revision'>,
  kind: CallKind,
): Promise<void> {
  if (revision >= sessionLimits.events && adding.has(kind)) throw exceeded(sid, 'events');
  const calls = counted.get(store) ?? new Map<string, number>();
  counted.set(store, calls);
  const count = (calls.get(sid) ?? 0) + 1;
  const [oldest] = calls.keys();
  if (calls.size >= maxCounted && !calls.has(sid) && oldest !== undefined) calls.delete(oldest);
  calls.set(sid, count);
  if (Number.isFinite(count) && count % callsBetween !== 0) return;
  const isFull =
    count === Infinity || (await store.calls(sid, { after: sessionLimits.calls - 1, limit: 1 })).length > 0;
  if (!isFull) return;
  calls.set(sid, Infinity);
  throw exceeded(sid, 'calls');
}

function exceeded(sid: string, quota: keyof typeof sessionLimits): WorkflowError {
  const limit = sessionLimits[quota];
  return new WorkflowError('QUOTA_EXCEEDED', messages.sessionFull(sid, quota, limit), {
    data: { sid, quota, limit },
  });
}
