import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { WorkflowError } from '@workflowlookup/schema';
import type { ApiKeyRecord } from '@workflowlookup/storage';
import type { AccessPlace } from '../access-place.ts';
import type { ApiKey, ApiKeys, CheckedKey, NewApiKey } from './api-key.ts';
import { isScope, scopes } from './api-key.ts';

const spelling = /^wlk_([0-9a-f]{12})_[\w-]{43}$/;

/**
 * Opens the keys of a database, which many servers and commands may use at once. Where there is no database none is made
 * to look. A secret is 256 random bits, so its SHA-256 gives nothing of it away.
 */
export function openApiKeys({ open, isMade }: AccessPlace, now: () => Date = () => new Date()): ApiKeys {
  /** Why a key does not count now; `undefined` where it does. */
  function overBecause({ revokedAt, expiresAt }: ApiKeyRecord): string | undefined {
    if (revokedAt !== undefined) return `was revoked at ${revokedAt}`;
    const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime();
    return isOver ? `expired at ${expiresAt}` : undefined;
  }

  const counting = (kept: ApiKeyRecord): ApiKey | undefined =>
    overBecause(kept) === undefined ? toApiKey(kept) : undefined;

  async function check(secret: string): Promise<CheckedKey> {
    const id = spelling.exec(secret)?.[1];
    if (id === undefined || !isMade()) return { standing: 'unknown' };
    const kept = await (await open()).findApiKey(id);
    if (kept === undefined || !timingSafeEqual(hashOf(secret), Buffer.from(kept.hash, 'hex')))
      return { standing: 'unknown' };
    const [key, reason] = [toApiKey(kept), overBecause(kept)];
    return reason === undefined ? { standing: 'good', key } : { standing: 'over', key, reason };
  }

  async function create(wanted: NewApiKey): ReturnType<ApiKeys['create']> {
    checkWanted(wanted);
    const store = await open();
    const id = randomBytes(6).toString('hex');
    const secret = `wlk_${id}_${randomBytes(32).toString('base64url')}`;
    const key: ApiKey = { id, ...wanted, createdAt: now().toISOString() };
    const isKept = await store.addApiKey({ ...key, hash: hashOf(secret).toString('hex') });
    return isKept ? { key, secret } : create(wanted);
  }

  return {
    create,
    list: async () => (isMade() ? (await (await open()).apiKeys()).map(toApiKey) : []),
    revoke: async (id) => isMade() && (await open()).revokeApiKey(id, now().toISOString()),
    check,
    async verify(secret) {
      const found = await check(secret);
      return found.standing === 'good' ? found.key : undefined;
    },
    async find(id) {
      const kept = isMade() ? await (await open()).findApiKey(id) : undefined;
      return kept && counting(kept);
    },
  };
}

/** Without its hash; a scope of a newer program is none here. */
function toApiKey({ id, principal, createdAt, expiresAt, revokedAt, ...kept }: ApiKeyRecord): ApiKey {
  return {
    id,
    principal,
    scopes: kept.scopes.filter(isScope),
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(revokedAt !== undefined && { revokedAt }),
  };
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checkWanted({ principal, scopes: wanted, expiresAt }: NewApiKey): void {
  if (!/^[\x21-\x7e]{1,128}$/.test(principal))
    throw invalid(`The principal must be 1 to 128 printable characters without spaces, found '${principal}'`);
  const unknown = wanted.find((scope) => !isScope(scope));
  if (unknown !== undefined || wanted.length === 0)
    throw invalid(
      `Scopes are ${scopes.join(', ')}; found ${unknown === undefined ? 'none' : `'${String(unknown)}'`}`,
    );
  if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt)))
    throw invalid(`The time a key expires must be a date such as 2030-01-31, found '${expiresAt}'`);
}

function invalid(message: string): WorkflowError {
  return new WorkflowError('INVALID_PARAMS', message);
}
