import type { OperatorParts } from './load-run.ts';
import type { PruneRequest, SessionRow, SessionStore } from '@workflowlookup/storage';
import { nowOf } from '../session-engine/clock.ts';
import { everySession } from './every-session.ts';

/**
 * The sessions that pruning would drop: old enough, of these statuses, and no running session descends from them. One
 * that does not authenticate stays: whoever can write to the database could say that it is over, and old.
 */
export async function prunableSessions(
  store: SessionStore,
  { before, statuses }: PruneRequest,
): Promise<readonly SessionRow[]> {
  const held = await ancestorsOfRunning(store);
  const found: SessionRow[] = [];
  for await (const session of everySession(store, { updatedBefore: before, statuses })) {
    if (session.unauthentic === undefined && !held.has(session.sid)) found.push(session);
  }
  return found;
}

/** Drops sessions and returns how many; where heads are written down elsewhere, so is that these were dropped. */
export async function prune(parts: OperatorParts, request: PruneRequest): Promise<number> {
  const store = await parts.store();
  if (parts.onHead === undefined) return store.prune(request);
  const sessions = await prunableSessions(store, request);
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
