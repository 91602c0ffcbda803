import type { KeyRing } from '@workflowlookup/core';
import { keyFileStamp, readKeyFile } from './key-file.ts';
import { parseKeyFile } from './ring-file.ts';

/** The key file is looked at no more often than this: one call asks for keys several times. */
export const lookMs = 10;

/** A ring that takes up what other processes write to the key file, and starts as the one given. */
export function livingRing(stateDirectory: string, first: KeyRing): KeyRing {
  let ring = first;
  let stamp: string | undefined;
  let lookedMs = -Infinity;
  const current = (): KeyRing => {
    if (performance.now() - lookedMs < lookMs) return ring;
    lookedMs = performance.now();
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
