import type { PruneRequest, SessionRow, SessionStore } from '@workflowlookup/storage';
import { everySession } from './every-session.ts';

/** The sessions that pruning would drop: old enough, of these statuses, and no running session descends from them. */
export async function prunableSessions(
  store: SessionStore,
  { before, statuses }: PruneRequest,
): Promise<readonly SessionRow[]> {
  const held = await ancestorsOfRunning(store);
  const found: SessionRow[] = [];
  for await (const session of everySession(store, { updatedBefore: before, statuses })) {
    if (!held.has(session.sid)) found.push(session);
  }
  return found;
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
