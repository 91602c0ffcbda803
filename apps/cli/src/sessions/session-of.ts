import { WorkflowError } from '@workflowlookup/schema';
import type { CommandContext } from './with-operator.ts';

/** The id of the session that a person names by the beginning of its id. @throws WorkflowError INVALID_PARAMS */
export async function sessionOf(
  { operator, state }: Pick<CommandContext, 'operator' | 'state'>,
  prefix: string,
): Promise<string> {
  // Looking must not make a database.
  if (!state.isMade())
    throw new WorkflowError(
      'INVALID_PARAMS',
      `There is no session '${prefix}': none is kept in ${state.place}.`,
    );
  return operator.resolve(prefix);
}
