import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Key, KeyRing } from '@workflowlookup/core/tokens';
import { WorkflowError } from '@workflowlookup/schema';
import { readOwnFile, refuseOpenPlace } from './key-place.ts';
import type { KeyRingOptions } from './key-ring.ts';
import { keyMessages } from '../messages.ts';

const folder = 'keys';
const file = 'token-key';

const keyFileName = `${folder}/${file}`;

/**
 * What the key file holds; `undefined` when there is none. Throws what the system does.
 *
 * @throws WorkflowError KEYS_UNUSABLE where others can read the keys or put theirs in place
 */
export function readKeyFile(stateDirectory: string): string | undefined {
  refuseOpenPlace(stateDirectory, folder);
  return keyFileStamp(stateDirectory) === undefined
    ? undefined
    : readOwnFile(pathIn(stateDirectory), keyFileName);
}

/** Changes whenever the key file does; `undefined` when there is none. */
export function keyFileStamp(stateDirectory: string): string | undefined {
  const found = statSync(pathIn(stateDirectory), { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino}:${found.mtimeNs}`;
}

/**
 * Makes the key file unless there is one: of many processes that do so at once, one does. Throws what the system does.
 */
function createKeyFile(stateDirectory: string, content: string): void {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const temporary = temporaryIn(stateDirectory);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    writeDurably(join(temporary, file), content);
    // No file system puts a folder in the place of one that is not empty; hard links, the other way, are not everywhere.
    renameSync(temporary, join(stateDirectory, folder));
    syncDirectory(stateDirectory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Mostly because another process was first: its key is the one.
    if (keyFileStamp(stateDirectory) === undefined) throw error;
  }
}

/** Puts new content in the place of the key file's, at once. Throws what the system does. */
export function replaceKeyFile(stateDirectory: string, content: string): void {
  const temporary = temporaryIn(stateDirectory);
  try {
    writeDurably(temporary, content);
    renameSync(temporary, pathIn(stateDirectory));
    syncDirectory(join(stateDirectory, folder));
  } finally {
    rmSync(temporary, { force: true });
  }
}

function pathIn(stateDirectory: string): string {
  return join(stateDirectory, folder, file);
}

function temporaryIn(stateDirectory: string): string {
  return join(stateDirectory, `.${folder}-${randomBytes(8).toString('hex')}`);
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

/** What the key file holds, made with one key where there is none: a key a line, newest first. */
export function readOrCreateKeys(options: KeyRingOptions): string {
  const { stateDirectory } = options;
  const found = readKeyFile(stateDirectory);
  if (found !== undefined) return found;
  createKeyFile(stateDirectory, newKeyLine(options));
  return readKeyFile(stateDirectory) ?? readOrCreateKeys(options);
}

/** The ring a key file's content spells. @throws KEYS_UNUSABLE */
export function parseKeyFile(content: string): KeyRing {
  return parseKeys(content.trimEnd().split('\n'), (index) => `Line ${index + 1} of '${keyFileName}'`);
}
