import { WorkflowError } from '@workflowlookup/schema';
import type { LoadedSession, SessionStore } from '@workflowlookup/storage';
import { keptDefinition } from '../session-engine/definitions.ts';
import { nobody, stateOf } from '../session-engine/open-session.ts';
import type { RunnableSession } from '../session-engine/open-session.ts';
import type { SessionParts } from '../session-engine/parts.ts';
import type { CountedAct } from '../insights/insights.ts';
import type { AnswerOrigin } from '../session/session-event.ts';
import { messages } from '../messages/sessions.ts';

/** The parts that an operator is made from. */
export interface OperatorParts extends Pick<
  SessionParts,
  'policy' | 'now' | 'random' | 'onWrite' | 'onHead' | 'jobs' | 'evidence' | 'statements'
> {
  /** Opens the database; called again it gives the same. */
  store(): Promise<SessionStore>;
  /** The name of whoever acts. */
  readonly person: string;
  /** The principal whose sessions are visible; if absent, all sessions are. */
  readonly principal?: string;
  /** Where the person acts; default `library`. */
  readonly channel?: AnswerOrigin['channel'];
  /**
   * The longest time, in milliseconds, to wait until titles, outcomes and figures of sessions that changed are derived
   * again. The rest is derived in the background. By default all of it is waited for.
   */
  readonly indexWaitMs?: number;
  /** Returns what the hooks of agents' clients did, as far as it is known here. */
  hookActs?(): readonly CountedAct[];
  /** The id of the credential they signed in with. A credential that worked on a session can't answer as a person. */
  readonly credential?: string;
}

/** Loads a session for a person in its current state, with the definition it was started on. */
export async function loadRunnableSession(parts: OperatorParts, sid: string): Promise<RunnableSession> {
  const store = await parts.store();
  const loaded = await loadSession(store, sid);
  const state = stateOf(loaded);
  return {
    vault: { store },
    state,
    session: loaded.session,
    runnable: await keptDefinition(store, loaded.session),
    agent: { number: nobody, id: `human:${parts.person}` },
    seen: { revision: state.revision },
  };
}

/**
 * @throws WorkflowError NOT_FOUND if there is no such session
 */
export async function loadSession(store: SessionStore, sid: string): Promise<LoadedSession> {
  const loaded = await store.load(sid);
  if (loaded === undefined) throw new WorkflowError('NOT_FOUND', messages.noSession(sid));
  return loaded;
}
