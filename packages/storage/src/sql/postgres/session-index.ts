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
import { numbered, postgresDialect } from './journal.ts';

const selected = [...indexTextColumns, ...indexNumberColumns].join(', ');
const outdated = numbered(selectOutdated('found.sid'));

const types = indexColumns.map((name) =>
  name === 'calls' ? 'bigint' : name === 'version' || name === 'revision' ? 'integer' : 'text',
);

const insert = `
  INSERT INTO session_index (${indexColumns.join(', ')})
  SELECT ${types.map((type, at) => `$${at + 1}::${type}`).join(', ')} FROM sessions WHERE sid = $1
  ON CONFLICT (sid) DO UPDATE SET ${indexColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Makes the index of a Postgres store. */
export function sessionIndex(connection: Connection, seals: Seals): SessionIndex {
  const drop = async (sids: readonly string[]): Promise<void> => {
    await connection.once('DELETE FROM session_index WHERE sid = ANY ($1)', [sids]);
  };
  return {
    outdated: async (version, limit) => (await connection.once(outdated, [version, limit])).map(toGap),
    async put(version, entries) {
      // In the order of their ids, so that two servers that store the same entries don't wait for each other forever.
      const ordered = entries.toSorted((a, b) => (a.sid < b.sid ? -1 : 1));
      if (ordered.length === 0) return;
      await connection.write(async (db) => {
        for (const entry of ordered) await db.all(insert, indexValues(seals, version, entry));
      });
    },
    async entries(sids) {
      if (sids.length === 0) return [];
      const found = await connection.all(`SELECT ${selected} FROM session_index WHERE sid = ANY ($1)`, [
        sids,
      ]);
      return toEntries(seals, found, drop);
    },
    async select(query) {
      const { sql, values } = selectFound(query, postgresDialect);
      const found = await connection.once(
        `SELECT ${selected} FROM session_index WHERE sid IN (${numbered(sql)})`,
        values,
      );
      return toEntries(seals, found, drop);
    },
  };
}
