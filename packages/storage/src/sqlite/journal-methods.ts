import type { Seals } from '../session-store.ts';
import { pageStart } from '../sessions/page-cursor.ts';
import type { JournalMethods } from '../sessions/store-parts.ts';
import { countSessions, countSessionsOf, toCounts } from '../sql/count-sessions.ts';
import type { CallTrace } from '../sql/call-writer.ts';
import type { Connection } from './connection.ts';
import { readChanges, readEvents } from './event-rows.ts';
import { findSessions } from './find-sessions.ts';
import { appendTo, createSession, loadSession } from './journal-tasks.ts';
import { createMissCheck } from './miss-check.ts';
import { readSession } from './session-rows.ts';
import { readCommand } from './side-rows.ts';

/** What a SQLite store does with sessions and their journals. */
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
      if (isKept) trace.kept(before);
      return isKept;
    },
    async recorded(sid, key) {
      return connection.read((db) => readCommand(db, seals, sid, key));
    },
    async events(sid, { after = 0, limit = Infinity } = {}) {
      return connection.read((db) => {
        const session = readSession(db, seals, sid) ?? checkMiss(db, 'sessions');
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
