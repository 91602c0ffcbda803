import type { Seals } from '../session-store.ts';
import { notKept } from '../sessions/no-session.ts';
import { pageStart } from '../sessions/page-cursor.ts';
import type { JournalMethods } from '../sessions/store-parts.ts';
import { countSessions, countSessionsOf, toCounts } from '../sql/count-sessions.ts';
import type { CallTrace } from '../sql/call-writer.ts';
import { toCommand } from '../sql/stored-contents.ts';
import { begunSession, placeBefore } from '../sql/stored-session.ts';
import { readChanges } from './changes.ts';
import type { Connection } from './connection.ts';
import { findSessions } from './find-sessions.ts';
import { loadSession, readEvents } from './read-session.ts';
import { brokenConstraint } from './storage-failure.ts';
import { insertSession, moveSession } from './write-session.ts';

/** What a Postgres store does with sessions and their journals. */
export function journalMethods(connection: Connection, seals: Seals, trace: CallTrace): JournalMethods {
  return {
    async create(session, write) {
      try {
        return await connection.run((db) => insertSession(db, seals, begunSession(session, write), write));
      } catch (error) {
        if (brokenConstraint(error) === 'sessions_definition') throw notKept('definition', session.digest);
        throw error;
      }
    },
    load: (sid) => loadSession(connection, seals, sid),
    async append(sid, revision, write) {
      const before = trace.before(sid);
      const from = placeBefore(sid, write, revision);
      const isKept = await connection.run((db) => moveSession(db, seals, from, { write, before }));
      if (isKept) trace.kept(before);
      return isKept;
    },
    async recorded(sid, key) {
      const command = 'SELECT key, result, seal FROM commands WHERE sid = $1 AND key = $2';
      const [row] = await connection.all(command, [sid, key]);
      return row && toCommand(seals, sid, row);
    },
    events: (sid, range = {}) => readEvents(connection, seals, sid, range),
    find: (query, page = {}) => findSessions(connection, seals, query, pageStart(page)),
    counts: async (principal) =>
      toCounts(
        principal === undefined
          ? await connection.all(countSessions)
          : await connection.all(countSessionsOf('$1'), [principal]),
      ),
    changes: (after, limit) => readChanges(connection, after, limit),
  };
}
