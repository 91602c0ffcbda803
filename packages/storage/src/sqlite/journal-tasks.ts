import type { LoadedSession, NewSession, Seals, SessionWrite } from '../session-store.ts';
import { notKept } from '../sessions/no-session.ts';
import type { CallsBefore } from '../sql/call-writer.ts';
import { toLoaded } from '../sql/stored-events.ts';
import { begunSession, movedSession, placeBefore } from '../sql/stored-session.ts';
import { hasDefinition, nameBlobs } from './content-rows.ts';
import type { SqliteDatabase } from './driver.ts';
import { insertEvents, readEvents } from './event-rows.ts';
import { insertSession, moveSession, readSession, readSessionAndSnapshot } from './session-rows.ts';
import { insertCall, insertCommand } from './side-rows.ts';

/** Keeps a new session with its first events; false where its id is taken. */
export function createSession(
  db: SqliteDatabase,
  seals: Seals,
  session: NewSession,
  write: SessionWrite,
): boolean {
  if (db.all('SELECT 1 AS one FROM sessions WHERE sid = ?', [session.sid]).length > 0) return false;
  if (!hasDefinition(db, session.digest)) throw notKept('definition', session.digest);
  const begun = begunSession(session, write);
  insertSession(db, seals, begun, write);
  if (write.command !== undefined) insertCommand(db, seals, begun, write.command);
  insertEvents(db, seals, begun, { events: write.events, follows: null });
  nameBlobs(db, session.sid, write.blobs ?? []);
  return true;
}

/** Adds to a session that is still where the write was made for; else false, and then nothing is kept. */
export function appendTo(
  db: SqliteDatabase,
  seals: Seals,
  { sid, revision }: { readonly sid: string; readonly revision: number },
  { write, before }: { readonly write: SessionWrite; readonly before: CallsBefore },
): boolean {
  const { command } = write;
  const session = write.session ?? readSession(db, seals, sid);
  if (session === undefined) return false;
  const from = placeBefore(sid, write, revision);
  const moved = movedSession(session, write);
  if (command !== undefined && !insertCommand(db, seals, from, command)) return false;
  if (!moveSession(db, seals, moved, { from, write })) return false;
  for (const call of before.calls) insertCall(db, call);
  insertEvents(db, seals, moved, { events: write.events, follows: before.follows });
  nameBlobs(db, sid, write.blobs ?? []);
  return true;
}

/** A session, its snapshot and the events after it, found whole. */
export function loadSession(db: SqliteDatabase, seals: Seals, sid: string): LoadedSession | undefined {
  const found = readSessionAndSnapshot(db, seals, sid);
  if (found === undefined) return undefined;
  const { session, snapshot } = found;
  const span = { after: snapshot?.revision ?? 0, upTo: session.revision };
  return toLoaded(session, snapshot, readEvents(db, seals, session, span));
}
