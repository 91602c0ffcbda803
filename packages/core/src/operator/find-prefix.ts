import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { everySession } from './every-session.ts';

/** Ids that an error names. */
const maxNamed = 5;

/** The id of the one session whose id begins so. */
export async function findPrefix(store: SessionStore, prefix: string): Promise<string> {
  const found: string[] = [];
  if (prefix !== '') {
    for await (const { sid } of everySession(store, { text: prefix })) {
      if (sid === prefix) return sid;
      if (sid.startsWith(prefix)) found.push(sid);
    }
  }
  const [only, ...others] = found;
  if (only === undefined) throw new WorkflowError('INVALID_PARAMS', `There is no session '${prefix}'.`);
  if (others.length === 0) return only;
  const named = found.slice(0, maxNamed).join(', ');
  const more = found.length > maxNamed ? ', …' : '';
  throw new WorkflowError(
    'INVALID_PARAMS',
    `The ids of ${found.length} sessions begin with '${prefix}': ${named}${more}. Give more of it.`,
  );
}
