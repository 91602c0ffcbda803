import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Key, KeyRing } from '@workflowlookup/core';
import type { ApiKeyRecord } from '@workflowlookup/storage';

/** What is kept of a key's secret: its hash, and what proves that a server with the key ring made the record. */
interface KeptHash {
  /** SHA-256 of the secret. */
  readonly hash: string;
  /** Which key of the ring sealed the record, and its seal; absent in a record of a release that sealed none. */
  readonly seal?: { readonly ringKey: string; readonly mac: string };
}

/** How a record of a key stands with the key ring. */
export type SealStanding =
  /** A server with the ring made it. */
  | 'sealed'
  /** The same, with a key of the ring that does not sign any more. */
  | 'outdated'
  /** Whoever wrote it had no key of the ring, or it was changed since. */
  | 'unsealed';

type Sealed = Omit<ApiKeyRecord, 'hash' | 'revokedAt'>;

/** Reads the stored hash and seal of a secret. */
export function readKeptHash({ hash: text }: Pick<ApiKeyRecord, 'hash'>): KeptHash {
  const [hash = '', ringKey, mac] = text.split('.');
  return { hash, ...(ringKey !== undefined && mac !== undefined && { seal: { ringKey, mac } }) };
}

/** What is kept of a secret whose record is sealed with the signing key of the ring. */
export function sealedHash(record: Sealed, hash: string, { signing }: KeyRing): string {
  return `${hash}.${signing.id}.${macOf(signing, record, hash)}`;
}

/** Whether a record is what a server with the key ring made. */
export function sealStandingOf(record: ApiKeyRecord, { signing, verifying }: KeyRing): SealStanding {
  const { hash, seal } = readKeptHash(record);
  const key = verifying.find(({ id }) => id === seal?.ringKey);
  if (seal === undefined || key === undefined) return 'unsealed';
  const [found, due] = [seal.mac, macOf(key, record, hash)].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
  ];
  if (found.length !== due.length || !timingSafeEqual(found, due)) return 'unsealed';
  return key.id === signing.id ? 'sealed' : 'outdated';
}

function macOf(
  { secret }: Key,
  { id, principal, scopes, createdAt, expiresAt }: Sealed,
  hash: string,
): string {
  // Kept apart from what else the key signs.
  const own = Buffer.from(hkdfSync('sha256', secret, '', 'workflowlookup-api-key', 32));
  const text = JSON.stringify([id, principal, scopes, createdAt, expiresAt ?? null, hash]);
  return createHmac('sha256', own).update(text).digest('base64url');
}
