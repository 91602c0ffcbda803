import type { ForeignObject, StoreSurvey } from '../session-store.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

/** What the database holds. A row that names a session tells of it although its own row, or what an index says of it, is gone. */
export function surveyOf(db: SqliteDatabase): StoreSurvey {
  const named = ['sessions', 'events', 'commands'].map((table) => `SELECT sid FROM ${table} NOT INDEXED`);
  const sids = db.all(`SELECT ${textColumns('sid')} FROM (${named.join(' UNION ')}) ORDER BY 1`);
  const foreign = db.all(
    `SELECT ${textColumns('type', 'name', 'tbl_name')} FROM sqlite_schema WHERE type IN ('trigger', 'view')`,
  );
  const checked = db.all(`SELECT ${textColumns('integrity_check')} FROM pragma_integrity_check(100)`);
  return {
    sids: sids.map(({ sid }) => String(sid)),
    foreign: foreign.map(({ type, name, tbl_name: table }) => ({
      kind: String(type) as ForeignObject['kind'],
      name: String(name),
      table: String(table),
    })),
    damage: checked.map((row) => String(row['integrity_check'])).filter((found) => found !== 'ok'),
  };
}
