import type { StoreSurvey } from '../session-store.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

/** What servers make. Nothing else is passed over: SQLite reads what somebody wrote to this table in any case of letters. */
const ours = `(type IN ('table', 'index') AND
  (sql IS NULL OR sql LIKE 'CREATE TABLE %' OR sql LIKE 'CREATE INDEX %' OR sql LIKE 'CREATE UNIQUE INDEX %'))`;

/** What the database holds. A row that names a session tells of it although its own row, or what an index says of it, is gone. */
export function surveyOf(db: SqliteDatabase): StoreSurvey {
  const named = ['sessions', 'events', 'commands'].map((table) => `SELECT sid FROM ${table} NOT INDEXED`);
  const sids = db.all(`SELECT ${textColumns('sid')} FROM (${named.join(' UNION ')}) ORDER BY 1`);
  const foreign = db.all(
    `SELECT ${textColumns('type', 'name', 'tbl_name')} FROM sqlite_schema WHERE ${ours} IS NOT TRUE
     ORDER BY sqlite_schema.type, sqlite_schema.name`,
  );
  // Not as a function of SQL, which gives way to a table of that name.
  const checked = db.all('PRAGMA integrity_check(100)');
  return {
    sids: sids.map(({ sid }) => String(sid)),
    foreign: foreign.map(({ type, name, tbl_name: table }) => ({
      kind: String(type).toLowerCase(),
      name: String(name),
      table: String(table),
    })),
    damage: checked.map((row) => String(row['integrity_check'])).filter((found) => found !== 'ok'),
  };
}
