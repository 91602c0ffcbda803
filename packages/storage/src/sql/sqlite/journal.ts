import type { JournalMethods, PageStart } from '../../sessions/checked-store.ts';
import { pageStart } from '../../sessions/checked-store.ts';
import { notStored } from '../../sessions/errors.ts';
import type {
  LoadedSession,
  NewSession,
  Seals,
  SessionPage,
  SessionQuery,
  SessionWrite,
} from '../../sessions/session-store.ts';
import type { FindDialect } from '../session-queries.ts';
import { countSessions, countSessionsOf, findClauses, toCounts, toPage } from '../session-queries.ts';
import { toLoaded } from '../stored-events.ts';
import { startedSession, updatedSession, headBefore } from '../stored-session.ts';
import type { CallTrace, CallsBefore } from '../write-behind.ts';
import { insertCall, insertCommand, readCommand, hasDefinition, recordBlobs } from './contents.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import {
  insertEvents,
  insertSession,
  updateSession,
  readChanges,
  readEvents,
  readSession,
  readSessionAndSnapshot,
  sessionColumns,
} from './session-rows.ts';
import { createMissCheck } from './driver.ts';

export function journalMethods(connection: Connection, seals: Seals, trace: CallTrace): JournalMethods {
  const checkMiss = createMissCheck();
  return {
    async create(session, write) {
      return connection.write((db) => createSession(db, seals, session, write));
    },
    async load(sid) {
      return connection.read((db) => loadSession(db, seals, sid) ?? checkMiss(db, 'sessions'));
    },
    async append(sid, revision, write) {
      const before = trace.before(sid);
      const isKept = await connection.write((db) =>
        appendTo(db, seals, { sid, revision }, { write, before }),
      );
      if (isKept) trace.confirm(before);
      return isKept;
    },
    async recorded(sid, key) {
      return connection.read((db) => readCommand(db, seals, sid, key));
    },
    async events(sid, { after = 0, limit = Infinity, ...reading } = {}) {
      return connection.read((db) => {
        const session = readSession(db, seals, sid, reading) ?? checkMiss(db, 'sessions');
        if (session === undefined) return [];
        return readEvents(db, seals, session, { after, upTo: Math.min(session.revision, after + limit) });
      });
    },
    async find(query, page = {}) {
      const start = pageStart(page);
      return connection.read((db) => findSessions(db, seals, query, start));
    },
    async counts(principal) {
      if (!connection.isMade()) return toCounts([]);
      return connection.read((db) =>
        toCounts(principal === undefined ? db.all(countSessions) : db.all(countSessionsOf('?'), [principal])),
      );
    },
    changes: async (after, limit) => connection.read((db) => readChanges(db, after, limit)),
  };
}

/** Stores a new session with its first events. Returns false if the id is taken. */
function createSession(db: SqliteDatabase, seals: Seals, session: NewSession, write: SessionWrite): boolean {
  if (db.all('SELECT 1 AS one FROM sessions WHERE sid = ?', [session.sid]).length > 0) return false;
  if (!hasDefinition(db, session.digest)) throw notStored('definition', session.digest);
  const begun = startedSession(session, write);
  insertSession(db, seals, begun, write);
  if (write.command !== undefined) insertCommand(db, seals, begun, write.command);
  insertEvents(db, seals, begun, { events: write.events, follows: null });
  recordBlobs(db, session.sid, write.blobs ?? []);
  return true;
}

/** Adds events to a session. Returns false, and stores nothing, if the session is not at the expected revision. */
function appendTo(
  db: SqliteDatabase,
  seals: Seals,
  { sid, revision }: { readonly sid: string; readonly revision: number },
  { write, before }: { readonly write: SessionWrite; readonly before: CallsBefore },
): boolean {
  const { command } = write;
  const session = write.session ?? readSession(db, seals, sid);
  if (session === undefined) return false;
  const from = headBefore(sid, write, revision);
  const moved = updatedSession(session, write);
  if (command !== undefined && !insertCommand(db, seals, from, command)) return false;
  if (!updateSession(db, seals, moved, { from, write })) return false;
  for (const call of before.calls) insertCall(db, call);
  insertEvents(db, seals, moved, { events: write.events, follows: before.follows });
  recordBlobs(db, sid, write.blobs ?? []);
  return true;
}

/** Returns a session with its snapshot and the verified events after it. */
function loadSession(db: SqliteDatabase, seals: Seals, sid: string): LoadedSession | undefined {
  const found = readSessionAndSnapshot(db, seals, sid);
  if (found === undefined) return undefined;
  const { session, snapshot } = found;
  const span = { after: snapshot?.revision ?? 0, upTo: session.revision };
  return toLoaded(session, snapshot, readEvents(db, seals, session, span));
}

export const sqliteDialect: FindDialect = {
  isIn: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  mentions: (column) => `instr(lower(${column}), lower(?)) > 0`,
  contains: (column) => `instr(${column}, ?) > 0`,
};

function findSessions(db: SqliteDatabase, seals: Seals, query: SessionQuery, page: PageStart): SessionPage {
  const { sql, values } = findClauses(query, page, sqliteDialect);
  return toPage(seals, db.all(`SELECT ${sessionColumns} FROM sessions ${sql}`, values), page);
}
