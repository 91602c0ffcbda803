import type { PruneRequest, SessionRow, SessionStore } from '@workflowlookup/storage';
import { nowOf } from '../session-engine/clock.ts';
import { everySession } from './every-session.ts';
import type { OperatorParts } from './load-run.ts';

/** What pruning would do. */
export interface Prunable {
  /** The sessions it would drop: old enough, of these statuses, and no running session descends from them. */
  readonly sessions: readonly SessionRow[];
  /**
   * Those it leaves although they are old enough: the row does not authenticate, or is not the end of the session's events.
   * Whoever can write to the database could say that they are over, and old.
   */
  readonly unauthentic: readonly SessionRow[];
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

/** Drops sessions and returns how many; where heads are written down elsewhere, so is that these were dropped. */
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

/** A parent that does not authenticate names nobody that pruning would spare. */
async function parentOf(store: SessionStore, sid: string): Promise<string | undefined> {
  for await (const session of everySession(store, { text: sid }))
    if (session.sid === sid) return session.parentSid;
  return undefined;
}

async function ancestorsOfRunning(store: SessionStore): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for await (const { parentSid } of everySession(store, { statuses: ['active', 'blocked'] })) {
    let sid = parentSid;
    while (sid !== undefined && !held.has(sid)) {
      held.add(sid);
      sid = await parentOf(store, sid);
    }
  }
  return held;
}
