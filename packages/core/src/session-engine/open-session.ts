import type {
  ActivityPart,
  ActivityWorkflow,
  JsonObject,
  StepWorkflow,
  Workflow,
} from '@workflowlookup/schema';
import { WorkflowError, defined, digestOfWorkflow } from '@workflowlookup/schema';
import type { JournalEvent, LoadedSession, SessionRow, SessionStore } from '@workflowlookup/storage';
import {
  assertAuthentic,
  auditSession,
  createPauses,
  verifyChain,
  sessionDefinition,
} from '@workflowlookup/storage/journal';
import type { Library, Scope } from '../library/library.ts';
import { sharedWorkflowId, neededWorkflows } from '../library/library.ts';
import { partMessages } from '../messages/lookup.ts';
import { driftMessages, messages, storedMessages } from '../messages/sessions.ts';
import { graphNavigator } from '../navigation/graph-navigator.ts';
import type { Navigator } from '../navigation/navigator.ts';
import { sequenceNavigator } from '../navigation/sequence-navigator.ts';
import type { TokenPayload } from './session-tokens.ts';
import { isSessionId } from './session-tokens.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import { begin, evolve } from '../session/evolve.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { CompiledWorkflow } from '../navigation/compile-workflow.ts';
import { compileWorkflow } from '../navigation/compile-workflow.ts';
import type { Caller, SessionParts, SessionStorage } from './sessions.ts';

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
  /** A warning that the token is of an older revision. */
  readonly stale?: string;
  /** A warning that another definition is served now. */
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
    throw invalidToken(messages.tokenInvalid());
  }
  const { claims } = opened;
  const loaded = await vault.store.load(claims.sid);
  if (loaded === undefined) throw invalidToken(messages.sessionGone());
  assertOwner(loaded, parts.caller);
  const state = stateOf(loaded);
  const isAuthentic = loaded.session.unauthentic === undefined;
  if (isAuthentic && claims.agent === nobody) throw invalidToken(messages.tokenOfNobody());
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
    ...(claims.revision !== state.revision && {
      stale: messages.tokenStale(claims.revision, state.revision),
    }),
  };
}

function invalidToken(message: string): WorkflowError {
  return new WorkflowError('TOKEN_INVALID', message, { data: { remedy: 'start' } });
}

/** Fails unless the caller is the session's owner. @throws WorkflowError FORBIDDEN */
export function assertOwner({ session }: LoadedSession, { principal }: Caller): void {
  if (session.principal === principal) return;
  throw new WorkflowError('FORBIDDEN', messages.sessionOfOther());
}

/** The state of a session as it was loaded: its snapshot, and the events after it. */
export function stateOf({ session: { sid }, snapshot, events }: LoadedSession): SessionState {
  return snapshot === undefined
    ? replay(sid, events)
    : fold(complete(snapshot.state as unknown as SessionState), events);
}

/**
 * Returns a session as it is now, as if the caller had seen its last event, or as it was if it is gone.
 *
 * @throws WorkflowError SESSION_UNVERIFIED or STORE_DAMAGED if the session does not authenticate any more
 */
export async function reopen<Session extends RunnableSession>(session: Session): Promise<Session> {
  const loaded = await session.vault.store.load(session.state.sid);
  if (loaded === undefined) return session;
  assertAuthentic(loaded.session);
  const state = stateOf(loaded);
  return { ...session, state, session: loaded.session, seen: { ...session.seen, revision: state.revision } };
}

/** Fields that snapshots of older versions lack. */
const unrecorded: Pick<SessionState, 'origins' | 'owners' | 'frozen' | 'drivers'> = {
  origins: {},
  owners: {},
  frozen: [],
  drivers: [],
};

function complete(state: SessionState): SessionState {
  const { expected, expectedBy = expected === undefined ? undefined : state.lastAnswer } = state;
  const isWhole = expectedBy === state.expectedBy && Object.keys(unrecorded).every((key) => key in state);
  return isWhole ? state : { ...unrecorded, ...state, ...defined({ expectedBy }) };
}

/** The state of a session at an earlier revision, and the event that led to it. */
interface PastRevision {
  readonly state: SessionState;
  readonly kept: JournalEvent;
}

