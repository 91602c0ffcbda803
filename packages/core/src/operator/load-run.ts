import { WorkflowError } from '@workflowlookup/schema';
import type { LoadedSession, SessionStore } from '@workflowlookup/storage';
import { keptDefinition } from '../session-engine/definitions.ts';
import { stateOf } from '../session-engine/load-state.ts';
import type { LoadedRun } from '../session-engine/open-session.ts';
import type { SessionParts } from '../session-engine/parts.ts';
import type { AnswerOrigin } from '../session/session-event.ts';

/** What an operator is made of. */
export interface OperatorParts extends Pick<
  SessionParts,
  'policy' | 'now' | 'random' | 'onWrite' | 'onHead' | 'jobs'
> {
  /** Opens the database; called again it gives the same. */
  store(): Promise<SessionStore>;
  /** The name of whoever acts. */
  readonly person: string;
  /** Whose sessions there are; left out, everybody's. */
  readonly principal?: string;
  /** Where the person acts; default `library`. */
  readonly channel?: AnswerOrigin['channel'];
  /** The credential they signed in with: an id. What worked on a session with it can't answer as a person. */
  readonly credential?: string;
}

/** The number that stands for a person among the agents of a session, which are numbered from 1. */
const personNumber = 0;

/** A session for a person, who sees it as it is, on the definition it was started on. */
export async function loadRun(parts: OperatorParts, sid: string): Promise<LoadedRun> {
  const store = await parts.store();
  const loaded = await loadSession(store, sid);
  const state = stateOf(loaded);
  return {
    vault: { store },
    state,
    session: loaded.session,
    runnable: await keptDefinition(store, loaded.session),
    agent: { number: personNumber, id: `human:${parts.person}` },
    seen: { revision: state.revision },
  };
}

/** @throws WorkflowError INVALID_PARAMS where there is no such session */
export async function loadSession(store: SessionStore, sid: string): Promise<LoadedSession> {
  const loaded = await store.load(sid);
  if (loaded === undefined) throw new WorkflowError('INVALID_PARAMS', `There is no session '${sid}'.`);
  return loaded;
}
