import { WorkflowError, defined } from '@workflowlookup/schema';
import type { Workflow } from '@workflowlookup/schema';
import type {
  ForeignObject,
  IndexEntry,
  PruneRequest,
  SessionRow,
  SessionStore,
} from '@workflowlookup/storage';
import { sessionStatuses } from '@workflowlookup/storage';
import type { SessionFigures } from '../insights/session-figures.ts';
import { outcomeOf, titleOf } from '../insights/session-figures.ts';
import { fillTitle } from '../library/texts.ts';
import type { Runnable } from '../session-engine/open-session.ts';
import { keptDefinition, stateOf } from '../session-engine/open-session.ts';
import { everySession, nowOf } from '../session-engine/trace.ts';
import { askedHere, placeOfQuestion } from '../session/open-checkpoints.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Node } from '../navigation/compile-workflow.ts';
import { stepIdOf } from '../navigation/next-step.ts';
import { activitiesAgain } from './activities-ahead.ts';
import type { OperatorParts } from './load-session.ts';
import type { SessionSummary } from './create-operator.ts';
import { recordedEvent } from './session-history.ts';
import type { SessionProblem } from './verify-session.ts';
import { messages } from '../messages/sessions.ts';
import { databaseProblems, operatorMessages } from '../messages/operator.ts';

const maxNamed = 5;

/** Returns the id of the one session whose id starts with a prefix. */
export async function findPrefix(store: SessionStore, prefix: string): Promise<string> {
  const found: string[] = [];
  if (prefix !== '') {
    for await (const { sid } of everySession(store, { text: prefix })) {
      if (sid === prefix) return sid;
      if (sid.startsWith(prefix)) found.push(sid);
    }
  }
  const [only, ...others] = found;
  if (only === undefined) throw new WorkflowError('NOT_FOUND', messages.noSession(prefix));
  if (others.length === 0) return only;
  throw new WorkflowError('INVALID_INPUT', operatorMessages.ambiguousId(prefix, found, maxNamed));
}

export async function summarizeSession(
  store: SessionStore,
  sid: string,
): Promise<SessionSummary | undefined> {
  const loaded = await store.load(sid);
  if (loaded === undefined) return undefined;
  const state = stateOf(loaded);
  const { outcome, current, gate: open, parked } = state;
  const { session } = loaded;
  const runnable = await keptDefinition(store, session);
  const { navigator } = runnable;
  const asked = askedHere(navigator, state);
  return {
    session,
    title: navigator.workflow.title,
    ...(await describeSession(store, { session, state }, runnable.workflow)),
    ...defined({
      outcome,
      current,
      currentName: current === undefined ? undefined : navigator.place(current, state).name,
      checkpoint: open?.checkpoint,
      checkpointName:
        asked &&
        fillTitle(asked.checkpoint.name, placeOfQuestion(state, asked.place, asked.checkpoint).context),
      parked,
    }),
    progress: { done: countDone(runnable, state), of: planned(runnable) },
  };
}

/** What a session is about and how it ended, from the index if that is up to date, or else from the journal. */
export async function describeSession(
  store: SessionStore,
  { session, state }: { readonly session: SessionRow; readonly state: SessionState },
  workflow: Workflow,
): Promise<Pick<SessionSummary, 'subject' | 'ended'>> {
  const { sid, revision, unauthentic } = session;
  const [entry] = (await store.index?.entries([sid])) ?? [];
  const known = entry?.revision === revision ? endedIn(entry) : undefined;
  if (entry !== undefined && known !== undefined)
    return { ...(entry.title !== '' && { subject: entry.title }), ...known };
  const isUnverifiedToo = unauthentic !== undefined;
  const limit = state.status === 'completed' ? revision : 1;
  const events = (await store.events(sid, { limit, isUnverifiedToo })).map(recordedEvent);
  const subject = titleOf(workflow, state, events);
  const ended = outcomeOf(workflow, state, events);
  return { ...(subject !== '' && { subject }), ...(ended !== undefined && { ended }) };
}

/** Returns the outcome in an entry, or `undefined` if the entry has no content. */
function endedIn({ figures }: Pick<IndexEntry, 'figures'>): Pick<SessionSummary, 'ended'> | undefined {
  if (!('workflowId' in figures)) return undefined;
  const { outcome } = figures as unknown as SessionFigures;
  return outcome === undefined ? {} : { ended: outcome };
}

/** Counts the activities or steps that were left and that don't have to be done again. */
function countDone(runnable: Runnable, state: SessionState): number {
  const { completed, current, status } = state;
  if (runnable.kind === 'steps') return new Set(completed.map((id) => stepIdOf(id))).size;
  if (status === 'completed') return completed.length;
  const again = activitiesAgain(runnable, state);
  return completed.filter((id) => id !== current && !again.has(id)).length;
}