/**
 * Returns the state of a session at an earlier revision. The session is loaded again, and its events must lead to its
 * current head, because somebody may have changed the database since the first load.
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
  return new WorkflowError('STORE_DAMAGED', storedMessages.brokenJournal(sid, revision), {
    data: { reason: 'broken-chain', sid },
  });
}

/**
 * Returns the state after all events of a journal.
 *
 * @throws WorkflowError STORE_DAMAGED if the journal does not begin with the start
 */
export function replay(sid: string, [first, ...rest]: readonly JournalEvent[]): SessionState {
  if (first?.type !== 'session-started')
    throw new WorkflowError('STORE_DAMAGED', storedMessages.noStart(sid));
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
const knownAgents = new WeakMap<SessionStore, Map<string, readonly string[]>>();
const maxKnown = 1024;

/**
 * Returns the agents of a session by number, at least up to the requested one. Agents never leave, so each is read
 * once.
 */
async function agentsOf(
  store: SessionStore,
  { sid, agent }: { readonly sid: string; readonly agent: number },
): Promise<readonly string[]> {
  const bySession = knownAgents.get(store) ?? new Map<string, readonly string[]>();
  knownAgents.set(store, bySession);
  const before = bySession.get(sid);
  if (before !== undefined && before.length >= agent) return before;
  const agents = await store.agents(sid);
  const [oldest] = bySession.keys();
  if (bySession.size >= maxKnown && oldest !== undefined) bySession.delete(oldest);
  if (agents.length > 0) bySession.set(sid, agents);
  return agents;
}

/** The definition a session runs on, and how the one served now differs from it. */
interface Pinned {
  readonly runnable: Runnable;
  readonly drift?: string;
}

/** Stores the definition for sessions that start on it. */
export async function pin(store: SessionStore, workflow: Workflow): Promise<void> {
  // A digest does not cover every field, so the served definition replaces whatever was stored under it.
  await store.putDefinition(workflow.digest, workflow as unknown as JsonObject, { isServed: true });
  kept.delete(workflow.digest);
}

/**
 * Returns the definition that a session was started on: the one served now if it is still the same, otherwise the
 * stored one.
 */
export async function pinnedDefinition(
  { workflows }: Pick<SessionParts, 'workflows'>,
  store: SessionStore,
  session: Pick<SessionRow, 'workflowId' | 'version' | 'digest' | 'unauthentic' | 'imported' | 'sealed'>,
): Promise<Pinned> {
  const served = await workflows.get(session.workflowId);
  const current = served && runnableOf(served);
  const drift = driftOf(session, current?.navigator.workflow);
  const runnable = served?.digest === session.digest ? current : undefined;
  return { runnable: runnable ?? (await keptDefinition(store, session)), ...defined({ drift }) };
}

/** Returns how the served workflow differs from the one that a session is pinned to, or `undefined` if it does not. */
function driftOf(
  { workflowId, version, digest }: Pick<SessionRow, 'workflowId' | 'version' | 'digest'>,
  served: Navigator['workflow'] | undefined,
): string | undefined {
  if (served === undefined) return driftMessages.notServed(workflowId, version);
  if (served.version !== version) return driftMessages.otherVersion(workflowId, served.version, version);
  return served.digest === digest ? undefined : driftMessages.sameVersion(workflowId, version);
}

/**
 * Definitions read from stores, the newest last. Their digest was checked, so it does not matter which store they came
 * from.
 */
const kept = new Map<string, Runnable>();
const maxKept = 64;

/**
 * Returns the definition that was stored when a session was started on it, after checking its hash.
 *
 * @throws WorkflowError STORE_DAMAGED if it is gone, or is not what its digest says
 */
export async function keptDefinition(
  store: SessionStore,
  session: Pick<SessionRow, 'digest' | 'unauthentic' | 'imported' | 'sealed'>,
): Promise<Runnable> {
  const { digest } = session;
  const known = kept.get(digest);
  if (known !== undefined) return known;
  const found = await sessionDefinition(store, session);
  if (found === undefined) throw new WorkflowError('STORE_DAMAGED', storedMessages.noDefinition());
  const { body, isSealed } = found;
  if (!isDefinitionOf(digest, body)) {
    throw new WorkflowError('STORE_DAMAGED', storedMessages.otherDefinition(), {
      data: { reason: 'unauthentic', digest, retryable: false },
    });
  }
  const runnable = runnableOf(body as unknown as Workflow);
  // A digest does not cover every field: one without a seal must not serve other sessions.
  if (!isSealed) return runnable;
  const [oldest] = kept.keys();
  if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
  kept.set(digest, runnable);
  return runnable;
}

export function isDefinitionOf(digest: string, body: JsonObject): boolean {
  try {
    const workflow = body as unknown as Workflow;
    if (workflow.digest !== digest || digestOfWorkflow(workflow) !== digest) return false;
    // No digest covers the ids that are stored beside the texts.
    const parts = workflow.kind === 'steps' ? [] : [...workflow.activities, ...workflow.skills];
    return [workflow, ...parts].every(({ id, definition }) => id === definition.id);
  } catch {
    // It does not even have the shape of a workflow.
    return false;
  }
}

/** An activity workflow made ready. */
export interface RunnableActivities {
  readonly kind: 'activities';
  readonly workflow: ActivityWorkflow;
  readonly navigator: Navigator;
}

/** A step workflow made ready. */
export interface RunnableSteps {
  readonly kind: 'steps';
  readonly workflow: StepWorkflow;
  readonly compiled: CompiledWorkflow;
  readonly navigator: Navigator;
}

/** A definition made ready to run sessions on. */
export type Runnable = RunnableActivities | RunnableSteps;

const made = new WeakMap<Workflow, Runnable>();

/** A definition made ready; once for each object. */
export function runnableOf(workflow: Workflow): Runnable {
  const runnable = made.get(workflow) ?? makeReady(workflow);
  made.set(workflow, runnable);
  return runnable;
}

function makeReady(workflow: Workflow): Runnable {
  if (workflow.kind === 'activities') {
    return { kind: 'activities', workflow, navigator: graphNavigator(workflow) };
  }
  const compiled = compileWorkflow(workflow);
  return { kind: 'steps', workflow, compiled, navigator: sequenceNavigator(compiled) };
}

/** Loads activity workflows. Ids that no source serves are left out. */
export async function loadLibrary(
  { workflows }: Pick<SessionParts, 'workflows'>,
  ids: Iterable<string>,
): Promise<Map<string, ActivityWorkflow>> {
  const library = new Map<string, ActivityWorkflow>();
  for (const id of new Set(ids)) {
    const workflow = await workflows.get(id);
    if (workflow?.kind === 'activities') library.set(id, workflow);
  }
  return library;
}

/**
 * Loads the workflows a session can refer to: its own as pinned, `meta`, the ones these name, and those a call names.
 */
export async function sessionLibrary(
  parts: SessionParts,
  { runnable }: OpenSession,
  more: readonly string[] = [],
): Promise<Library> {
  const own = runnable.kind === 'activities' ? runnable.workflow : undefined;
  const library = await loadLibrary(parts, [
    sharedWorkflowId,
    ...(own === undefined ? [] : neededWorkflows(own)),
    ...more,
  ]);
  const shared = library.get(sharedWorkflowId);
  const further = shared === undefined ? [] : neededWorkflows(shared).filter((id) => !library.has(id));
  for (const [id, workflow] of await loadLibrary(parts, further)) library.set(id, workflow);
  return own === undefined ? library : library.set(own.id, own);
}

/** Returns the scope in which a session looks up skills and resources. */
export function scopeOf({ runnable, state }: OpenSession, library: Library): Scope {
  if (runnable.kind === 'steps') return { library };
  const part = runnable.workflow.activities.find(({ id }) => id === state.current);
  return { library, workflowId: runnable.workflow.id, lender: part?.lender };
}

/** An activity of a workflow. @throws WorkflowError ACTIVITY_NOT_FOUND */
export function activityPart(workflow: ActivityWorkflow, id: string): ActivityPart {
  const part = workflow.activities.find((candidate) => candidate.id === id);
  if (part !== undefined) return part;
  throw new WorkflowError('ACTIVITY_NOT_FOUND', partMessages.noActivity(id, workflow.id), {
    data: { activity_id: id },
  });
}
