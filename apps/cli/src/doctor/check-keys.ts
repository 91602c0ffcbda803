import type { KeyRingOptions } from '@workflowlookup/host';
import { hasTokenKeys, loadKeyRing } from '@workflowlookup/host';
import type { Check } from './check.ts';
import { failure, fine, skipped } from './check.ts';

const name = 'keys';

/** Whether the keys that tokens are signed with can be read; none are made. */
export function checkKeys(options: KeyRingOptions): Check {
  try {
    if (!hasTokenKeys(options)) return skipped(name, 'no keys yet; they are made with the first session');
    const { verifying } = loadKeyRing(options);
    return fine(name, verifying.length === 1 ? 'One key for tokens' : `${verifying.length} keys for tokens`);
  } catch (error) {
    return failure(name, error, 'Let this user read the state directory.');
  }
}
