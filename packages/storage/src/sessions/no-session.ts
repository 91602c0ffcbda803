import { WorkflowError } from '@workflowlookup/schema';

/** Says that a write is about a session that is not there, or not any more. */
export function noSession(sid: string): WorkflowError {
  return new WorkflowError('STATE', `There is no session '${sid.slice(0, 128)}'; it may have been pruned.`, {
    data: { sid },
  });
}

/** Says that a session is about to be kept without what it refers to. */
export function notKept(what: 'definition' | 'blob', digest: string): WorkflowError {
  const put = what === 'definition' ? 'putDefinition' : 'putBlob';
  return new WorkflowError(
    'STATE',
    `The ${what} '${digest}' is not in the store; keep it with ${put} before.`,
    { data: { digest } },
  );
}

/** Says that a store was used after it was closed. */
export function storeClosed(): WorkflowError {
  return new WorkflowError('STORAGE', 'The session store is closed; open another one.', {
    data: { reason: 'closed' },
  });
}
