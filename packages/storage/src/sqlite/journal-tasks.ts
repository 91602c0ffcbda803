import type { LoadedSession, NewSession, SessionRow, SessionWrite } from '../session-store.ts';
import { notKept } from '../sessions/no-session.ts';
import { hasDefinition, nameBlobs } from './content-rows.ts';
import type { SqliteDatabase } from './driver.ts';
import { insertEvents, readEvents } from './event-rows.ts';
import { insertSession, moveSession, readSession, readSessionAndSnapshot } from './session-rows.ts';
import { insertCommand } from './side-rows.ts';
import { damagedStore } from './storage-failure.ts';

/** Keeps a new session with its first events; false where its id is taken. */
export function createSession(db: SqliteDatabase, session: NewSession, write: SessionWrite): boolean {
  if (readSession(db, session.sid) !== undefined) return false;
  if (!hasDefinition(db, session.digest)) throw notKept('definition', session.digest);
  const at = write.events[0]?.at ?? '';
  const begun: SessionRow = {
    ...session,
    status: 'active',
    revision: 0,
    hash: '',
    createdAt: at,
    updatedAt: at,
  };
  const made = after(begun, write);
  insertSession(db, made, write.snapshot);
  if (write.command !== undefined) insertCommand(db, made, write.command);
  addTo(db, session.sid, write);
  return true;
}

/** Adds to a session that is still where the write was made for; else false, and then nothing is kept. */
export function appendTo(
  db: SqliteDatabase,
  { sid, revision }: { readonly sid: string; readonly revision: number },
  write: SessionWrite,
): boolean {
  const { events, snapshot, command } = write;
  const [first, last] = [events[0], events.at(-1)];
  const status = write.status ?? readSession(db, sid)?.status;
  if (first === undefined || last === undefined || status === undefined) return false;
  const from = { sid, revision, hash: first.prevHash };
  if (command !== undefined && !insertCommand(db, from, command)) return false;
  const head = { sid, status, revision: last.revision, hash: last.hash, updatedAt: last.at };
  if (!moveSession(db, head, { from, snapshot })) return false;
  addTo(db, sid, write);
  return true;
}

/** A session, its snapshot and the events after it, found whole. */
export function loadSession(db: SqliteDatabase, sid: string): LoadedSession | undefined {
  const found = readSessionAndSnapshot(db, sid);
  if (found === undefined) return undefined;
  const { session, snapshot } = found;
  const events = readEvents(db, sid, { after: snapshot?.revision ?? 0, upTo: session.revision });
  if (events.length > 0 && events.at(-1)?.hash !== session.hash)
    throw damagedStore(`the journal of session '${sid}' does not end as its session says`);
  return { session, ...(snapshot !== undefined && { snapshot }), events };
}

function addTo(db: SqliteDatabase, sid: string, { events, blobs = [] }: SessionWrite): void {
  insertEvents(db, sid, events);
  nameBlobs(db, sid, blobs);
}

/** The session as a write leaves it. */
function after(session: SessionRow, { events, status = session.status }: SessionWrite): SessionRow {
  const last = events.at(-1);
  if (last === undefined) return session;
  return { ...session, status, revision: last.revision, hash: last.hash, updatedAt: last.at };
}
