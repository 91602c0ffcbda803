import { closeSync, openSync, rmSync, statSync } from 'node:fs';
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
      if (ageOf(lock) > staleMs) rmSync(lock, { force: true });
      else if (performance.now() >= untilMs) throw busy(error);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
    }
  }
}

function ageOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}
