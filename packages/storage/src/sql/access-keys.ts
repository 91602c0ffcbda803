import { crc32 } from 'node:zlib';
import { damagedStore } from '../errors.ts';
import { damageMessages } from '../messages.ts';
import { checkedAccess, expiryCutoff } from '../sessions/checked-store.ts';
import type { AccessStore, ApiKeyRecord } from '../sessions/session-store.ts';
import type { Database, Dialect, Task } from './database.ts';
import { change, select } from './database.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';

/** Makes the access store of a database. */
export function accessMethods(db: Database, now: () => number): AccessStore {
  const selected = `SELECT ${db.dialect.texts(...apiKeyTextColumns)}, crc FROM api_keys`;

  async function findApiKey(id: string): Promise<ApiKeyRecord | undefined> {
    const [row] = await db.select(`${selected} WHERE id = ?`, [id]);
    return row === undefined ? db.checkMiss('api_keys') : toApiKey(row);
  }

  return checkedAccess({
    findApiKey,
    async addApiKey(key) {
      const added = await db.change(
        `INSERT INTO api_keys (id, principal, scopes, created_at, expires_at, hash, crc)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        apiKeyValues(key),
      );
      return added === 1;
    },
    apiKeys: async () =>
      (await db.selectOnce(`${selected} ORDER BY api_keys.created_at, api_keys.id`)).map(toApiKey),
    async changeApiKeyHash(id, { before, after }) {
      const key = await findApiKey(id);
      if (key?.hash !== before) return false;
      const [hash, crc] = apiKeyValues({ ...key, hash: after }).slice(-2);
      const replace = 'UPDATE api_keys SET hash = ?, crc = ? WHERE id = ? AND hash = ?';
      return (await db.change(replace, [hash ?? null, crc ?? null, id, before])) === 1;
    },
    async revokeApiKey(id, at) {
      const revoke = 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?';
      return (await db.change(revoke, [at, id])) === 1;
    },
    revokeId: (id, until) => db.write(() => revokeId(db.dialect, [id, until], expiryCutoff(now()))),
    async isRevoked(id) {
      if (!db.isMade()) return false;
      const isKept = (await db.select('SELECT 1 AS one FROM revoked_ids WHERE id = ?', [id])).length > 0;
      return isKept || ((await db.checkMiss('revoked_ids')) ?? false);
    },
    noteTokenKeys: (fingerprints) => db.write(() => noteTokenKeys(db.dialect, fingerprints)),
  });
}

function* revokeId(
  { lock }: Dialect,
  revoked: readonly [id: string, until: string],
  over: string,
): Task<void> {
  yield* change(
    `INSERT INTO revoked_ids (id, until) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET until = excluded.until WHERE excluded.until > revoked_ids.until`,
    revoked,
  );
  const expired = `SELECT id FROM revoked_ids WHERE until < ? ${lock('UPDATE SKIP LOCKED')}`;
  yield* change(`DELETE FROM revoked_ids WHERE id IN (${expired})`, [over]);
}

/** Servers that start at the same time take turns, so that the second one sees the keys of the first. */
function* noteTokenKeys({ texts, turns }: Dialect, fingerprints: readonly string[]): Task<boolean> {
  if (turns !== undefined) yield* select(turns['noting keys']);
  const found = yield* select(`SELECT ${texts('fingerprint')} FROM keys`);
  const noted = new Set(found.map(({ fingerprint }) => fingerprint));
  if (noted.size > 0 && !fingerprints.some((one) => noted.has(one))) return false;
  for (const one of fingerprints)
    yield* change('INSERT INTO keys (fingerprint) VALUES (?) ON CONFLICT DO NOTHING', [one]);
  return true;
}

const apiKeyTextColumns = [
  'id',
  'principal',
  'scopes',
  'created_at',
  'expires_at',
  'hash',
  'revoked_at',
] as const;

/** Returns the values of all columns of a new API key, followed by the `crc` over them. */
function apiKeyValues(key: Omit<ApiKeyRecord, 'revokedAt'>): readonly SqlValue[] {
  const { id, principal, scopes, createdAt, expiresAt = null, hash } = key;
  const values = [id, principal, JSON.stringify(scopes), createdAt, expiresAt, hash];
  return [...values, checksum(values)];
}

/** Converts a row into an API key. Throws if the row is damaged, because the key might then grant too much. */
function toApiKey(row: SqlRow): ApiKeyRecord {
  const guarded = apiKeyTextColumns.slice(0, -1).map((name) => row[name]);
  if (checksum(guarded) !== row['crc']) throw damagedStore(damageMessages.apiKey());
  const { expires_at: expiresAt, revoked_at: revokedAt } = row;
  return {
    id: String(row['id']),
    principal: String(row['principal']),
    scopes: JSON.parse(String(row['scopes'])) as readonly string[],
    createdAt: String(row['created_at']),
    ...(typeof expiresAt === 'string' && { expiresAt }),
    hash: String(row['hash']),
    ...(typeof revokedAt === 'string' && { revokedAt }),
  };
}

/** A database may not notice a flipped bit in a value. */
function checksum(values: readonly (SqlValue | undefined)[]): number {
  return crc32(JSON.stringify(values));
}
