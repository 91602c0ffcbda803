import type { Host } from '@workflowlookup/host';
import type { Check } from './check.ts';
import { failure, fine, skipped } from './check.ts';

const name = 'database';

/** Whether the database opens and answers; none is made. */
export async function checkDatabase({ operator, state }: Host): Promise<Check> {
  if (!state.isMade()) return skipped(name, 'no database yet; it is made with the first session');
  try {
    const { sessions } = await operator.find({}, { limit: 1 });
    const last =
      sessions[0] === undefined ? 'it has no sessions' : `last written to ${sessions[0].updatedAt}`;
    return fine(name, `It answers; ${last}`);
  } catch (error) {
    return failure(name, error, 'See what is left of it: workflowlookup sessions verify --all');
  }
}