function planned(runnable: Runnable): number {
  return runnable.kind === 'activities'
    ? runnable.workflow.activities.length
    : countSteps(runnable.compiled.nodes);
}

function countSteps(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + (node.kind === 'step' ? 1 : countSteps(node.body)), 0);
}

/** The sessions and problems that `verify --all` checks. */
export interface SessionSurvey {
  /** Every session that a row of the database names. */
  readonly sids: readonly string[];
  /** Problems of the database itself. */
  readonly problems: readonly Pick<SessionProblem, 'code' | 'message'>[];
}

/** Finds all sessions of a store, including those that somebody with write access to the database hid from lists. */
export async function surveySessions(store: SessionStore): Promise<SessionSurvey> {
  const survey = await store.survey?.();
  if (survey !== undefined) {
    const { sids, foreign, damage } = survey;
    const problems = [
      ...foreign.map((one) => ({ code: 'SCHEMA', message: schemaText(one) }) as const),
      ...damage.map((what) => ({ code: 'UNREADABLE', message: databaseProblems.damaged(what) }) as const),
    ];
    return { sids, problems };
  }
  const sids: string[] = [];
  for await (const { sid } of everySession(store, {})) sids.push(sid);
  return { sids, problems: [] };
}

function schemaText({ kind, name, table }: ForeignObject): string {
  if (kind === 'changed table') return databaseProblems.changedTable(name);
  return kind === 'child table'
    ? databaseProblems.foreignTable(kind, name, table)
    : databaseProblems.foreign(kind, name, table);
}

/** The effect that pruning would have. */
export interface Prunable {
  /** The sessions it would drop: old enough, of these statuses, and no running session descends from them. */
  readonly sessions: readonly SessionRow[];
  /**
   * Sessions that are kept although they are old enough, because the row does not authenticate or is not the end of the
   * session's events. Anybody with write access to the database could make them look old and completed.
   */
  readonly unauthentic: readonly SessionRow[];
}

/** Refuses statuses that no session has. A program without type checks would otherwise find nothing. */
export function checkStatuses(statuses: unknown): void {
  const data = { field: 'statuses', statuses: sessionStatuses };
  if (!Array.isArray(statuses))
    throw new WorkflowError('INVALID_INPUT', operatorMessages.noStatusList(statuses), { data });
  for (const unknown of statuses as readonly unknown[])
    if (!sessionStatuses.some((status) => status === unknown))
      throw new WorkflowError('INVALID_INPUT', operatorMessages.badStatus(unknown, sessionStatuses), {
        data: { ...data, unknown },
      });
}

/** Sorts the sessions that a request finds into those that pruning would drop and those that don't authenticate. */
export async function prunableSessions(
  store: SessionStore,
  { before, statuses }: PruneRequest,
): Promise<Prunable> {
  const held = await ancestorsOfRunning(store);
  const sessions: SessionRow[] = [];
  const unauthentic: SessionRow[] = [];
  const query = { updatedBefore: before, statuses };
  const displaced = new Set<string>();
  // An older row that somebody puts back has a genuine seal too.
  for await (const { sid } of everySession(store, { ...query, isAtEnd: false })) displaced.add(sid);
  for await (const session of everySession(store, query)) {
    if (session.unauthentic !== undefined || displaced.has(session.sid)) unauthentic.push(session);
    else if (!held.has(session.sid)) sessions.push(session);
  }
  return { sessions, unauthentic };
}

/** Drops sessions and returns their number. If heads are anchored elsewhere, the drop is recorded there too. */
export async function prune(parts: OperatorParts, request: PruneRequest): Promise<number> {
  const store = await parts.store();
  if (parts.onHead === undefined) return store.prune(request);
  const { sessions } = await prunableSessions(store, request);
  const count = await store.prune(request);
  const at = new Date(nowOf(parts)).toISOString();
  const left = new Set<string>();
  for await (const { sid } of everySession(store, { updatedBefore: request.before })) left.add(sid);
  for (const { sid, revision, hash } of sessions)
    if (!left.has(sid)) parts.onHead({ sid, revision, hash, at, status: 'pruned' });
  return count;
}

/** Returns the ancestors of sessions that run, or that may run because their row does not authenticate. */
async function ancestorsOfRunning(store: SessionStore): Promise<ReadonlySet<string>> {
  const parents = new Map<string, string | undefined>();
  const running: string[] = [];
  for await (const { sid, parentSid, status, unauthentic } of everySession(store, {})) {
    parents.set(sid, parentSid);
    if (status !== 'completed' || unauthentic !== undefined) running.push(sid);
  }
  const held = new Set<string>();
  for (const one of running)
    for (let sid = parents.get(one); sid !== undefined && !held.has(sid); sid = parents.get(sid))
      held.add(sid);
  return held;
}
