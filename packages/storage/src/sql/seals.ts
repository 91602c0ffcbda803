import { createHmac, timingSafeEqual } from 'node:crypto';
import { WorkflowError } from '@workflowlookup/schema';
import type { SealedKind, SealKey, SealKeys, SealValue, SealVerdict, Seals } from '../session-store.ts';

/** Another process may add a key at any time; a key file is looked at no more often than this. */
const keysLastMs = 1_000;

/** Of rows that the next call reads back, so many that were sealed last are known without another HMAC. */
const mostRemembered = 512;
const longestRemembered = 16_384;

/** Stands in for a key where a store has none: such a seal finds damage, and proves nothing. */
const plainKey: SealKey = { id: '-', secret: new Uint8Array(32) };

/**
 * Seals rows with HMAC-SHA256, under a key derived for this purpose from the signing key, and judges seals by every key
 * of the ring. A seal is spelled `KEYID:BASE64URL`.
 *
 * @param keys left out, the place itself is trusted and a seal is a checksum; a function that gives `undefined` says that
 *   keys exist somewhere and not here: then nothing can be sealed, and what others sealed can't be checked
 */
export function createSeals(keys?: () => SealKeys | undefined): Seals {
  let known: SealKeys | undefined;
  let readMs = -Infinity;
  const made = new Map<string, string>();

  function remember(seal: string, message: string): void {
    if (message.length > longestRemembered) return;
    const [oldest] = made.keys();
    if (made.size >= mostRemembered && oldest !== undefined) made.delete(oldest);
    made.set(seal, message);
  }

  function current(isFresh = false): SealKeys | undefined {
    if (keys === undefined) return undefined;
    if (isFresh || known === undefined || performance.now() - readMs > keysLastMs) {
      const { signing, verifying } = keys() ?? {};
      known = signing && verifying && { signing, verifying };
      readMs = performance.now();
    }
    return known;
  }

  function judgeBy(ring: SealKeys, message: string, { id, code }: Spelled): SealVerdict {
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
      const verdict = judgeBy(ring, message, spelled);
      const fresh = verdict === 'unknown-key' ? current(true) : undefined;
      return fresh === undefined ? verdict : judgeBy(fresh, message, spelled);
    },
  };
}

/** The id of the key that a seal names. */
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

/** What is sealed begins with its kind, so that no seal can stand in for one of another kind. */
function messageOf(kind: SealedKind, values: readonly SealValue[]): string {
  return JSON.stringify([kind, ...values]);
}

const derived = new WeakMap<Uint8Array, Buffer>();

/** Tokens are signed with the key itself: journals have one of their own that gives nothing of it away. */
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
  return new WorkflowError(
    'STORAGE',
    'Nothing can be written to this session database without the keys of its servers. Set WORKFLOWLOOKUP_KEYS as the servers have it, or use the state directory that holds the key file.',
    { data: { reason: 'no-keys', retryable: false } },
  );
}
