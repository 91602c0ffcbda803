import type { KeyRing } from '@workflowlookup/core';
import type { ApiKeyRecord } from '@workflowlookup/storage';
import type { RecordSeal, SealedRecord, SealStanding } from '../key-ring/record-seal.ts';
import { sealRecord, standingOfSeal } from '../key-ring/record-seal.ts';

/** What is kept of a key's secret: its hash, and what proves that a server with the key ring made the record. */
interface KeptHash {
  /** SHA-256 of the secret. */
  readonly hash: string;
  /** Which key of the ring sealed the record, and its seal; absent in a record of a release that sealed none. */
  readonly seal?: RecordSeal;
}

type Sealed = Omit<ApiKeyRecord, 'hash' | 'revokedAt'>;

/** Reads the stored hash and seal of a secret. */
export function readKeptHash({ hash: text }: Pick<ApiKeyRecord, 'hash'>): KeptHash {
  const [hash = '', ringKey, mac] = text.split('.');
  return { hash, ...(ringKey !== undefined && mac !== undefined && { seal: { ringKey, mac } }) };
}

/** What is kept of a secret whose record is sealed with the signing key of the ring. */
export function sealedHash(record: Sealed, hash: string, ring: KeyRing): string {
  const { ringKey, mac } = sealRecord(ring, sealedPart(record, hash));
  return `${hash}.${ringKey}.${mac}`;
}

/** Whether a record is what a server with the key ring made. */
export function sealStandingOf(record: ApiKeyRecord, ring: KeyRing): SealStanding {
  const { hash, seal } = readKeptHash(record);
  return standingOfSeal(ring, seal, sealedPart(record, hash));
}

function sealedPart({ id, principal, scopes, createdAt, expiresAt }: Sealed, hash: string): SealedRecord {
  return { kind: 'api-key', values: [id, principal, scopes, createdAt, expiresAt ?? null, hash] };
}
