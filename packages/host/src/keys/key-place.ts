import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import { keyMessages, openPlaces } from '../messages.ts';

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
export function refuseOpenPlace(stateDirectory: string, keyFolder: string): void {
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
export function readOwnFile(path: string, name: string): string {
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

/** Whether a file system begins at a folder. */
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
