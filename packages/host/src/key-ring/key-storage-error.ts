import { WorkflowError } from '@workflowlookup/schema';

/** Says that the system refused something to the key file; anything else that was thrown is returned as it is. */
export function keyStorageError(what: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof WorkflowError || typeof code !== 'string') return error;
  const message = `The token keys in the state directory can't be ${what} (${code}). ${remedies[code] ?? remedy}`;
  return new WorkflowError('STORAGE', message, { data: { code }, cause: error });
}

const remedy = "Make the folder writable for the server's user, or name another one.";
const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'Make room on the disk.',
  ENOTEMPTY: "The folder 'keys' has files and no 'token-key': put that file back, or remove the folder.",
  EEXIST: "The folder 'keys' has files and no 'token-key': put that file back, or remove the folder.",
};
