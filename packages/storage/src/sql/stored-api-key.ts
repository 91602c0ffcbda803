import { crc32 } from 'node:zlib';
import type { ApiKeyRecord } from '../access-store.ts';
import { damagedStore } from './damaged-store.ts';
import type { SqlRow, SqlValue } from './sql-row.ts';

/** The columns of text of an API key. */
export const apiKeyTextColumns = [
  'id',
  'principal',
  'scopes',
  'created_at',
  'expires_at',
  'hash',
  'revoked_at',
] as const;

/** A new API key as it is bound for its columns but the last, with the `crc` that guards them behind. */
export function apiKeyValues(key: Omit<ApiKeyRecord, 'revokedAt'>): readonly SqlValue[] {
  const { id, principal, scopes, createdAt, expiresAt = null, hash } = key;
  const values = [id, principal, JSON.stringify(scopes), createdAt, expiresAt, hash];
  return [...values, checksum(values)];
}

/** What changes in the row of an API key with what is kept of its secret: that, and the `crc` that guards it. */
export function changedHash(key: ApiKeyRecord, after: string): readonly SqlValue[] {
  return apiKeyValues({ ...key, hash: after }).slice(-2);
}

/** An API key from its columns; damage is an error, for it may give somebody more than was given. */
export function toApiKey(row: SqlRow): ApiKeyRecord {
  const guarded = apiKeyTextColumns.slice(0, -1).map((name) => row[name]);
  if (checksum(guarded) !== row['crc']) throw damagedStore('an API key is not what was stored');
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

/** A database may not notice a flipped bit inside of a value. */
function checksum(values: readonly (SqlValue | undefined)[]): number {
  return crc32(JSON.stringify(values));
}
