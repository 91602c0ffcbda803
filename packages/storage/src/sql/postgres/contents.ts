import { canonicalJson, digestOf } from '@workflowlookup/schema';
import type { ContentMethods } from '../../sessions/checked-store.ts';
import type { Seals } from '../../sessions/session-store.ts';
import { byCodeUnits } from '../../utilities.ts';
import { isKeptDefinition, toBlob, toDefinition } from '../stored-contents.ts';
import type { SqlRow } from '../stored-session.ts';
import type { Connection } from './connection.ts';

/** The methods of a Postgres store for definitions and large values. Existing ones are not sent again. */
export function contentMethods(connection: Connection, seals: Seals, now: () => number): ContentMethods {
  const at = (): string => new Date(now()).toISOString();

  async function definition(digest: string): Promise<SqlRow | undefined> {
    const [row] = await connection.all('SELECT body, seal FROM definitions WHERE digest = $1', [digest]);
    return row;
  }

  return {
    async putDefinition(digest, body, { isUnsealed = false, isServed = false } = {}) {
      const text = JSON.stringify(body);
      const found = await definition(digest);
      if (found !== undefined && isKeptDefinition(seals, found, { digest, body, isServed })) return;
      if (isUnsealed) {
        await connection.all(
          'INSERT INTO definitions (digest, body, put_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [digest, text, at()],
        );
        return;
      }
      await connection.all(
        `INSERT INTO definitions (digest, body, seal, put_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (digest) DO UPDATE SET body = excluded.body, seal = excluded.seal`,
        [digest, text, seals.make('definition', [digest, text]), at()],
      );
    },
    async getDefinition(digest, options) {
      const row = await definition(digest);
      return row && toDefinition(seals, digest, row, options);
    },
    async putBlob(value) {
      const text = canonicalJson(value);
      const digest = digestOf(value);
      const [kept] = await connection.all('SELECT 1 FROM blobs WHERE digest = $1', [digest]);
      if (kept !== undefined) return digest;
      await connection.all(
        'INSERT INTO blobs (digest, value, put_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [digest, text, at()],
      );
      return digest;
    },
    async getBlob(digest) {
      const [row] = await connection.all('SELECT value FROM blobs WHERE digest = $1', [digest]);
      return row && toBlob(digest, String(row['value']));
    },
    async blobs(sid) {
      const rows = await connection.all('SELECT digest FROM session_blobs WHERE sid = $1', [sid]);
      return rows.map(({ digest }) => String(digest)).toSorted(byCodeUnits);
    },
  };
}
