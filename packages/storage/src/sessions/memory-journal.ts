import { byCodeUnits } from '../by-code-units.ts';
import type {
  LoadedSession,
  NewSession,
  SessionCounts,
  SessionPage,
  SessionQuery,
  SessionRow,
  SessionWrite,
} from '../session-store.ts';
import { checkNewSession, checkTexts, checkWrite } from './check-write.ts';
import { finds } from './finds.ts';
import type { KeptSession, MemoryTables } from './memory-tables.ts';
import { keep } from './memory-tables.ts';
import { notKept } from './no-session.ts';
import type { PagePlace, PageStart } from './page-cursor.ts';
import { pageCursor } from './page-cursor.ts';

/** Keeps a new session; false where its id is taken. */
export function createSession(tables: MemoryTables, session: NewSession, write: SessionWrite): boolean {
  checkNewSession(session, write);
  if (tables.sessions.has(session.sid)) return false;
  if (!tables.definitions.has(session.digest)) throw notKept('definition', session.digest);
  const at = write.events[0]?.at ?? '';
  const kept: KeptSession = {
    row: { ...keep(session), status: 'active', revision: 0, hash: '', createdAt: at, updatedAt: at },
    events: [],
    calls: [],
    commands: new Map(),
    agents: [],
    delivered: new Map(),
    blobs: new Set(),
  };
  addTo(tables, kept, write);
  tables.sessions.set(session.sid, kept);
  return true;
}

/** Adds to a session that is still where the write was made for; else false. */
export function appendTo(
  tables: MemoryTables,
  { sid, revision }: { readonly sid: string; readonly revision: number },
  write: SessionWrite,
): boolean {
  checkWrite({ revision }, write);
  const kept = tables.sessions.get(sid);
  if (kept?.row.revision !== revision || kept.row.hash !== write.events[0]?.prevHash) return false;
  if (write.command !== undefined && kept.commands.has(write.command.key)) return false;
  addTo(tables, kept, write);
  return true;
}

/** A session, its snapshot and the events after it. */
export function loadSession({ sessions }: MemoryTables, sid: string): LoadedSession | undefined {
  const kept = sessions.get(sid);
  if (kept === undefined) return undefined;
  const { row: session, snapshot, events } = kept;
  const tail = events.slice(snapshot?.revision ?? 0);
  return { session, ...(snapshot !== undefined && { snapshot }), events: tail };
}

/** A page of the sessions that a query finds. */
export function findSessions(
  { sessions }: MemoryTables,
  query: SessionQuery,
  { limit, before }: PageStart,
): SessionPage {
  checkTexts(query);
  const found = [...sessions.values()]
    .map(({ row }) => row)
    .filter((row) => finds(query, row) && (before === undefined || byLastWrite(before, row) < 0))
    .toSorted(byLastWrite);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { sessions: page, ...(found.length > limit && last && { next: pageCursor(last) }) };
}

/** How many sessions there are of each status, of one principal or of all. */
export function countSessions({ sessions }: MemoryTables, principal?: string): SessionCounts {
  const counts = { active: 0, blocked: 0, completed: 0 };
  for (const { row } of sessions.values())
    if (principal === undefined || row.principal === principal) counts[row.status] += 1;
  return counts;
}

function addTo(tables: MemoryTables, kept: KeptSession, write: SessionWrite): void {
  const { events, status = kept.row.status, snapshot, command, blobs = [] } = write;
  for (const digest of blobs) if (!tables.blobs.has(digest)) throw notKept('blob', digest);
  for (const event of events) {
    const { revision, at, type, hash } = event;
    kept.events.push(keep(event));
    kept.row = Object.freeze({ ...kept.row, status, revision, hash, updatedAt: at } satisfies SessionRow);
    tables.lastChange += 1;
    const change = { cursor: tables.lastChange, sid: kept.row.sid, revision, at, type };
    tables.changes.push(Object.freeze(change));
  }
  if (snapshot !== undefined) kept.snapshot = keep(snapshot);
  if (command !== undefined) kept.commands.set(command.key, keep(command.result));
  for (const digest of blobs) kept.blobs.add(digest);
}

function byLastWrite(a: PagePlace, b: PagePlace): number {
  return byCodeUnits(b.updatedAt, a.updatedAt) || byCodeUnits(b.sid, a.sid);
}
