import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Key, KeyRing } from '@workflowlookup/core/tokens';

/** What proves that a server with the key ring made a record, and which key of the ring it used. */
export interface RecordSeal {
  readonly ringKey: string;
  readonly mac: string;
}

export type SealStatus =
  /** A server with the ring made it. */
  | 'sealed'
  /** The same, with a key of the ring that does not sign any more. */
  | 'outdated'
  /** Whoever wrote it had no key of the ring, or it was changed since. */
  | 'unsealed';

/** A kind of record, and the values of one. The kind keeps its seals apart from all else that the key signs. */
export interface SealedRecord {
  readonly kind: string;
  readonly values: readonly unknown[];
}

export function sealRecord({ signing }: KeyRing, record: SealedRecord): RecordSeal {
  return { ringKey: signing.id, mac: macOf(signing, record) };
}

/** Whether the seal of a record is what a server with the ring made. */
export function sealStatus(
  { signing, verifying }: KeyRing,
  seal: RecordSeal | undefined,
  record: SealedRecord,
): SealStatus {
  const key = verifying.find(({ id }) => id === seal?.ringKey);
  if (seal === undefined || key === undefined) return 'unsealed';
  const [found, due] = [Buffer.from(seal.mac), Buffer.from(macOf(key, record))];
  if (found.length !== due.length || !timingSafeEqual(found, due)) return 'unsealed';
  return key.id === signing.id ? 'sealed' : 'outdated';
}

function macOf({ secret }: Key, { kind, values }: SealedRecord): string {
  const own = Buffer.from(hkdfSync('sha256', secret, '', `workflowlookup-${kind}`, 32));
  return createHmac('sha256', own).update(JSON.stringify(values)).digest('base64url');
}
