import { WorkflowError } from '@workflowlookup/schema';

/** Says that the system refused something to a file of the state directory. */
export function stateFileError(what: string, error: unknown): WorkflowError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new WorkflowError(
    'STORAGE',
    `${what} can't be kept in the state directory (${code}). Make it writable for the server's user, or name another one.`,
    { data: { code }, cause: error },
  );
}
