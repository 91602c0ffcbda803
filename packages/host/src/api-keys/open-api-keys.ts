import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { WorkflowError } from '@workflowlookup/schema';
import type { ApiKeyRecord } from '@workflowlookup/storage';
import type { AccessPlace } from '../access-place.ts';
import type { ApiKey, ApiKeys, CheckedKey, NewApiKey } from './api-key.ts';
import { isScope, scopes, standingOf } from './api-key.ts';

const spelling = /^wlk_([0-9a-f]{12})_[\w-]{43}$/;

/**
 * Opens the keys of a database, which many servers and commands may use at once. Where there is no database none is made
 * to look. A secret is 256 random bits, so its SHA-256 gives nothing of it away.
 */
export function openApiKeys({ open, isMade }: AccessPlace, now: () => Date = () => new Date()): ApiKeys {
  /** Why a key does not count now; `undefined` where it does. */
  function overBecause(kept: ApiKeyRecord): string | undefined {
    switch (standingOf(kept, now().getTime())) {
      case 'active':
        return undefined;
      case 'revoked':
        return `was revoked at ${kept.revokedAt}`;
      case 'expired':
        return `expired at ${kept.expiresAt}`;
    }
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
    const expiresAt = checkWanted(wanted, now());
    const store = await open();
    const id = randomBytes(6).toString('hex');
    const secret = `wlk_${id}_${randomBytes(32).toString('base64url')}`;
    const key: ApiKey = { id, ...wanted, ...(expiresAt && { expiresAt }), createdAt: now().toISOString() };
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

/** When the key is to end, as a date. @throws WorkflowError INVALID_PARAMS where such a key would never count */
function checkWanted({ principal, scopes: wanted, expiresAt }: NewApiKey, now: Date): string | undefined {
  if (!/^[\x21-\x7e]{1,128}$/.test(principal))
    throw invalid(`The principal must be 1 to 128 printable characters without spaces, found '${principal}'`);
  const unknown = wanted.find((scope) => !isScope(scope));
  if (unknown !== undefined || wanted.length === 0)
    throw invalid(
      `Scopes are ${scopes.join(', ')}; found ${unknown === undefined ? 'none' : `'${String(unknown)}'`}`,
    );
  return expiresAt === undefined ? undefined : readExpiry(expiresAt, now);
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A date stays as it was written; a span such as `30d` counts from now. */
function readExpiry(text: string, now: Date): string {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const date =
    unit === undefined
      ? text
      : new Date(now.getTime() + Number(count) * unitMs[unit as keyof typeof unitMs]).toISOString();
  if (!/^\d{4}-\d\d-\d\d/.test(date) || Number.isNaN(Date.parse(date)))
    throw invalid(
      `The time a key expires must be a date such as 2030-01-31 or a span such as 30d, found '${text}'`,
    );
  if (Date.parse(date) <= now.getTime())
    throw invalid(
      `The key would have expired already: found '${text}' at ${now.toISOString()}. Name a later date, or a span such as 30d`,
    );
  return date;
}

function invalid(message: string): WorkflowError {
  return new WorkflowError('INVALID_PARAMS', message);
}
