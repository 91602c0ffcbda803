import { createHash } from 'node:crypto';
import type { Key, KeyRing } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { AccessStore } from '@workflowlookup/storage';
import { keysVariable } from './key-ring-options.ts';

/**
 * Notes the keys of a server in the database it shares. Servers whose rings have no key in common would refuse each
 * other's tokens, so a ring that shares none with those before is refused.
 *
 * @see docs/security.md#tokens
 * @throws STORAGE
 */
export async function noteSharedRing(store: AccessStore, { verifying }: KeyRing): Promise<void> {
  if (await store.noteTokenKeys(verifying.map(fingerprintOf))) return;
  throw new WorkflowError(
    'STORAGE',
    `Servers that share this database sign tokens with other keys than this one. Set ${keysVariable} to the same keys on all of them; new keys go beside a known one.`,
    { data: { reason: 'other-keys', retryable: false } },
  );
}

/** Tells a key from others and gives nothing of it away; unlike its id it is long enough to be proof. */
function fingerprintOf({ secret }: Key): string {
  return createHash('sha256')
    .update('workflowlookup fingerprint of a token key\n')
    .update(secret)
    .digest('hex');
}
