import { WorkflowError, idInCommand } from '@workflowlookup/schema';
import type { JournalEvent, LoadedSession, SessionRow, SessionStore } from '@workflowlookup/storage';
import { assertAuthentic, auditSession, createPauses, verifyChain } from '@workflowlookup/storage/journal';
import type { SessionEventOf } from '../session/evolve.ts';
import { begin, evolve } from '../session/evolve.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { TokenPayload, TokenPosition } from '../session-tokens.ts';
import { isSessionId } from '../session-tokens.ts';
import type { Runnable } from './definitions.ts';
import { pinnedDefinition } from './definitions.ts';
import type { Caller, SessionParts, SessionStorage } from './parts.ts';
import { messages } from '../messages/sessions.ts';

export interface SessionAgent {
  readonly number: number;
  readonly id: string;
}

/** The agent number of a person, and of a token for a session that does not authenticate. Agents are numbered from 1. */
export const nobody = 0;

/** A session loaded for reading and writing. */
export interface RunnableSession {
  readonly vault: Pick<SessionStorage, 'store'>;
  readonly state: SessionState;
  readonly session: SessionRow;
  readonly runnable: Runnable;
  /** The writer: an agent of the session, or a person. */
  readonly agent: SessionAgent;
  /** The revision that whoever writes has seen. */
  readonly seen: { readonly revision: number };
}

/** A session that a genuine token was shown for. */
export interface OpenSession extends RunnableSession {
  readonly vault: SessionStorage;
  /** The content of the token: the revision its holder knows and, for self-contained tokens, the payload. */
  readonly seen: { readonly revision: number; readonly payload?: TokenPayload };
  /** That the token is of an older revision. */
  readonly stale?: string;
  /** That the definition served now is another. */
  readonly drift?: string;
}

/**
 * Opens the session a token names.
 *
 * @throws WorkflowError TOKEN_INVALID, FORBIDDEN, STORE_DAMAGED
 */
export async function openSession(parts: SessionParts, token: string): Promise<OpenSession> {
  const vault = await parts.vault();
  const opened = vault.tokens.open(token);
  if (opened.kind !== 'genuine') {
    const sid = token.trim();
    if (isSessionId(sid))
      throw new WorkflowError('TOKEN_INVALID', messages.idInsteadOfToken(sid), { data: { session_id: sid } });
    throw new WorkflowError('TOKEN_INVALID', messages.tokenInvalid(), { data: { remedy: 'start' } });
  }
  const { claims } = opened;
  const loaded = await vault.store.load(claims.sid);
  if (loaded === undefined) {
    throw new WorkflowError('TOKEN_INVALID', messages.sessionGone(), {
      data: { remedy: 'start' },
    });
  }
  assertOwner(loaded, parts.caller);
  const state = stateOf(loaded);
  const isAuthentic = loaded.session.unauthentic === undefined;
  if (isAuthentic && claims.agent === nobody) {
    throw new WorkflowError('TOKEN_INVALID', messages.tokenOfNobody(), { data: { remedy: 'start' } });
  }
  // Somebody without the keys may have written the names of a session that does not authenticate.
  const agents = isAuthentic ? await agentsOf(vault.store, claims) : [];
  const id = claims.payload?.aid ?? agents[claims.agent - 1] ?? 'unknown';
  return {
    vault,
    state,
    session: loaded.session,
    ...(await pinnedDefinition(parts, vault.store, loaded.session)),
    agent: { number: claims.agent, id },
    seen: claims,
    ...staleness(claims, state),
  };
}

/** Fails unless the caller is the session's owner. @throws WorkflowError FORBIDDEN */
export function assertOwner({ session }: LoadedSession, { principal }: Caller): void {
  if (session.principal === principal) return;
  throw new WorkflowError('FORBIDDEN', messages.sessionOfOther());
}

function staleness({ revision }: TokenPosition, state: SessionState): Pick<OpenSession, 'stale'> {
  if (revision === state.revision) return {};
  return { stale: messages.tokenStale(revision, state.revision) };
}

/** The state of a session as it was loaded: its snapshot, and the events after it. */
export function stateOf({ session: { sid }, snapshot, events }: LoadedSession): SessionState {
  return snapshot === undefined
    ? replay(sid, events)
    : fold(complete(snapshot.state as unknown as SessionState), events);
}

