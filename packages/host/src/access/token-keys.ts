import { createHash, randomBytes, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  constants,
  fstatSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Key, KeyRing } from '@workflowlookup/core/tokens';
import { WorkflowError } from '@workflowlookup/schema';
import type { AccessStore } from '@workflowlookup/storage';
import { keyMessages, openPlaces } from '../messages.ts';
import { alone } from './alone.ts';

const keysFolder = 'keys';
const keyFile = 'token-key';

const keyFileName = `${keysFolder}/${keyFile}`;

/**
 * Returns the content of the key file, or `undefined` if there is none. Passes on errors of the system.
 *
 * @throws WorkflowError KEYS_UNUSABLE if other users can read the keys or replace them
 */
function readKeyFile(stateDirectory: string): string | undefined {
  refuseOpenPlace(stateDirectory);
  return keyFileStamp(stateDirectory) === undefined
    ? undefined
    : readOwnFile(pathIn(stateDirectory), keyFileName);
}

/** Returns a text that changes whenever the key file changes, or `undefined` if there is no key file. */
function keyFileStamp(stateDirectory: string): string | undefined {
  const found = statSync(pathIn(stateDirectory), { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino}:${found.mtimeNs}`;
}

/**
 * Creates the key file if there is none. If many processes do it at once, one succeeds. Passes on errors of the system.
 */
function createKeyFile(stateDirectory: string, content: string): void {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const temporary = temporaryIn(stateDirectory);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    writeDurably(join(temporary, keyFile), content);
    // No file system lets a folder replace one that is not empty. Hard links, the alternative, are not available everywhere.
    renameSync(temporary, join(stateDirectory, keysFolder));
    syncDirectory(stateDirectory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Mostly because another process was first: its key is the one.
    if (keyFileStamp(stateDirectory) === undefined) throw error;
  }
}

/** Replaces the content of the key file atomically. Passes on errors of the system. */
function replaceKeyFile(stateDirectory: string, content: string): void {
  const temporary = temporaryIn(stateDirectory);
  try {
    writeDurably(temporary, content);
    renameSync(temporary, pathIn(stateDirectory));
    syncDirectory(join(stateDirectory, keysFolder));
  } finally {
    rmSync(temporary, { force: true });
  }
}

function pathIn(stateDirectory: string): string {
  return join(stateDirectory, keysFolder, keyFile);
}

function temporaryIn(stateDirectory: string): string {
  return join(stateDirectory, `.${keysFolder}-${randomBytes(8).toString('hex')}`);
}

function writeDurably(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600, flag: 'wx', flush: true });
}

/**
 * Flushes a renamed file's folder to disk, so that the new name survives a power failure. Windows can't open folders.
 */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The ring of keys that are spelled as 64 hexadecimal digits each, the signing one first.
 *
 * @param spelled at least one
 * @param nameOf names the key at an index, from 0, in a message
 * @throws KEYS_UNUSABLE when one is spelled otherwise; the message shows nothing of it
 */
function parseKeys(spelled: readonly string[], nameOf: (index: number) => string): KeyRing {
  const [signing, ...older] = spelled.map((text, index) => parseKey(text.trim(), nameOf(index)));
  if (signing === undefined) throw new WorkflowError('INTERNAL', 'A key ring needs a key.');
  return { signing, verifying: [signing, ...older] };
}

function parseKey(digits: string, name: string): Key {
  if (/^[0-9a-f]{64}$/i.test(digits)) return keyOf(Buffer.from(digits, 'hex'));
  throw new WorkflowError('KEYS_UNUSABLE', keyMessages.wrongKey(name, digits.length));
}

function keyOf(secret: Uint8Array): Key {
  return { id: createHash('sha256').update(secret).digest('hex').slice(0, 8), secret };
}

function newKeyLine({ random = randomBytes }: KeyRingOptions): string {
  return `${Buffer.from(random(32)).toString('hex')}\n`;
}

/** Returns the content of the key file: one key on each line, the newest first. Creates it with one key if there is none. */
function readOrCreateKeys(options: KeyRingOptions): string {
  const { stateDirectory } = options;
  const found = readKeyFile(stateDirectory);
  if (found !== undefined) return found;
  createKeyFile(stateDirectory, newKeyLine(options));
  return readKeyFile(stateDirectory) ?? readOrCreateKeys(options);
}

/** Parses the content of a key file. @throws KEYS_UNUSABLE */
function parseKeyFile(content: string): KeyRing {
  return parseKeys(content.trimEnd().split('\n'), (index) => keyMessages.lineOfFile(index, keyFileName));
}

// With a key, anybody can forge every token and every event. So the keys of a state directory are used only if no other
// user can read or replace them. On Windows, other users can't access the folders of a user anyway.

const [othersWrite, groupWrite, othersOrGroup, sticky] = [0o002, 0o020, 0o077, 0o1000];

/**
 * Refuses a state directory in which others can replace the keys: they can write to it or to its folder of keys, or own
 * them, or can rename it, because the folder around it is open to all. What is not there yet is not refused.
 *
 * The root of a mounted volume may belong to another user or be writable by a group: that is how containers get volumes,
 * and each key file is looked at by itself.
 *
 * @throws WorkflowError KEYS_UNUSABLE with the command that sets it right; the message names no path outside the state directory
 */
function refuseOpenPlace(stateDirectory: string): void {
  const user = userId();
  if (user === undefined) return;
  const state = statOf(stateDirectory);
  if (state === undefined) return;
  const around = statOf(join(stateDirectory, '..'));
  if (around !== undefined && (around.mode & othersWrite) !== 0 && (around.mode & sticky) === 0) {
    const above = statOf(join(stateDirectory, '..', '..'));
    if (!isMountedAt(around, above)) throw refused(openPlaces.around(), around, 'chmod +t ..');
  }
  refuseFolder(state, { name: '.', user, isMount: isMountedAt(state, around) });
  const keys = statOf(join(stateDirectory, keysFolder));
  if (keys !== undefined) refuseFolder(keys, { name: keysFolder, user, isMount: isMountedAt(keys, state) });
}

/** `name` is that of the folder, from the state directory. */
function refuseFolder(
  found: Stats,
  { name, user, isMount }: { readonly name: string; readonly user: number; readonly isMount: boolean },
): void {
  const what = name === '.' ? openPlaces.stateDirectory() : openPlaces.folder(name);
  if ((found.mode & othersWrite) !== 0)
    throw refused(openPlaces.everybodyWrites(what), found, `chmod go-w ${name}`);
  if (isMount) return;
  if ((found.mode & groupWrite) !== 0)
    throw refused(openPlaces.groupWrites(what), found, `chmod go-w ${name}`);
  // Root may do everything anyway.
  if (found.uid !== user && found.uid !== 0)
    throw refused(openPlaces.otherOwner(what, found.uid), found, `chown ${user} ${name}`);
}

/**
 * Reads a file that only this user can read and write. It checks the opened file, which can't be exchanged after the
 * check.
 *
 * @param path of the file
 * @param name what messages call it, from the state directory
 * @throws WorkflowError KEYS_UNUSABLE if other users can use it; otherwise the error of the system
 */
function readOwnFile(path: string, name: string): string {
  // Without O_NONBLOCK, opening a pipe in place of the file would block.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    const user = userId();
    if (!found.isFile()) throw refused(openPlaces.notRegular(name), found, `mv ${name} ${name}.refused`);
    if (user !== undefined && found.uid !== user && found.uid !== 0)
      throw refused(openPlaces.otherOwner(`'${name}'`, found.uid), found, `chown ${user} ${name}`);
    if (user !== undefined && (found.mode & othersOrGroup) !== 0)
      throw refused(openPlaces.othersUse(name), found, `chmod go-rwx ${name}`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function refused(reason: string, { mode }: Stats, command: string): WorkflowError {
  const bits = (mode & 0o7777).toString(8).padStart(4, '0');
  return new WorkflowError('KEYS_UNUSABLE', keyMessages.open(reason, bits, command), {
    data: { reason: 'open-keys', retryable: false, command },
  });
}

/** Returns whether a folder is a mount point. */
function isMountedAt(folder: Stats, around: Stats | undefined): boolean {
  return around !== undefined && around.dev !== folder.dev;
}

/** Returns the id of the process's user; `undefined` on systems without user ids. */
function userId(): number | undefined {
  return process.geteuid?.();
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** The source of the keys of tokens. */
export interface KeyRingOptions {
  /** The absolute path. It is created together with the first key, and only its owner can read it. */
  readonly stateDirectory: string;
  /** Variables of the process; its `WORKFLOWLOOKUP_KEYS` stands in for the state directory. Default none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Returns this many random bytes; by default from the system. */
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
      // If the key file is lost or damaged while a server runs, the server keeps its keys. The next start reports the
      // problem.
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

/** Converts a system error about the key file to KEYS_UNUSABLE, and returns any other error unchanged. */
function keyStorageError(action: 'changed' | 'read or created', error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof WorkflowError || typeof code !== 'string') return error;
  return new WorkflowError('KEYS_UNUSABLE', keyMessages.unusable(action, code), {
    data: { code },
    cause: error,
  });
}

/**
 * Returns the keys that sign tokens: those of `WORKFLOWLOOKUP_KEYS`, or else those of the state directory, where the
 * first call creates one. Call it only when a session is first needed, because starting a server writes nothing.
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
    return parseKeys(listed.split(','), (index) => keyMessages.keyOfVariable(index, keysVariable));
  try {
    return reloadingKeyRing(options.stateDirectory, parseKeyFile(readOrCreateKeys(options)));
  } catch (error) {
    throw keyStorageError('read or created', error);
  }
}

/**
 * Registers the keys of a server in the shared database. Servers without a common key would refuse each other's tokens,
 * so a key ring that has no key in common with the registered ones is refused.
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

/**
 * Returns a fingerprint of a key, which does not reveal the key. Unlike the id of the key, it is long enough to be
 * unique.
 */
function fingerprintOf({ secret }: Key): string {
  return createHash('sha256')
    .update('workflowlookup fingerprint of a token key\n')
    .update(secret)
    .digest('hex');
}

const lockName = 'rotation.lock';

/**
 * Adds a key that signs from now on. The older keys are kept, so that every token stays valid. Running servers notice
 * the new key.
 *
 * @throws INVALID_STATE when the keys come from `WORKFLOWLOOKUP_KEYS`, CONFLICT while another rotation is under way; KEYS_UNUSABLE
 */
export function rotateKey(options: KeyRingOptions): KeyRing {
  if (options.environment?.[keysVariable] !== undefined)
    throw new WorkflowError('INVALID_STATE', keyMessages.keysFromVariable());
  try {
    // Makes the folder of the lock too.
    readOrCreateKeys(options);
    // Two rotations at once would each write a ring without the key of the other.
    return alone(join(options.stateDirectory, lockName), () => addKey(options), {
      waitMs: 0,
      busy: (cause) => new WorkflowError('CONFLICT', keyMessages.otherRotation(lockName), { cause }),
    });
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

/** The proof that a server with the key ring wrote a record, and the key that it used. */
export interface RecordSeal {
  readonly ringKey: string;
  readonly mac: string;
}

export type SealStatus =
  /** Sealed with the signing key of the ring. */
  | 'sealed'
  /** Sealed with a key of the ring that no longer signs. */
  | 'outdated'
  /** Written without a key of the ring, or changed afterwards. */
  | 'unsealed';

/**
 * The kind and the values of a record. Each kind has its own derived key, so a seal of one kind is not valid for
 * another.
 */
export interface SealedRecord {
  readonly kind: string;
  readonly values: readonly unknown[];
}

export function sealRecord({ signing }: KeyRing, record: SealedRecord): RecordSeal {
  return { ringKey: signing.id, mac: macOf(signing, record) };
}

/** Checks the seal of a record against the keys of the ring. */
export function sealStatus(
  { signing, verifying }: KeyRing,
  seal: RecordSeal | undefined,
  record: SealedRecord,
): SealStatus {
  const key = verifying.find(({ id }) => id === seal?.ringKey);
  if (seal === undefined || key === undefined) return 'unsealed';
  if (!isSameText(seal.mac, macOf(key, record))) return 'unsealed';
  return key.id === signing.id ? 'sealed' : 'outdated';
}

function macOf({ secret }: Key, { kind, values }: SealedRecord): string {
  const own = Buffer.from(hkdfSync('sha256', secret, '', `workflowlookup-${kind}`, 32));
  return createHmac('sha256', own).update(JSON.stringify(values)).digest('base64url');
}

/** Compares in constant time. */
export function isSameText(one: string, other: string): boolean {
  const [given, due] = [Buffer.from(one), Buffer.from(other)];
  return given.length === due.length && timingSafeEqual(given, due);
}

/** How long a sign-in link may be used; it works once. */
export const signInLinkMs = 600_000;

/** A valid sign-in link. */
export interface SignInLink {
  /** Identifies it, so that it can be used only once. */
  readonly id: string;
  /** When it expires, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Creates the secret in a link that signs the user of this machine in to the console. It is random, and sealed with the
 * key that signs tokens, so any server with these keys accepts it, and only a process that can read the keys can make one.
 */
export function newSignInSecret({ signing }: KeyRing, nowMs: number): string {
  const id = randomBytes(16).toString('base64url');
  const end = Math.floor(nowMs + signInLinkMs).toString(36);
  return `${id}.${end}.${macOf(signing, signInLink(id, end))}`;
}

function signInLink(id: string, end: string): SealedRecord {
  return { kind: 'sign-in-link', values: [id, end] };
}

/** Returns the link of a secret, or `undefined` if the text is not a secret or has expired. */
export function readSignInSecret(
  { verifying }: KeyRing,
  secret: string,
  nowMs: number,
): SignInLink | undefined {
  const [, id = '', end = '', seal = ''] = /^([\w-]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/.exec(secret) ?? [];
  const isSealed = verifying.some((key) => isSameText(macOf(key, signInLink(id, end)), seal));
  const untilMs = Number.parseInt(end, 36);
  if (!isSealed || untilMs <= nowMs || untilMs > nowMs + 2 * signInLinkMs) return undefined;
  return { id, untilMs };
}

const made = new WeakMap<Key, string>();

/**
 * Returns the token in the address of a server without credentials. It is derived from the signing key, so it stays the
 * same after a restart and on every server with these keys, and only users who may read the keys can compute it.
 */
export function addressTokenOf({ signing }: KeyRing): string {
  return tokenOf(signing);
}

/** Returns whether a text is the token of one of the keys. The address of an older key works while the ring has that key. */
export function isAddressToken({ verifying }: KeyRing, given: string): boolean {
  return verifying.some((key) => isSameText(tokenOf(key), given));
}

function tokenOf(key: Key): string {
  const known = made.get(key);
  if (known !== undefined) return known;
  const bytes = hkdfSync('sha256', key.secret, '', 'workflowlookup-http-address', 24);
  const token = Buffer.from(bytes).toString('base64url');
  made.set(key, token);
  return token;
}
