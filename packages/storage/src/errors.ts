import { WorkflowError } from '@workflowlookup/schema';
import type { FailureText } from './messages.ts';
import { callMessages, damageMessages, databaseMessages } from './messages.ts';

/** Returns the error for a session that does not exist or was deleted. */
export function noSession(sid: string): WorkflowError {
  return new WorkflowError('NOT_FOUND', callMessages.noSession(sid.slice(0, 128)), {
    data: { sid },
  });
}

export function notStored(what: 'definition' | 'blob', digest: string): WorkflowError {
  return new WorkflowError('NOT_FOUND', callMessages.notStored(what, digest), { data: { digest } });
}

/** Returns the error for a call after the store was closed. */
export function storeClosed(): WorkflowError {
  return new WorkflowError('STORE_UNAVAILABLE', callMessages.closed(), {
    data: { reason: 'closed' },
  });
}

/** Returns the error for stored data that has changed since it was written. */
export function damagedStore(
  problem: string,
  { reason = 'corrupt' }: { readonly reason?: 'corrupt' | 'unauthentic' } = {},
): WorkflowError {
  return new WorkflowError('STORE_DAMAGED', damageMessages.damaged(problem), {
    data: { reason },
  });
}

/** Returns the error for a database that can't be used. */
export function databaseFailed(
  reason: string,
  text: FailureText,
  { cause, ...more }: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): WorkflowError {
  const code = reason === 'corrupt' ? 'STORE_DAMAGED' : 'STORE_UNAVAILABLE';
  return new WorkflowError(code, databaseMessages.failed(text), { data: { reason, ...more }, cause });
}

/** Returns the error for a database that a newer program has migrated. */
export function newerSchema(
  versions: { readonly found: number; readonly known: number },
  place: 'database' | 'state directory',
): WorkflowError {
  const { found, known } = versions;
  return new WorkflowError('STORE_UNAVAILABLE', databaseMessages.newerSchema(found, known, place), {
    data: { reason: 'newer-schema', found, known },
  });
}

/** Returns the code of a failure of the system, such as `ENOENT`. */
export function systemCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
