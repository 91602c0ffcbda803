import type { KeyRingOptions } from '@workflowlookup/host';
import { hasTokenKeys, loadKeyRing, unsealedRevocations } from '@workflowlookup/host';
import type { Check } from './check.ts';
import { failure, fine, problem, skipped } from './check.ts';

const name = 'keys';

/** Whether the keys that tokens are signed with can be read, and sealed the list of revoked API keys; none are made. */
export function checkKeys(options: KeyRingOptions): Check {
  try {
    if (!hasTokenKeys(options)) return skipped(name, 'no keys yet; they are made with the first session');
    const { verifying } = loadKeyRing(options);
    const [unsealed, ...more] = unsealedRevocations(options);
    if (unsealed !== undefined)
      return problem(
        name,
        `Lines of revoked-keys.jsonl were not written with the token keys: ${[unsealed, ...more].join(', ')}. These API keys are refused`,
        `Confirm each key that you revoked: workflowlookup keys revoke ${unsealed} (otherwise remove its line)`,
      );
    return fine(name, verifying.length === 1 ? 'One key for tokens' : `${verifying.length} keys for tokens`);
  } catch (error) {
    return failure(name, error, 'Let this user read the state directory.');
  }
}
