import { closeSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import type { WorkflowError } from '@workflowlookup/schema';

/** How long `alone` waits for a lock that another process holds, and what it throws. */
interface LockOptions {
  /** How long to wait for the lock, in milliseconds. */
  readonly waitMs: number;
  /** The age in milliseconds from which a lock counts as left over from a killed process. By default, no lock does. */
  readonly staleMs?: number;
  /** Returns the error if the lock was not released in time. */
  busy(cause: unknown): WorkflowError;
}

const pollMs = 5;

/**
 * Runs `act` while it holds a lock, so that only one process at a time changes the files. The lock is a file whose
 * folder must exist.
 */
export function alone<T>(lock: string, act: () => T, options: LockOptions): T {
  acquire(lock, options);
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

function acquire(lock: string, { waitMs, staleMs = Infinity, busy }: LockOptions): void {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (ageOf(lock) > staleMs && removeStale(lock, staleMs)) continue;
      if (performance.now() >= untilMs) throw busy(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
    }
  }
}

/**
 * Removes the lock of a killed process, and returns whether it did. If several processes find such a lock, only the one
 * that creates the second name removes it. It checks the age again, because the lock may have been replaced by another
 * process's new one.
 */
function removeStale(lock: string, staleMs: number): boolean {
  const claim = `${lock}.stale`;
  try {
    linkSync(lock, claim);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EEXIST', 'ENOENT'].includes(code)) return false;
    throw error;
  }
  const isStale = ageOf(claim) > staleMs;
  if (isStale) rmSync(lock, { force: true });
  rmSync(claim, { force: true });
  return isStale;
}

function ageOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}
