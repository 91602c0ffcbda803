import { crc32 } from 'node:zlib';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import { damageMessages } from '../messages.ts';
import type {
  ApiKeyRecord,
  CallRecord,
  PutDefinitionOptions,
  SealVerdict,
  Seals,
  SessionRow,
} from '../sessions/session-store.ts';
import { damagedStore } from '../errors.ts';
import { forged } from '../sessions/hash-chain.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';
import { sealOf } from './stored-sessions.ts';

/** Parses a stored value. Throws if it does not match its digest. */
export function toBlob(digest: string, text: string): Json {
  const value = parse(text);
  if (value === undefined || digestOf(value) !== digest) throw damagedStore(damageMessages.value(digest));
  return value;
}

export function judgeCall(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  const values = [sid, String(row['writer']), Number(row['seq']), String(row['call'])];
  return seals.judge('call', values, sealOf(row));
}

/**
 * Converts rows into the calls of a session after a number. Throws if one was changed. Only `verify` detects missing
 * calls.
 *
 * @param session absent if the session was deleted
 */
export function toCalls(
  seals: Seals,
  session: Pick<SessionRow, 'sid' | 'unauthentic'> | undefined,
  rows: readonly SqlRow[],
  after: number,
): readonly CallRecord[] {
  if (session === undefined) return [];
  return rows.map((row, index) => {
    const n = after + index + 1;
    if (session.unauthentic === undefined) {
      const verdict = judgeCall(seals, session.sid, row);
      if (verdict !== 'genuine')
        throw seals.isPlain
          ? damagedStore(damageMessages.call(n, session.sid))
          : forged(session.sid, `call ${n} of its trace`);
    }
    return { n, call: toObject(row['call'], `call ${n}`) };
  });
}

/** Returns the recorded result of a command in an authentic session. Throws if it was changed. */
export function toCommand(seals: Seals, sid: string, row: SqlRow): JsonObject {
  const verdict = judgeCommand(seals, sid, row);
  if (verdict === 'genuine') return toObject(row['result'], 'a result');
  throw seals.isPlain
    ? damagedStore(damageMessages.commandResult())
    : forged(sid, 'the recorded result of a command');
}

export function judgeCommand(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  return seals.judge('command', [sid, String(row['key']), String(row['result'])], sealOf(row));
}

export function judgeAgent(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  return seals.judge('agent', [sid, Number(row['number']), String(row['agent'])], sealOf(row));
}

/** Returns the names of agents in order. Throws if one was changed or is missing. */
export function toAgents(
  seals: Seals,
  session: Pick<SessionRow, 'sid' | 'unauthentic'> | undefined,
  rows: readonly SqlRow[],
): readonly string[] {
  if (session === undefined) return [];
  return rows.map((row, index) => {
    const isGenuine = session.unauthentic !== undefined || judgeAgent(seals, session.sid, row) === 'genuine';
    if (!isGenuine || Number(row['number']) !== index + 1)
      throw seals.isPlain ? damagedStore(damageMessages.agent()) : forged(session.sid, `agent ${index + 1}`);
    return String(row['agent']);
  });
}

/**
 * Returns the digests that were sent to an agent. A row without a genuine seal is ignored, so that bundle is sent
 * again.
 */
export function toDelivered(seals: Seals, sid: string, rows: readonly SqlRow[]): readonly string[] {
  return rows
    .filter((row) => judgeDelivery(seals, sid, row) === 'genuine')
    .map(({ digest }) => String(digest));
}

export function judgeDelivery(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  return seals.judge('delivery', [sid, Number(row['agent']), String(row['digest'])], sealOf(row));
}

export function judgeDefinition(seals: Seals, digest: string, row: SqlRow): SealVerdict {
  return seals.judge('definition', [digest, String(row['body'])], sealOf(row));
}

/** Whether a definition has a genuine seal and stays as it is. It does not stay if another body is served. */
export function isKeptDefinition(
  seals: Seals,
  row: SqlRow,
  {
    digest,
    body,
    isServed = false,
  }: PutDefinitionOptions & { readonly digest: string; readonly body: JsonObject },
): boolean {
  const isSealed = sealOf(row) !== null && judgeDefinition(seals, digest, row) === 'genuine';
  return isSealed && (!isServed || String(row['body']) === JSON.stringify(body));
}

/** Returns a definition from its row. Throws if its seal is not genuine, unless one without a seal is accepted. */
export function toDefinition(
  seals: Seals,
  digest: string,
  row: SqlRow,
  { isUnsealedToo = false }: { readonly isUnsealedToo?: boolean } = {},
): JsonObject {
  const verdict = judgeDefinition(seals, digest, row);
  const isTaken =
    verdict === 'genuine' || (isUnsealedToo && ['absent', 'unchecked', 'unknown-key'].includes(verdict));
  if (!isTaken)
    throw damagedStore(damageMessages.definition(digest), {
      reason: seals.isPlain ? 'corrupt' : 'unauthentic',
    });
  return toObject(row['body'], 'a definition');
}

function toObject(text: unknown, what: string): JsonObject {
  const value = parse(String(text));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw damagedStore(damageMessages.notAnObject(what));
  return value as JsonObject;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Invalid JSON is reported by the caller as changed data.
    return undefined;
  }
}

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
