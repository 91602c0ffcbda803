import { randomBytes, randomUUID } from 'node:crypto';
import { WorkflowError } from '@workflowlookup/schema';
import type { StoreHealth } from '../session-store.ts';

/** Why a place takes no writes although it may still be read. */
const reasons: ReadonlySet<unknown> = new Set(['denied', 'disk-full', 'io', 'read-only']);

/** Recalls that a place took no write, until it takes one again: a full disk is read as if nothing were wrong. */
export interface WriteWatch {
  /** Told of what a use of the place threw. */
  failed(error: unknown): void;
  /** Told that a write was kept. */
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
      // Random, for what can be packed may still fit where nothing else does.
      await write({ id: `write-probe-${randomUUID()}`, text: randomBytes(48_000).toString('base64') });
      isFailing = false;
    },
  };
}

/** The health of a store that did not answer, or that took no write. */
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
