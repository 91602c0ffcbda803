import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyRing } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import { replaceKeyFile } from './key-file.ts';
import type { KeyRingOptions } from './key-ring-options.ts';
import { keysVariable } from './key-ring-options.ts';
import { keyStorageError } from './key-storage-error.ts';
import { newKeyLine, parseKeyFile, readOrCreateKeys } from './ring-file.ts';

const lockName = 'rotation.lock';

/**
 * Adds a key that signs from now on and keeps the older ones, so that every token stays good. Running servers take it up.
 *
 * @throws STATE when the keys come from `WORKFLOWLOOKUP_KEYS`, or while another rotation is under way; STORAGE
 */
export function rotateKey(options: KeyRingOptions): KeyRing {
  if (options.environment?.[keysVariable] !== undefined) {
    const remedy = 'Put a new key first there and leave the others behind it.';
    throw new WorkflowError(
      'STATE',
      `The keys come from ${keysVariable}, not from the state directory. ${remedy}`,
    );
  }
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
    const remedy = `If none is, remove '${lockName}' from the state directory.`;
    throw new WorkflowError('STATE', `Another rotation of the keys is under way. ${remedy}`, {
      cause: error,
    });
  }
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}
