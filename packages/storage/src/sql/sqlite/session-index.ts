import type { SessionIndex, Seals } from '../../sessions/session-store.ts';
import {
  selectFound,
  indexColumns,
  indexNumberColumns,
  indexTextColumns,
  indexValues,
  selectOutdated,
  toEntries,
  toGap,
} from '../session-queries.ts';
import type { Connection } from './connection.ts';
import { textColumns } from './driver.ts';
import { sqliteDialect } from './journal.ts';

const selected = [textColumns(...indexTextColumns), ...indexNumberColumns].join(', ');
const outdated = selectOutdated('CAST(found.sid AS BLOB) AS sid');

const insert = `
  INSERT INTO session_index (${indexColumns.join(', ')})
  SELECT ${indexColumns.map(() => '?').join(', ')} WHERE EXISTS (SELECT 1 FROM sessions WHERE sid = ?)
  ON CONFLICT (sid) DO UPDATE SET ${indexColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Makes the index of a SQLite store. A database that does not exist is not created. */
export function sessionIndex(connection: Connection, seals: Seals): SessionIndex {
  const drop = async (sids: readonly string[]): Promise<void> => {
    await connection.write((db) =>
      db.run('DELETE FROM session_index WHERE sid IN (SELECT value FROM json_each(?))', [
        JSON.stringify(sids),
      ]),
    );
  };
  return {
    async outdated(version, limit) {
      if (!connection.isMade()) return [];
      return connection.read((db) => db.all(outdated, [version, limit]).map(toGap));
    },
    async put(version, entries) {
      if (entries.length === 0) return;
      await connection.write((db) => {
        for (const entry of entries) db.run(insert, [...indexValues(seals, version, entry), entry.sid]);
      });
    },
    async entries(sids) {
      if (sids.length === 0 || !connection.isMade()) return [];
      const found = await connection.read((db) =>
        db.all(`SELECT ${selected} FROM session_index WHERE sid IN (SELECT value FROM json_each(?))`, [
          JSON.stringify(sids),
        ]),
      );
      return toEntries(seals, found, drop);
    },
    async select(query) {
      if (!connection.isMade()) return [];
      const { sql, values } = selectFound(query, sqliteDialect);
      const found = await connection.read((db) =>
        db.all(`SELECT ${selected} FROM session_index WHERE sid IN (${sql})`, values),
      );
      return toEntries(seals, found, drop);
    },
  };
}
