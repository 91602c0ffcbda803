import type { Seals, SessionPage, SessionQuery } from '../session-store.ts';
import type { PageStart } from '../sessions/page-cursor.ts';
import { findClauses, toPage } from '../sql/find-clauses.ts';
import type { SqliteDatabase } from './driver.ts';
import { sessionColumns } from './session-rows.ts';

const dialect = {
  hasStatus: 'status IN (SELECT value FROM json_each(?))',
  mentions: (column: string) => `instr(lower(${column}), lower(?)) > 0`,
};

/** A page of the sessions that a query finds. */
export function findSessions(
  db: SqliteDatabase,
  seals: Seals,
  query: SessionQuery,
  page: PageStart,
): SessionPage {
  const { sql, values } = findClauses(query, page, dialect);
  return toPage(seals, db.all(`SELECT ${sessionColumns} FROM sessions ${sql}`, values), page);
}
