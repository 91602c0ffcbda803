import { createHmac, timingSafeEqual } from 'node:crypto';
import { WorkflowError } from '@workflowlookup/schema';
import type {
  SealKey,
  SealKeys,
  SealValue,
  SealVerdict,
  SealedKind,
  Seals,
} from '../sessions/session-store.ts';
import { sealMessages } from '../messages.ts';

/** Another process may add a key at any time. The key file is checked at most this often. */
const keyCheckMs = 1_000;

/** The next call usually reads the latest rows back. This many seals are remembered to save computing them again. */
const maxRemembered = 512;
const maxRememberedLength = 16_384;

/** The key of a store without keys. Its seals detect damage but not forgery. */
const plainKey: SealKey = { id: '-', secret: new Uint8Array(32) };

/**
 * Makes seals with HMAC-SHA256, with a key derived from the signing key for this purpose, and checks them with every
 * key of the server. The format of a seal is `KEYID:BASE64URL`.
 *
 * @param keys absent: the database is trusted and a seal is a checksum. If the function returns `undefined`, keys exist
 * but this program does not have them: it can make no seals and can't check those of others.
 */
export function createSeals(keys?: () => SealKeys | undefined): Seals {
  let known: SealKeys | undefined;
  let readMs = -Infinity;
  const made = new Map<string, string>();

  function remember(seal: string, message: string): void {
    if (message.length > maxRememberedLength) return;
    const [oldest] = made.keys();
    if (made.size >= maxRemembered && oldest !== undefined) made.delete(oldest);
    made.set(seal, message);
  }

  function current(isFresh = false): SealKeys | undefined {
    if (keys === undefined) return undefined;
    if (isFresh || known === undefined || performance.now() - readMs > keyCheckMs) {
      const { signing, verifying } = keys() ?? {};
      known = signing && verifying && { signing, verifying };
      readMs = performance.now();
    }
    return known;
  }

  function judgeWith(ring: SealKeys, message: string, { id, code }: Spelled): SealVerdict {
    const candidates = ring.verifying.filter((key) => key.id === id);
    if (candidates.length === 0) return 'unknown-key';
    if (made.get(`${id}:${code}`) === message) return 'genuine';
    return candidates.some((key) => isSame(codeOf(key, message), code)) ? 'genuine' : 'wrong';
  }

  return {
    hasKeys: () => current() !== undefined,
    isPlain: keys === undefined,
    make(kind, values) {
      const key = keys === undefined ? plainKey : current()?.signing;
      if (key === undefined) throw noKeys();
      const message = messageOf(kind, values);
      const seal = `${key.id}:${codeOf(key, message)}`;
      if (kind === 'session' || kind === 'state') remember(seal, message);
      return seal;
    },
    judge(kind, values, seal) {
      const spelled = seal === null ? undefined : read(seal);
      const message = messageOf(kind, values);
      if (keys === undefined) return judgePlain(message, seal, spelled);
      if (seal === null || spelled?.id === plainKey.id) return 'absent';
      if (spelled === undefined) return 'wrong';
      const ring = current();
      if (ring === undefined) return 'unchecked';
      const verdict = judgeWith(ring, message, spelled);
      const fresh = verdict === 'unknown-key' ? current(true) : undefined;
      return fresh === undefined ? verdict : judgeWith(fresh, message, spelled);
    },
  };
}

export function keyIdOf(seal: string | null): string {
  return (seal ?? '').split(':', 1)[0]?.slice(0, 64) ?? '';
}

function judgePlain(message: string, seal: string | null, spelled: Spelled | undefined): SealVerdict {
  if (seal === null) return 'genuine';
  if (spelled === undefined) return 'wrong';
  if (spelled.id !== plainKey.id) return 'unchecked';
  return isSame(codeOf(plainKey, message), spelled.code) ? 'genuine' : 'wrong';
}

interface Spelled {
  readonly id: string;
  readonly code: string;
}

function read(seal: string): Spelled | undefined {
  const [, id, code] = /^([-\w]{1,64}):([-\w]{43})$/.exec(seal) ?? [];
  return id === undefined || code === undefined ? undefined : { id, code };
}

/** The text begins with its kind, so that a seal of one kind is not valid for another. */
function messageOf(kind: SealedKind, values: readonly SealValue[]): string {
  return JSON.stringify([kind, ...values]);
}

const derived = new WeakMap<Uint8Array, Buffer>();

/** Tokens are signed with the key itself. Journals use a derived key that reveals nothing about it. */
function journalKey({ secret }: SealKey): Buffer {
  const known = derived.get(secret);
  if (known !== undefined) return known;
  const made = createHmac('sha256', secret).update('workflowlookup journal 1').digest();
  derived.set(secret, made);
  return made;
}

function codeOf(key: SealKey, message: string): string {
  return createHmac('sha256', journalKey(key)).update(message).digest('base64url');
}

function isSame(made: string, given: string): boolean {
  return made.length === given.length && timingSafeEqual(Buffer.from(made), Buffer.from(given));
}

function noKeys(): WorkflowError {
  return new WorkflowError('KEYS_UNUSABLE', sealMessages.noKeys(), {
    data: { reason: 'no-keys', retryable: false },
  });
}
