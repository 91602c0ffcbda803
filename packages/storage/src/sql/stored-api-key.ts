import { crc32 } from 'node:zlib';
import type { ApiKeyRecord } from '../sessions/access-store.ts';
import { damagedStore } from '../sessions/errors.ts';
import type { SqlRow, SqlValue } from './stored-session.ts';
import { damageMessages } from '../messages.ts';

export const apiKeyTextColumns = [
  'id',
  'principal',
  'scopes',
  'created_at',
  'expires_at',
  'hash',
  'revoked_at',
] as const;

/** Returns the values of all columns of a new API key, followed by the `crc` over them. */
export function apiKeyValues(key: Omit<ApiKeyRecord, 'revokedAt'>): readonly SqlValue[] {
  const { id, principal, scopes, createdAt, expiresAt = null, hash } = key;
  const values = [id, principal, JSON.stringify(scopes), createdAt, expiresAt, hash];
  return [...values, checksum(values)];
}

/** Returns the values of the columns that change with the hash of a key: `hash` and `crc`. */
export function changedHash(key: ApiKeyRecord, after: string): readonly SqlValue[] {
  return apiKeyValues({ ...key, hash: after }).slice(-2);
}

/** Converts a row into an API key. Throws if the row is damaged, because the key might then grant too much. */
export function toApiKey(row: SqlRow): ApiKeyRecord {
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
