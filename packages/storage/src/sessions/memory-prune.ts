import type { PruneRequest, SessionRow } from '../session-store.ts';
import { checkTime } from './check-write.ts';
import type { Contents, MemoryTables } from './memory-tables.ts';

/** Drops sessions, then what nothing refers to any more; returns how many sessions. */
export function pruneSessions(tables: MemoryTables, { before, statuses }: PruneRequest): number {
  checkTime(before);
  const { sessions, definitions, blobs } = tables;
  const rows = [...sessions.values()].map(({ row }) => row);
  const held = runningAncestors(rows);
  const gone = rows.filter(
    ({ sid, status, updatedAt }) => statuses.includes(status) && updatedAt < before && !held.has(sid),
  );
  for (const { sid } of gone) sessions.delete(sid);
  tables.changes = tables.changes.filter(({ sid }) => sessions.has(sid));
  const left = [...sessions.values()];
  sweep(definitions, before, new Set(left.map(({ row }) => row.digest)));
  sweep(blobs, before, new Set(left.flatMap((kept) => [...kept.blobs])));
  return gone.length;
}

/** The sessions that a running one descends from. */
function runningAncestors(rows: readonly SessionRow[]): ReadonlySet<string> {
  const parents = new Map(rows.map(({ sid, parentSid }) => [sid, parentSid]));
  const held = new Set<string>();
  for (const { status, parentSid } of rows) {
    if (status === 'completed') continue;
    for (let sid = parentSid; sid !== undefined && !held.has(sid); sid = parents.get(sid)) held.add(sid);
  }
  return held;
}

function sweep<T>(contents: Contents<T>, before: string, needed: ReadonlySet<string>): void {
  for (const [digest, { putAt }] of contents)
    if (putAt < before && !needed.has(digest)) contents.delete(digest);
}
