import type { Seals, SessionPage, SessionQuery } from '../session-store.ts';
import type { PageStart } from '../sessions/page-cursor.ts';
import { findClauses, toPage } from '../sql/find-clauses.ts';
import type { PostgresDatabase } from './database.ts';
import { sessionColumns } from './read-session.ts';

const dialect = {
  hasStatus: 'status IN (SELECT json_array_elements_text(?::json))',
  mentions: (column: string) => `strpos(lower(${column}), lower(?::text COLLATE "C")) > 0`,
};

/** A page of the sessions that a query finds. */
export async function findSessions(
  db: PostgresDatabase,
  seals: Seals,
  query: SessionQuery,
  page: PageStart,
): Promise<SessionPage> {
  const { sql, values } = findClauses(query, page, dialect);
  let count = 0;
  const numbered = sql.replaceAll('?', () => `$${(count += 1)}`);
  return toPage(seals, await db.once(`SELECT ${sessionColumns} FROM sessions ${numbered}`, values), page);
}
