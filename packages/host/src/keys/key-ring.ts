import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Key, KeyRing } from '@workflowlookup/core/tokens';
import { WorkflowError } from '@workflowlookup/schema';
import type { AccessStore } from '@workflowlookup/storage';
import { keyMessages } from '../messages.ts';
import {
  keyFileStamp,
  newKeyLine,
  parseKeyFile,
  parseKeys,
  readKeyFile,
  readOrCreateKeys,
  replaceKeyFile,
} from './key-file.ts';

/** The source of the keys of tokens. */
export interface KeyRingOptions {
  /** Absolute path; made when a key is, readable by its owner alone. */
  readonly stateDirectory: string;
  /** Variables of the process; its `WORKFLOWLOOKUP_KEYS` stands in for the state directory. Default none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Gives random bytes, as many as asked for; default those of the system. */
  readonly random?: (length: number) => Uint8Array;
}

/** The variable that gives replicas the same keys: 64 hexadecimal digits each, commas between, the signing one first. */
const keysVariable = 'WORKFLOWLOOKUP_KEYS';

/** Returns whether there are keys for `loadKeyRing`. Creates none. Passes on errors of the system. */
export function hasTokenKeys({ environment = {}, stateDirectory }: KeyRingOptions): boolean {
  return environment[keysVariable] !== undefined || keyFileStamp(stateDirectory) !== undefined;
}

/**
 * Returns a key ring that starts as the given one and follows the key file, which other processes may change. It looks
 * at the file once in each turn of the event loop, because one call uses the ring several times.
 */
function reloadingKeyRing(stateDirectory: string, first: KeyRing): KeyRing {
  let ring = first;
  let stamp: string | undefined;
  let isChecked = false;
  const current = (): KeyRing => {
    if (isChecked) return ring;
    isChecked = true;
    setImmediate(() => (isChecked = false)).unref();
    try {
      const found = keyFileStamp(stateDirectory);
      if (found === stamp) return ring;
      stamp = found;
      ring = parseKeyFile(readKeyFile(stateDirectory) ?? '');
    } catch {
      // A key file lost or spoiled under a running server takes no session down; the next start reports it.
    }
    return ring;
  };
  return {
    get signing() {
      return current().signing;
    },
    get verifying() {
      return current().verifying;
    },
  };
}

/** Says that the system refused something to the key file; anything else that was thrown is returned as it is. */
function keyStorageError(action: 'changed' | 'read or created', error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof WorkflowError || typeof code !== 'string') return error;
  return new WorkflowError('KEYS_UNUSABLE', keyMessages.unusable(action, code), {
    data: { code },
    cause: error,
  });
}

/**
 * The keys tokens are signed with: those of `WORKFLOWLOOKUP_KEYS`, else those of the state directory, where the first
 * call makes one. Call it when a session is first asked for, since starting a server writes nothing.
 *
 * The ring of a state directory follows its key file: a key that another process adds counts from the next turn of the
 * event loop.
 *
 * @see docs/security.md#tokens
 * @throws KEYS_UNUSABLE when the keys can't be read or made, or are spelled wrong
 */
export function loadKeyRing(options: KeyRingOptions): KeyRing {
  const listed = options.environment?.[keysVariable];
  if (listed !== undefined)
    return parseKeys(listed.split(','), (index) => `Key ${index + 1} of ${keysVariable}`);
  try {
    return reloadingKeyRing(options.stateDirectory, parseKeyFile(readOrCreateKeys(options)));
  } catch (error) {
    throw keyStorageError('read or created', error);
  }
}

/**
 * Notes the keys of a server in the database it shares. Servers whose rings have no key in common would refuse each
 * other's tokens, so a ring that shares none with those before is refused.
 *
 * @see docs/security.md#tokens
 * @throws KEYS_UNUSABLE
 */
export async function noteSharedRing(store: AccessStore, { verifying }: KeyRing): Promise<void> {
  if (await store.noteTokenKeys(verifying.map(fingerprintOf))) return;
  throw new WorkflowError('KEYS_UNUSABLE', keyMessages.otherKeys(), {
    data: { reason: 'other-keys', retryable: false },
  });
}

/** Tells a key from others and gives nothing of it away; unlike its id it is long enough to be proof. */
function fingerprintOf({ secret }: Key): string {
  return createHash('sha256')
    .update('workflowlookup fingerprint of a token key\n')
    .update(secret)
    .digest('hex');
}

const lockName = 'rotation.lock';

/**
 * Adds a key that signs from now on and keeps the older ones, so that every token stays good. Running servers take it up.
 *
 * @throws INVALID_STATE when the keys come from `WORKFLOWLOOKUP_KEYS`, CONFLICT while another rotation is under way; KEYS_UNUSABLE
 */
export function rotateKey(options: KeyRingOptions): KeyRing {
  if (options.environment?.[keysVariable] !== undefined)
    throw new WorkflowError('INVALID_STATE', keyMessages.keysFromVariable());
  try {
    // Makes the folder of the lock too.
    readOrCreateKeys(options);
    return alone(options.stateDirectory, () => addKey(options));
  } catch (error) {
    throw keyStorageError('changed', error);
  }
}

function addKey(options: KeyRingOptions): KeyRing {
  const content = newKeyLine(options) + readOrCreateKeys(options);
  const ring = parseKeyFile(content);
  replaceKeyFile(options.stateDirectory, content);
  return ring;
}

/** Two rotations at once would each write a ring without the key of the other. */
function alone<T>(stateDirectory: string, act: () => T): T {
  const lock = join(stateDirectory, lockName);
  try {
    closeSync(openSync(lock, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new WorkflowError('CONFLICT', keyMessages.otherRotation(lockName), { cause: error });
  }
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The proof that a server with the key ring wrote a record, and the key that it used. */
export interface RecordSeal {
  readonly ringKey: string;
  readonly mac: string;
}

export type SealStatus =
  /** A server with the ring made it. */
  | 'sealed'
  /** The same, with a key of the ring that does not sign any more. */
  | 'outdated'
  /** It was written without a key of the ring, or was changed afterwards. */
  | 'unsealed';

/** A kind of record, and the values of one. The kind keeps its seals apart from all else that the key signs. */
export interface SealedRecord {
  readonly kind: string;
  readonly values: readonly unknown[];
}

export function sealRecord({ signing }: KeyRing, record: SealedRecord): RecordSeal {
  return { ringKey: signing.id, mac: macOf(signing, record) };
}

/** Returns whether the seal of a record was made with a key of the ring. */
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
