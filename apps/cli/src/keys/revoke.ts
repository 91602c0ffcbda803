import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { KeysContext } from './with-keys.ts';

/** Ends a key. */
export async function revoke({ answer, keys }: KeysContext, id: string): Promise<ExitCode> {
  if (!(await keys.revoke(id)))
    throw new WorkflowError('INVALID_PARAMS', `There is no key with the id '${id}'.`);
  await answer({ id, revoked: true }, () => `Key ${id} is revoked.`);
  return exitCodes.ok;
}
