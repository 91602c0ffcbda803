import type { WorkflowError } from '@workflowlookup/schema';
import { late } from './late.ts';

/** What a call is refused with whose arguments each are as the schema says, but not together. */
export async function invalidArguments(details: string): Promise<WorkflowError> {
  const parts = await late();
  return new parts.WorkflowError('INVALID_PARAMS', details, { data: { details } });
}
