import { WorkflowError } from '@workflowlookup/schema';
import type { JournalEvent, LoadedSession, SessionStore } from '@workflowlookup/storage';
import { assertAuthentic } from '@workflowlookup/storage/journal';
import type { SessionEventOf } from '../session/evolve.ts';
import { begin, evolve } from '../session/evolve.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';

/** The state of a session as it was loaded: its snapshot, and the events after it. */
export function stateOf({ session: { sid }, snapshot, events }: LoadedSession): SessionState {
  return snapshot === undefined
    ? replay(sid, events)
    : fold(complete(snapshot.state as unknown as SessionState), events);
}

/**
 * The state of a session as it is now; the one before if the session is gone.
 *
 * @throws WorkflowError STATE or STORAGE where the session does not authenticate any more
 */
export async function reload(store: SessionStore, before: SessionState): Promise<SessionState> {
  const loaded = await store.load(before.sid);
  if (loaded === undefined) return before;
  assertAuthentic(loaded.session);
  return stateOf(loaded);
}

/** What snapshots of older versions lack. */
const unrecorded: Pick<SessionState, 'origins' | 'owners' | 'frozen' | 'drivers'> = {
  origins: {},
  owners: {},
  frozen: [],
  drivers: [],
};

function complete(state: SessionState): SessionState {
  return Object.keys(unrecorded).every((key) => key in state) ? state : { ...unrecorded, ...state };
}

/** The state of a session at an earlier revision. */
export async function stateAt(store: SessionStore, sid: string, revision: number): Promise<SessionState> {
  return replay(sid, await store.events(sid, { limit: revision }));
}

/** The state that a journal comes to. @throws WorkflowError STORAGE where it does not begin with the start */
export function replay(sid: string, [first, ...rest]: readonly JournalEvent[]): SessionState {
  if (first?.type !== 'session-started') {
    throw new WorkflowError('STORAGE', `The journal of session '${sid}' does not begin with its start.`);
  }
  const event = eventOf(first) as SessionEventOf<'session-started'>;
  return fold(begin(sid, { at: first.at, event }), rest);
}

function fold(state: SessionState, events: readonly JournalEvent[]): SessionState {
  return events.reduce((before, kept) => evolve(before, { at: kept.at, event: eventOf(kept) }), state);
}

/** The event that a journal keeps; long outputs of its manifest are named by their digest. */
export function eventOf({ data }: JournalEvent): SessionEvent {
  return data as unknown as SessionEvent;
}