/**
 * Returns the current state of a session, or the previous one if the session is gone.
 *
 * @throws WorkflowError SESSION_UNVERIFIED or STORE_DAMAGED if the session does not authenticate any more
 */
export async function reload(store: SessionStore, before: SessionState): Promise<SessionState> {
  const loaded = await store.load(before.sid);
  if (loaded === undefined) return before;
  assertAuthentic(loaded.session);
  return stateOf(loaded);
}

/** Fields that snapshots of older versions lack. */
const unrecorded: Pick<SessionState, 'origins' | 'owners' | 'frozen' | 'drivers'> = {
  origins: {},
  owners: {},
  frozen: [],
  drivers: [],
};

function complete(state: SessionState): SessionState {
  return Object.keys(unrecorded).every((key) => key in state) ? state : { ...unrecorded, ...state };
}

/** What a session came to at an earlier revision. */
interface PastRevision {
  readonly state: SessionState;
  readonly kept: JournalEvent;
}

/**
 * Returns what a session came to at an earlier revision. The session is loaded again, and its events have to lead to the
 * head that it has then: somebody may have changed the database since it was loaded first.
 *
 * @throws WorkflowError SESSION_UNVERIFIED or STORE_DAMAGED if the session or its events do not authenticate
 */
export async function revisit(store: SessionStore, sid: string, revision: number): Promise<PastRevision> {
  const loaded = await store.load(sid);
  if (loaded === undefined) throw brokenJournal(sid, revision);
  const { session } = loaded;
  assertAuthentic(session);
  if (revision !== session.revision) return revisitEarlier(store, session, revision);
  const [kept] = await store.events(sid, { after: revision - 1, limit: 1 });
  const verdict = verifyChain(sid, kept === undefined ? [] : [kept], {
    revision: revision - 1,
    hash: kept?.prevHash ?? '',
  });
  if (kept === undefined || !verdict.ok || verdict.head.hash !== session.hash)
    throw brokenJournal(sid, revision);
  return { state: stateOf(loaded), kept };
}

/** Reads the whole journal, in short parts, because an agent decides how long it is and how often it repeats a call. */
async function revisitEarlier(
  store: SessionStore,
  session: SessionRow,
  revision: number,
): Promise<PastRevision> {
  const { sid } = session;
  const { events, verdict } = await auditSession(store, session);
  const kept = events[revision - 1];
  if (kept === undefined || !verdict.ok) throw brokenJournal(sid, revision);
  let state = replay(sid, events.slice(0, 1));
  const pause = createPauses();
  for (const event of events.slice(1, revision)) {
    await pause();
    state = fold(state, [event]);
  }
  return { state, kept };
}

function brokenJournal(sid: string, revision: number): WorkflowError {
  return new WorkflowError(
    'STORE_DAMAGED',
    `The journal of session '${sid}' lacks revision ${revision}, or does not lead to the end that the session has. Nothing was changed. A person can look at it with "workflowlookup sessions verify ${idInCommand(sid)}".`,
    { data: { reason: 'broken-chain', sid } },
  );
}

/**
 * Returns the state after all events of a journal.
 *
 * @throws WorkflowError STORE_DAMAGED if the journal does not begin with the start
 */
export function replay(sid: string, [first, ...rest]: readonly JournalEvent[]): SessionState {
  if (first?.type !== 'session-started') {
    throw new WorkflowError(
      'STORE_DAMAGED',
      `The journal of session '${sid}' does not begin with its start.`,
    );
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

/** The agents read from each store, by session, the newest last. */
const known = new WeakMap<SessionStore, Map<string, readonly string[]>>();
const maxKnown = 1024;

/**
 * Returns the agents of a session by number, at least up to the requested one. Agents never leave, so each is read
 * once.
 */
async function agentsOf(
  store: SessionStore,
  { sid, agent }: { readonly sid: string; readonly agent: number },
): Promise<readonly string[]> {
  const bySession = known.get(store) ?? new Map<string, readonly string[]>();
  known.set(store, bySession);
  const before = bySession.get(sid);
  if (before !== undefined && before.length >= agent) return before;
  const agents = await store.agents(sid);
  const [oldest] = bySession.keys();
  if (bySession.size >= maxKnown && oldest !== undefined) bySession.delete(oldest);
  if (agents.length > 0) bySession.set(sid, agents);
  return agents;
}
