import type { FailureText } from '../../messages.ts';
import { WorkflowError } from '@workflowlookup/schema';
import { damagedStore } from '../../sessions/errors.ts';
import { systemCode } from '../../utilities.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';
import { damageMessages, databaseMessages, sqliteFailures } from '../../messages.ts';

interface Failure extends FailureText {
  readonly reason: string;
}

const busy: Failure = { reason: 'busy', ...sqliteFailures.busy };
const full: Failure = { reason: 'disk-full', ...sqliteFailures.full };
const readOnly: Failure = { reason: 'read-only', ...sqliteFailures.readOnly };
const unreadable: Failure = { reason: 'io', ...sqliteFailures.io };
const damaged: Failure = { reason: 'corrupt', ...sqliteFailures.damaged };

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

/** Returns the primary result code of SQLite in an error of either library, or `undefined` for any other error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  const code = typeof rawCode === 'number' ? rawCode : errcode;
  if (typeof code === 'number') return code & 0xff;
  // If libsql can't open a file, its error has no code, only a message that ends with it.
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message);
  return opening === null ? undefined : Number(opening[1]);
}

/** Whether a retry may succeed in a moment, because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error instanceof WorkflowError ? error.cause : error);
  return [5, 6, 15].includes(code ?? 0);
}

/**
 * Converts a failure of SQLite or of the file system into an error for the caller. Other errors are returned unchanged.
 */
export function storageFailure(error: unknown): unknown {
  const code = resultCode(error);
  const system = systemCode(error);
  const failure = code === undefined ? bySystemCode[system] : byResultCode[code];
  if (failure === undefined && code === undefined && !/^E[A-Z0-9]+$/.test(system)) return error;
  const unknown = { reason: 'unknown', ...sqliteFailures.unknown(code ?? system) };
  return storageError(failure ?? unknown, error);
}

/** Returns the error for a lock that others held until the time was up. */
export function stillLocked(): WorkflowError {
  return storageError(busy);
}

function storageError(failure: Failure, cause?: unknown): WorkflowError {
  return new WorkflowError(
    failure.reason === damaged.reason ? 'STORE_DAMAGED' : 'STORE_UNAVAILABLE',
    databaseMessages.failed(failure),
    {
      data: { reason: failure.reason },
      cause,
    },
  );
}

/** A check of a whole table takes time. It must not run for every made-up id. */
const trustMs = 60_000;

/** Throws if a table is damaged. */
type MissCheck = (db: SqliteDatabase, table: Checked) => undefined;

type Checked = 'sessions' | 'definitions' | 'blobs' | 'api_keys' | 'revoked_ids';

/**
 * Makes the check that runs when a row is not found: with a damaged index, a row that exists is not found. After a
 * successful check a table is trusted for a minute.
 */
export function createMissCheck(): MissCheck {
  const trustedUntil = new Map<string, number>();
  return (db, table) => {
    if (performance.now() < (trustedUntil.get(table) ?? -Infinity)) return undefined;
    const [first] = db.all(`SELECT ${textColumns('integrity_check')} FROM pragma_integrity_check(?)`, [
      table,
    ]);
    if (first?.['integrity_check'] !== 'ok') throw damagedStore(damageMessages.brokenIndex(table));
    trustedUntil.set(table, performance.now() + trustMs);
    return undefined;
  };
}
