import { WorkflowError } from '@workflowlookup/schema';
import { damageRemedy } from '../sql/damaged-store.ts';
import { systemCode } from '../system-code.ts';

interface Failure {
  readonly reason: string;
  /** What was found. */
  readonly found: string;
  /** What would do. */
  readonly remedy: string;
  /** Whether the same call may succeed in a moment. */
  readonly retryable: boolean;
}

const again = 'Send the same call again in a moment';

const unavailable: Failure = {
  reason: 'unavailable',
  found: 'the server does not answer or ended the connection',
  remedy: `${again}; what was sent last is then kept once`,
  retryable: true,
};
const busy: Failure = {
  reason: 'busy',
  found: 'others kept it, or every connection to it, in use',
  remedy: again,
  retryable: true,
};
const slow: Failure = {
  reason: 'timeout',
  found: 'it took too long to answer',
  remedy: again,
  retryable: true,
};
const readOnly: Failure = {
  reason: 'read-only',
  found: 'the server takes no writes',
  remedy: `${again}, or name the server that takes them`,
  retryable: true,
};
const full: Failure = {
  reason: 'disk-full',
  found: 'the disk of the server is full',
  remedy: 'Free some space and send the same call again',
  retryable: false,
};
const denied: Failure = {
  reason: 'denied',
  found: 'the server refuses this user',
  remedy: 'Check user, password and rights',
  retryable: false,
};
const absent: Failure = {
  reason: 'no-database',
  found: 'the server has no such database',
  remedy: 'Create the database, or name another',
  retryable: false,
};
const gone: Failure = {
  reason: 'gone',
  found: 'its tables were removed while it was in use',
  remedy: 'Restore them, then start again',
  retryable: false,
};
const unsafe: Failure = {
  reason: 'tls',
  found: 'no secure connection to the server can be made',
  remedy: 'Check the TLS settings of the address and the certificate of the server',
  retryable: false,
};
const misnamed: Failure = {
  reason: 'address',
  found: 'its address can not be read',
  remedy: 'Write it as postgres://user:password@host:port/database',
  retryable: false,
};
const damaged: Failure = {
  reason: 'corrupt',
  found: 'the server found it damaged',
  remedy: damageRemedy,
  retryable: false,
};

/** What can go wrong, by SQLSTATE or its first letters; the longer one counts. */
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

/** What only the words of the driver tell apart. */
const byMessage: readonly (readonly [RegExp, Failure])[] = [
  [/^timeout exceeded when trying to connect$/, busy],
  [/^Query read timeout$/, slow],
  [/SSL|TLS|certificate/i, unsafe],
  [/^Invalid URL$/, misnamed],
];

/** The SQLSTATE of an error of the server. */
function sqlState(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

/** The name of the constraint that a refused statement would have broken. */
export function brokenConstraint(error: unknown): string | undefined {
  const refused = error instanceof WorkflowError ? error.cause : error;
  if (!(refused instanceof Error)) return undefined;
  const { constraint } = refused as { constraint?: unknown };
  return sqlState(refused)?.startsWith('23') && typeof constraint === 'string' ? constraint : undefined;
}

/** Whether a connection may be used again after this error. */
export function isSound(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof WorkflowError;
  return state === '57014' || ['22', '23', '40', '42', '55'].includes(state.slice(0, 2));
}

/** Whether the server could not be reached, rather than being asked too much. */
export function isOutage(error: unknown): boolean {
  return error instanceof WorkflowError && error.data['reason'] === unavailable.reason;
}

/** What a caller is told of a failure of the driver or the server, never where the server is or who asks; any other error stays what it is. */
export function storageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof WorkflowError) return error;
  const state = sqlState(error);
  if (state !== undefined) return serverFailure(state, error);
  // The only files an address names are certificates and keys.
  if ('syscall' in error && error.syscall === 'open') return storageError(unsafe);
  if (isSystemCode(systemCode(error))) return storageError(unavailable);
  const byWords = byMessage.find(([words]) => words.test(error.message))?.[1];
  if (byWords !== undefined) return storageError(byWords);
  const isOurs = [TypeError, RangeError, SyntaxError, ReferenceError].some((kind) => error instanceof kind);
  return isOurs ? error : storageError(unavailable);
}

/** Says that nobody could tell which server is meant. */
export function unreadableAddress(): WorkflowError {
  return storageError(misnamed);
}

/** Whether the network, or the way to a socket, failed. Node's own codes begin with `ERR_`. */
function isSystemCode(code: string): boolean {
  return /^E(?!RR_)[A-Z_]+$/.test(code);
}

function serverFailure(state: string, error: Error): WorkflowError {
  const failure = bySqlState[state] ?? bySqlState[state.slice(0, 2)];
  if (failure !== undefined) return storageError(failure);
  const found = `the server refused a statement with code ${state}`;
  const remedy = 'Check the log of the server';
  return storageError({ reason: 'unknown', found, remedy, retryable: false }, error);
}

function storageError({ reason, found, remedy, retryable }: Failure, cause?: unknown): WorkflowError {
  return new WorkflowError('STORAGE', `The session database can't be used: ${found}. ${remedy}.`, {
    data: { reason, retryable },
    cause,
  });
}
