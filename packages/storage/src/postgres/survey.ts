import type { StoreSurvey } from '../session-store.ts';
import type { Connection } from './connection.ts';

/**
 * What the database holds. A row that names a session tells of it although its own row is gone. Postgres checks no tables
 * by itself, so it reports no damage.
 */
export async function surveyOf(connection: Connection): Promise<StoreSurvey> {
  return connection.write(async (db) => {
    for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan'])
      await db.once(`SET LOCAL enable_${way} = off`);
    const sids = await db.once(namedSids);
    const foreign = await db.once(foreignObjects);
    return {
      sids: sids.map(({ sid }) => String(sid)),
      foreign: foreign.map(({ kind, name, table }) => ({
        kind: String(kind),
        name: String(name),
        table: String(table),
      })),
      damage: [],
    };
  });
}

const namedSids = `
  SELECT sid FROM sessions UNION SELECT sid FROM events UNION SELECT sid FROM commands ORDER BY sid`;

/**
 * A view is a rule on its own name. Rows of a table that inherits from one of ours are read as rows of ours, so it counts
 * as well, in whatever schema it is. A partition of a table of ours is part of it.
 */
const foreignObjects = `
  WITH RECURSIVE found AS (
    SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace('workflowlookup')
    UNION SELECT inhrelid FROM pg_inherits JOIN found ON inhparent = found.oid),
  ours AS (
    SELECT pg_class.oid, relkind, relispartition, relrowsecurity OR relforcerowsecurity AS has_security,
      CASE nspname WHEN 'workflowlookup' THEN relname::text ELSE nspname || '.' || relname END COLLATE "C" AS relname
    FROM pg_class JOIN found USING (oid) JOIN pg_namespace ON pg_namespace.oid = relnamespace)
  SELECT 'trigger' AS kind, tgname::text COLLATE "C" AS name, relname AS table FROM pg_trigger JOIN ours ON tgrelid = ours.oid
  WHERE NOT tgisinternal
  UNION ALL
  SELECT 'rule', rulename, relname FROM pg_rewrite JOIN ours ON ev_class = ours.oid
  UNION ALL
  SELECT 'row security', relname, relname FROM ours WHERE has_security
  UNION ALL
  SELECT 'foreign table', relname, relname FROM ours WHERE relkind = 'f'
  UNION ALL
  SELECT 'child table', child.relname, parent.relname FROM pg_inherits
  JOIN ours AS child ON child.oid = inhrelid JOIN ours AS parent ON parent.oid = inhparent
  WHERE NOT child.relispartition
  ORDER BY 1, 2, 3`;
