import type { FailureText } from '../../messages.ts';
import { WorkflowError } from '@workflowlookup/schema';
import { systemCode } from '../../utilities.ts';
import { databaseMessages, postgresFailures } from '../../messages.ts';

interface Failure extends FailureText {
  readonly reason: string;
  /** Whether the same call may succeed in a moment. */
  readonly retryable: boolean;
}

const unavailable: Failure = { reason: 'unavailable', ...postgresFailures.unavailable, retryable: true };
const busy: Failure = { reason: 'busy', ...postgresFailures.busy, retryable: true };
const slow: Failure = { reason: 'timeout', ...postgresFailures.slow, retryable: true };
const readOnly: Failure = { reason: 'read-only', ...postgresFailures.readOnly, retryable: true };
const full: Failure = { reason: 'disk-full', ...postgresFailures.full, retryable: false };
const denied: Failure = { reason: 'denied', ...postgresFailures.denied, retryable: false };
const absent: Failure = { reason: 'no-database', ...postgresFailures.noDatabase, retryable: false };
const gone: Failure = { reason: 'gone', ...postgresFailures.gone, retryable: false };
const unsafe: Failure = { reason: 'tls', ...postgresFailures.tls, retryable: false };
const misnamed: Failure = { reason: 'address', ...postgresFailures.badAddress, retryable: false };
const damaged: Failure = { reason: 'corrupt', ...postgresFailures.damaged, retryable: false };

/** Failures by SQLSTATE or its first two characters. The full code takes precedence. */
const bySqlState: Readonly<Record<string, Failure>> = {
  '08': unavailable,
  '25006': readOnly,
  '25P03': slow,
  '25P04': slow,
  '28': denied,
  '3D': absent,
  '3F': gone,
  '40': busy,
  '42501': denied,
  '42P01': gone,
  '53': busy,
  '53100': full,
  '55P03': busy,
  '57': unavailable,
  '57014': slow,
  XX001: damaged,
  XX002: damaged,
};

/** Failures that only the driver's messages tell apart. */
const byMessage: readonly (readonly [RegExp, Failure])[] = [
  [/^timeout exceeded when trying to connect$/, busy],
  [/^Query read timeout$/, slow],
  [/SSL|TLS|certificate/i, unsafe],
  [/^Invalid URL$/, misnamed],
];

function sqlState(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

/** Returns the name of the constraint that a refused statement would have violated. */
export function brokenConstraint(error: unknown): string | undefined {
  const refused = error instanceof WorkflowError ? error.cause : error;
  if (!(refused instanceof Error)) return undefined;
  const { constraint } = refused as { constraint?: unknown };
  return sqlState(refused)?.startsWith('23') && typeof constraint === 'string' ? constraint : undefined;
}

/** Whether a connection may be used again after this error. */
export function isReusable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof WorkflowError;
  return state === '57014' || ['22', '23', '40', '42', '55'].includes(state.slice(0, 2));
}

/** Whether the server could not be reached, as opposed to being overloaded. */
export function isOutage(error: unknown): boolean {
  return error instanceof WorkflowError && error.data['reason'] === unavailable.reason;
}

/**
 * Converts a failure of the driver or the server into an error for the caller, without the address or the user. Other
 * errors are returned unchanged.
 */
export function storageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof WorkflowError) return error;
  const state = sqlState(error);
  if (state !== undefined) return serverFailure(state, error);
  // The only files in an address are certificates and keys.
  if ('syscall' in error && error.syscall === 'open') return storageError(unsafe);
  if (isSystemCode(systemCode(error))) return storageError(unavailable);
  const byWords = byMessage.find(([words]) => words.test(error.message))?.[1];
  if (byWords !== undefined) return storageError(byWords);
  const isOurs = [TypeError, RangeError, SyntaxError, ReferenceError].some((kind) => error instanceof kind);
  return isOurs ? error : storageError(unavailable);
}

export function unreadableAddress(): WorkflowError {
  return storageError(misnamed);
}

/** Whether the network or a socket failed. Codes that begin with `ERR_` are Node's own. */
function isSystemCode(code: string): boolean {
  return /^E(?!RR_)[A-Z_]+$/.test(code);
}

function serverFailure(state: string, error: Error): WorkflowError {
  const failure = bySqlState[state] ?? bySqlState[state.slice(0, 2)];
  if (failure !== undefined) return storageError(failure);
  return storageError({ reason: 'unknown', ...postgresFailures.unknown(state), retryable: false }, error);
}

function storageError(failure: Failure, cause?: unknown): WorkflowError {
  return new WorkflowError(
    failure.reason === damaged.reason ? 'STORE_DAMAGED' : 'STORE_UNAVAILABLE',
    databaseMessages.failed(failure),
    {
      data: { reason: failure.reason, retryable: failure.retryable },
      cause,
    },
  );
}
