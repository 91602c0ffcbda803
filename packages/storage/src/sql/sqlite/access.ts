import type { AccessStore } from '../../sessions/access-store.ts';
import { checkedAccess, expiryCutoff } from '../../sessions/checked-store.ts';
import { apiKeyTextColumns, apiKeyValues, changedHash, toApiKey } from '../stored-api-key.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns, createMissCheck } from './driver.ts';

const apiKeyColumns = `${textColumns(...apiKeyTextColumns)}, crc`;

export function accessMethods(connection: Connection, now: () => number): AccessStore {
  const checkMiss = createMissCheck();
  return checkedAccess({
    addApiKey: (key) =>
      connection.write((db) => {
        const added = db.run(
          `INSERT INTO api_keys (id, principal, scopes, created_at, expires_at, hash, crc)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          apiKeyValues(key),
        );
        return added === 1;
      }),
    apiKeys: () =>
      connection.read((db) =>
        db
          .all(`SELECT ${apiKeyColumns} FROM api_keys ORDER BY api_keys.created_at, api_keys.id`)
          .map(toApiKey),
      ),
    findApiKey: (id) =>
      connection.read((db) => {
        const [row] = db.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = ?`, [id]);
        return row === undefined ? checkMiss(db, 'api_keys') : toApiKey(row);
      }),
    changeApiKeyHash: (id, { before, after }) =>
      connection.write((db) => {
        const [row] = db.all(`SELECT ${apiKeyColumns} FROM api_keys WHERE id = ?`, [id]);
        const key = row && toApiKey(row);
        if (key?.hash !== before) return false;
        return (
          db.run('UPDATE api_keys SET hash = ?, crc = ? WHERE id = ?', [...changedHash(key, after), id]) === 1
        );
      }),
    revokeApiKey: (id, at) =>
      connection.write(
        (db) =>
          db.run('UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', [at, id]) === 1,
      ),
    revokeId: (id, until) => connection.write((db) => revokeId(db, id, { until, over: expiryCutoff(now()) })),
    isRevoked: (id) =>
      connection.read((db) => {
        const isKept = db.all('SELECT 1 AS one FROM revoked_ids WHERE id = ?', [id]).length > 0;
        return isKept || (checkMiss(db, 'revoked_ids') ?? false);
      }),
    noteTokenKeys: (fingerprints) => connection.write((db) => noteTokenKeys(db, fingerprints)),
  });
}

function revokeId(
  db: SqliteDatabase,
  id: string,
  { until, over }: { readonly until: string; readonly over: string },
): void {
  db.run('DELETE FROM revoked_ids WHERE until < ?', [over]);
  db.run(
    'INSERT INTO revoked_ids (id, until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = max(until, excluded.until)',
    [id, until],
  );
}

function noteTokenKeys(db: SqliteDatabase, fingerprints: readonly string[]): boolean {
  const noted = new Set(
    db.all(`SELECT ${textColumns('fingerprint')} FROM keys`).map((row) => row['fingerprint']),
  );
  if (noted.size > 0 && !fingerprints.some((one) => noted.has(one))) return false;
  for (const one of fingerprints)
    db.run('INSERT INTO keys (fingerprint) VALUES (?) ON CONFLICT DO NOTHING', [one]);
  return true;
}
