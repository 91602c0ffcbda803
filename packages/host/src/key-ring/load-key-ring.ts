import type { KeyRing } from '@workflowlookup/core';
import type { KeyRingOptions } from './key-ring-options.ts';
import { keysVariable } from './key-ring-options.ts';
import { keyStorageError } from './key-storage-error.ts';
import { livingRing } from './living-ring.ts';
import { parseKeys } from './parse-keys.ts';
import { parseKeyFile, readOrCreateKeys } from './ring-file.ts';

/**
 * The keys tokens are signed with: those of `WORKFLOWLOOKUP_KEYS`, else those of the state directory, where the first
 * call makes one. Call it when a session is first asked for, since starting a server writes nothing.
 *
 * The ring of a state directory lives: a key that another process adds counts from its next use on.
 *
 * @see docs/security.md#tokens
 * @throws STORAGE when the keys can't be read or made, or are spelled wrong
 */
export function loadKeyRing(options: KeyRingOptions): KeyRing {
  const listed = options.environment?.[keysVariable];
  if (listed !== undefined)
    return parseKeys(listed.split(','), (index) => `Key ${index + 1} of ${keysVariable}`);
  try {
    return livingRing(options.stateDirectory, parseKeyFile(readOrCreateKeys(options)));
  } catch (error) {
    throw keyStorageError('read or made', error);
  }
}
