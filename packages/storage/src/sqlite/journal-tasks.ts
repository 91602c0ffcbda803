import type { LoadedSession, NewSession, SessionWrite } from '../session-store.ts';
import { notKept } from '../sessions/no-session.ts';
import { toLoaded } from '../sql/stored-events.ts';
import { begunSession, headAfter, placeBefore } from '../sql/stored-session.ts';
import { hasDefinition, nameBlobs } from './content-rows.ts';
import type { SqliteDatabase } from './driver.ts';
import { insertEvents, readEvents } from './event-rows.ts';
import { insertSession, moveSession, readSession, readSessionAndSnapshot } from './session-rows.ts';
import { insertCommand } from './side-rows.ts';

/** Keeps a new session with its first events; false where its id is taken. */
export function createSession(db: SqliteDatabase, session: NewSession, write: SessionWrite): boolean {
  if (readSession(db, session.sid) !== undefined) return false;
  if (!hasDefinition(db, session.digest)) throw notKept('definition', session.digest);
  const made = begunSession(session, write);
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
  const { snapshot, command } = write;
  const status = write.status ?? readSession(db, sid)?.status;
  if (status === undefined) return false;
  const from = placeBefore(sid, write, revision);
  if (command !== undefined && !insertCommand(db, from, command)) return false;
  if (!moveSession(db, headAfter(from, write, status), { from, snapshot })) return false;
  addTo(db, sid, write);
  return true;
}

/** A session, its snapshot and the events after it, found whole. */
export function loadSession(db: SqliteDatabase, sid: string): LoadedSession | undefined {
  const found = readSessionAndSnapshot(db, sid);
  if (found === undefined) return undefined;
  const { session, snapshot } = found;
  const events = readEvents(db, sid, { after: snapshot?.revision ?? 0, upTo: session.revision });
  return toLoaded(session, snapshot, events);
}

function addTo(db: SqliteDatabase, sid: string, { events, blobs = [] }: SessionWrite): void {
  insertEvents(db, sid, events);
  nameBlobs(db, sid, blobs);
}
