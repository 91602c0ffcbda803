import { closeSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import type { WorkflowError } from '@workflowlookup/schema';

/** How `alone` treats a lock that another process has. */
interface LockOptions {
  /** Milliseconds to wait for it. */
  readonly waitMs: number;
  /** After that many milliseconds, the lock is left over from a process that was killed; absent if that can't be told. */
  readonly staleMs?: number;
  /** The error if the process still has it. */
  busy(cause: unknown): WorkflowError;
}

const pollMs = 5;

/** Changes files that several processes change. The lock is a file; its folder must exist. */
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
 * Removes the lock of a process that was killed. Returns whether it did. Of several processes that find such a lock, only
 * the one that gets the second name does this. It looks at the age again, because the lock may be another process's new
 * one by now.
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
