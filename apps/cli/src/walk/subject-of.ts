import { WorkflowError } from '@workflowlookup/schema';
import type { RunFlags, Subject } from './run.ts';

/** What is to be gone through: the workflow or the session that is named, and one of them is. @throws WorkflowError INVALID_PARAMS */
export function subjectOf(workflow: string | undefined, { session }: Pick<RunFlags, 'session'>): Subject {
  if (workflow !== undefined && session === undefined) return { workflow };
  if (session !== undefined && workflow === undefined) return { session };
  throw new WorkflowError(
    'INVALID_PARAMS',
    'Name a workflow to start, or a --session to go on with; one of them.',
  );
}
