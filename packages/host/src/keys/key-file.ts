import { createHash, randomBytes } from 'node:crypto';
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
import { keyMessages, openPlaces } from '../messages.ts';
import type { KeyRingOptions } from './key-ring.ts';

const keysFolder = 'keys';
const keyFile = 'token-key';

const keyFileName = `${keysFolder}/${keyFile}`;

/**
 * Returns the content of the key file, or `undefined` if there is none. Passes on errors of the system.
 *
 * @throws WorkflowError KEYS_UNUSABLE where others can read the keys or put theirs in place
 */
export function readKeyFile(stateDirectory: string): string | undefined {
  refuseOpenPlace(stateDirectory, keysFolder);
  return keyFileStamp(stateDirectory) === undefined
    ? undefined
    : readOwnFile(pathIn(stateDirectory), keyFileName);
}

/** Returns a text that changes whenever the key file changes, or `undefined` if there is no key file. */
export function keyFileStamp(stateDirectory: string): string | undefined {
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
export function replaceKeyFile(stateDirectory: string, content: string): void {
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

/** Makes a new name last through a loss of power; Windows opens no folders. */
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
export function parseKeys(spelled: readonly string[], nameOf: (index: number) => string): KeyRing {
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

const keyBytes = 32;

export function newKeyLine({ random = randomBytes }: KeyRingOptions): string {
  return `${Buffer.from(random(keyBytes)).toString('hex')}\n`;
}

/** Returns the content of the key file: one key on each line, the newest first. Creates it with one key if there is none. */
export function readOrCreateKeys(options: KeyRingOptions): string {
  const { stateDirectory } = options;
  const found = readKeyFile(stateDirectory);
  if (found !== undefined) return found;
  createKeyFile(stateDirectory, newKeyLine(options));
  return readKeyFile(stateDirectory) ?? readOrCreateKeys(options);
}

/** Parses the content of a key file. @throws KEYS_UNUSABLE */
export function parseKeyFile(content: string): KeyRing {
  return parseKeys(content.trimEnd().split('\n'), (index) => `Line ${index + 1} of '${keyFileName}'`);
}

// A key that somebody else can read or put in place forges every token and every event. So the keys of a state directory
// count only where this user alone decides about them. Windows keeps the folders of a user from others by itself.

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
function refuseOpenPlace(stateDirectory: string, keyFolder: string): void {
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
  const keys = statOf(join(stateDirectory, keyFolder));
  if (keys !== undefined) refuseFolder(keys, { name: keyFolder, user, isMount: isMountedAt(keys, state) });
}

interface Folder {
  /** From the state directory. */
  readonly name: string;
  readonly user: number;
  readonly isMount: boolean;
}

function refuseFolder(found: Stats, { name, user, isMount }: Folder): void {
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
 * Reads a file that this user alone can read and write. It is judged by the opened file, which nobody can exchange.
 *
 * @param path of the file
 * @param name what messages call it, from the state directory
 * @throws WorkflowError KEYS_UNUSABLE where others can use it; else what the system throws
 */
function readOwnFile(path: string, name: string): string {
  // A pipe in its place would be waited for.
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

/** The user this process acts as; `undefined` where the system has no such users. */
function userId(): number | undefined {
  return process.geteuid?.();
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
