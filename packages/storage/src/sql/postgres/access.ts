import type { AccessStore } from '../../sessions/access-store.ts';
import { checkedAccess, expiryCutoff } from '../../sessions/checked-store.ts';
import { apiKeyTextColumns, apiKeyValues, changedHash, toApiKey } from '../stored-api-key.ts';
import type { Connection, PostgresDatabase } from './connection.ts';

const apiKeyColumns = [...apiKeyTextColumns, 'crc'].join(', ');

export function accessMethods(connection: Connection, now: () => number): AccessStore {
  return checkedAccess({
    async addApiKey(key) {
      const added = await connection.once(
        `INSERT INTO api_keys (id, principal, scopes, created_at, expires_at, hash, crc)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id`,
        apiKeyValues(key),
      );
      return added.length === 1;
    },
    async apiKeys() {
      const rows = await connection.once(`SELECT ${apiKeyColumns} FROM api_keys ORDER BY created_at, id`);
      return rows.map(toApiKey);
    },
    async findApiKey(id) {
      const [row] = await connection.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = $1`, [id]);
      return row && toApiKey(row);
    },
    async changeApiKeyHash(id, { before, after }) {
      const [row] = await connection.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = $1`, [id]);
      const key = row && toApiKey(row);
      if (key?.hash !== before) return false;
      const change = 'UPDATE api_keys SET hash = $3, crc = $4 WHERE id = $1 AND hash = $2 RETURNING id';
      return (await connection.once(change, [id, before, ...changedHash(key, after)])).length === 1;
    },
    async revokeApiKey(id, at) {
      const revoke = 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id';
      return (await connection.once(revoke, [id, at])).length === 1;
    },
    async revokeId(id, until) {
      await connection.all(
        `INSERT INTO revoked_ids (id, until) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET until = greatest(revoked_ids.until, excluded.until)`,
        [id, until],
      );
      await connection.all(
        'DELETE FROM revoked_ids WHERE id IN (SELECT id FROM revoked_ids WHERE until < $1 FOR UPDATE SKIP LOCKED)',
        [expiryCutoff(now())],
      );
    },
    async isRevoked(id) {
      return (await connection.all('SELECT 1 FROM revoked_ids WHERE id = $1', [id])).length > 0;
    },
    noteTokenKeys: (fingerprints) => connection.write((db) => noteTokenKeys(db, fingerprints)),
  });
}

/** Servers that start at the same time take turns, so that the second one sees the keys of the first. */
async function noteTokenKeys(db: PostgresDatabase, fingerprints: readonly string[]): Promise<boolean> {
  await db.once('LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE');
  await db.once(
    `INSERT INTO keys (fingerprint) SELECT fingerprint FROM unnest($1::text[]) AS fingerprint
     WHERE NOT EXISTS (SELECT FROM keys) OR EXISTS (SELECT FROM keys WHERE keys.fingerprint = ANY ($1))
     ON CONFLICT DO NOTHING`,
    [fingerprints],
  );
  const noted = await db.once('SELECT 1 FROM keys WHERE fingerprint = ANY ($1) LIMIT 1', [fingerprints]);
  return noted.length > 0;
}
