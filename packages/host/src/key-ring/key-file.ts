import { randomBytes } from 'node:crypto';
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
import { readOwnFile, refuseOpenPlace } from './key-place.ts';

const folder = 'keys';
const file = 'token-key';

/** The key file, as messages name it. */
export const keyFileName = `${folder}/${file}`;

/**
 * What the key file holds; `undefined` when there is none. Throws what the system does.
 *
 * @throws WorkflowError STORAGE where others can read the keys or put theirs in place
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
export function createKeyFile(stateDirectory: string, content: string): void {
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
