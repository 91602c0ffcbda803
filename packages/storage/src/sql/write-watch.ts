import { randomBytes, randomUUID } from 'node:crypto';
import { WorkflowError } from '@workflowlookup/schema';
import type { StoreHealth } from '../sessions/session-store.ts';

/** The reasons for which writes fail although reads may still work. */
const reasons: ReadonlySet<unknown> = new Set(['denied', 'disk-full', 'io', 'read-only']);

/** Remembers a failed write until one succeeds, because reading from a full disk shows no problem. */
export interface WriteWatch {
  /** Called with an error of a read or write. */
  failed(error: unknown): void;
  /** Called after a successful write. */
  succeeded(): void;
  /**
   * Tries a write if one has failed.
   *
   * @throws the error of that write
   */
  check(): Promise<void>;
}

/** A row to write and delete again, about as large as the writes of a call. */
export interface Probe {
  readonly id: string;
  readonly text: string;
}

/** Makes the watch. `write` stores a probe and deletes it, each in a transaction of its own. */
export function createWriteWatch(write: (probe: Probe) => Promise<void>): WriteWatch {
  let isFailing = false;
  return {
    failed(error) {
      isFailing ||= error instanceof WorkflowError && reasons.has(error.data['reason']);
    },
    succeeded() {
      isFailing = false;
    },
    async check() {
      if (!isFailing) return;
      // Random, because data that compresses well may still fit on a full disk.
      await write({ id: `write-probe-${randomUUID()}`, text: randomBytes(48_000).toString('base64') });
      isFailing = false;
    },
  };
}

export function unhealthy(
  error: unknown,
  { adapter, facts }: Pick<StoreHealth, 'adapter' | 'facts'>,
): StoreHealth {
  const problem = error instanceof Error ? error.message : String(error);
  const reason = error instanceof WorkflowError ? error.data['reason'] : undefined;
  return {
    ok: false,
    adapter,
    lastChange: 0,
    facts,
    problem,
    ...(typeof reason === 'string' && { reason }),
  };
}
