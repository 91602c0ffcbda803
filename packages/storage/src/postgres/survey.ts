import type { StoreSurvey } from '../session-store.ts';
import type { Connection } from './connection.ts';

/** What the database holds. Postgres checks no tables by itself, so it reports no damage. */
export async function surveyOf(connection: Connection): Promise<StoreSurvey> {
  return connection.write(async (db) => {
    for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan'])
      await db.once(`SET LOCAL enable_${way} = off`);
    const sids = await db.once('SELECT sid FROM sessions ORDER BY sid');
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

/** A view is a rule on its own name. */
const foreignObjects = `
  WITH ours AS (SELECT oid, relname, relkind, relrowsecurity OR relforcerowsecurity AS has_security
                FROM pg_class WHERE relnamespace = to_regnamespace('workflowlookup'))
  SELECT 'trigger' AS kind, tgname AS name, relname AS table FROM pg_trigger JOIN ours ON tgrelid = ours.oid
  WHERE NOT tgisinternal
  UNION ALL
  SELECT 'rule', rulename, relname FROM pg_rewrite JOIN ours ON ev_class = ours.oid
  UNION ALL
  SELECT 'row security', relname, relname FROM ours WHERE has_security
  UNION ALL
  SELECT 'foreign table', relname, relname FROM ours WHERE relkind = 'f'
  ORDER BY 1, 2, 3`;
