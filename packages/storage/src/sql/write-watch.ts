import { randomBytes, randomUUID } from 'node:crypto';
import { WorkflowError } from '@workflowlookup/schema';
import type { StoreHealth } from '../session-store.ts';

/** Why writes fail although reads may still work. */
const reasons: ReadonlySet<unknown> = new Set(['denied', 'disk-full', 'io', 'read-only']);

/** Remembers that a write failed until one succeeds, because reading from a full disk shows no problem. */
export interface WriteWatch {
  /** Called with an error that a use of the place threw. */
  failed(error: unknown): void;
  /** Called after a write succeeded. */
  kept(): void;
  /** Tries a write where one has failed. @throws what that throws */
  check(): Promise<void>;
}

/** A row to be written and removed again, about as big as what a call writes. */
export interface Probe {
  readonly id: string;
  readonly text: string;
}

/** Makes the watch. `write` keeps a probe and removes it, each in a transaction of its own. */
export function createWriteWatch(write: (probe: Probe) => Promise<void>): WriteWatch {
  let isFailing = false;
  return {
    failed(error) {
      isFailing ||= error instanceof WorkflowError && reasons.has(error.data['reason']);
    },
    kept() {
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

/** The health of a store that did not answer or did not accept a write. */
export function unwell(
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
