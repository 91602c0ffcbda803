import { canonicalJson, digestOf } from '@workflowlookup/schema';
import { byCodeUnits } from '../by-code-units.ts';
import type { ContentMethods } from '../sessions/store-parts.ts';
import { checksum, guardedJson } from '../sql/guarded-json.ts';
import { toBlob } from '../sql/stored-contents.ts';
import type { Connection } from './connection.ts';

/** What a Postgres store does with what is kept by its digest. What is there is not sent again. */
export function contentMethods(connection: Connection, now: () => number): ContentMethods {
  const at = (): string => new Date(now()).toISOString();

  async function has(table: 'definitions' | 'blobs', digest: string): Promise<boolean> {
    return (await connection.all(`SELECT 1 FROM ${table} WHERE digest = $1`, [digest])).length > 0;
  }

  return {
    async putDefinition(digest, body) {
      const text = JSON.stringify(body);
      if (await has('definitions', digest)) return;
      await connection.all(
        'INSERT INTO definitions (digest, body, crc, put_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        [digest, text, checksum([text]), at()],
      );
    },
    async getDefinition(digest) {
      const [row] = await connection.all('SELECT body, crc FROM definitions WHERE digest = $1', [digest]);
      return row && guardedJson(row, 'body');
    },
    async putBlob(value) {
      const text = canonicalJson(value);
      const digest = digestOf(value);
      if (await has('blobs', digest)) return digest;
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
