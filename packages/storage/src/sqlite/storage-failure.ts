import { WorkflowError } from '@workflowlookup/schema';
import { damageRemedy } from '../sql/damaged-store.ts';
import { systemCode } from '../system-code.ts';

interface Failure {
  readonly reason: string;
  /** What was found. */
  readonly found: string;
  /** What would do. */
  readonly remedy: string;
}

const busy: Failure = {
  reason: 'busy',
  found: 'other processes kept it locked',
  remedy: 'Send the same call again',
};
const full: Failure = {
  reason: 'disk-full',
  found: 'the disk is full',
  remedy: 'Free some space and send the same call again',
};
const readOnly: Failure = {
  reason: 'read-only',
  found: 'its file or folder can not be written',
  remedy: 'Give this user the right to write there, or name another state directory',
};
const unreadable: Failure = {
  reason: 'io',
  found: 'the disk reported an error',
  remedy: 'Check the disk, then send the same call again',
};
const damaged: Failure = {
  reason: 'corrupt',
  found: 'its file is damaged',
  remedy: damageRemedy,
};

/** What can go wrong with the place, by primary result code of SQLite. */
const byResultCode: Readonly<Record<number, Failure>> = {
  1: damaged,
  3: readOnly,
  5: busy,
  6: busy,
  8: readOnly,
  10: unreadable,
  11: damaged,
  13: full,
  14: readOnly,
  15: busy,
  26: damaged,
};

const bySystemCode: Readonly<Record<string, Failure>> = {
  EACCES: readOnly,
  EPERM: readOnly,
  EROFS: readOnly,
  ENOSPC: full,
  EDQUOT: full,
  EIO: unreadable,
};

/** The primary result code of SQLite in an error of either library, `undefined` in any other error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  const code = typeof rawCode === 'number' ? rawCode : errcode;
  if (typeof code === 'number') return code & 0xff;
  // libsql gives no code where it can't open a file, only a sentence that ends with it.
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message);
  return opening === null ? undefined : Number(opening[1]);
}

/** Whether the same may succeed in a moment: others hold a lock, or what is told of it. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error instanceof WorkflowError ? error.cause : error);
  return [5, 6, 15].includes(code ?? 0);
}

/** What a caller is told of a failure of SQLite or of the file system; any other error stays what it is. */
export function storageFailure(error: unknown): unknown {
  const code = resultCode(error);
  const system = systemCode(error);
  const failure = code === undefined ? bySystemCode[system] : byResultCode[code];
  if (failure === undefined && code === undefined && !/^E[A-Z0-9]+$/.test(system)) return error;
  const unknown = {
    reason: 'unknown',
    found: `it failed with ${code === undefined ? system : `SQLite code ${code}`}`,
    remedy: 'Check the state directory',
  };
  return storageError(failure ?? unknown, error);
}

/** Says that others held the lock until the time was up. */
export function stillLocked(): WorkflowError {
  return storageError(busy);
}

function storageError({ reason, found, remedy }: Failure, cause?: unknown): WorkflowError {
  return new WorkflowError('STORAGE', `The session database can't be used: ${found}. ${remedy}.`, {
    data: { reason },
    cause,
  });
}
