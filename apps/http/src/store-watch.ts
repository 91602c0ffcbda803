import type { SessionVault } from '@workflowlookup/core';
import type { Log } from '@workflowlookup/mcp';
import { WorkflowError } from '@workflowlookup/schema';

/** The state of the database and the keys. */
export interface StoreStanding {
  readonly ok: boolean;
  /** Whether the keys can be used; not known where the database does not open. */
  readonly keys: boolean;
  readonly database: boolean;
  /** Why it is not well: the `data.reason` of the error. */
  readonly reason?: string;
}

/**
 * Watches the database of a server: the log says once when an outage begins and once when it ends, however many calls
 * fail.
 */
export interface StoreWatch {
  /** Checks now; callers share a check that is under way. */
  look(): Promise<StoreStanding>;
  /**
   * Called after a failure: checks until the outage is over, unless the failure has nothing to do with the database.
   */
  suspect(error?: unknown): void;
  isFailing(): boolean;
  stop(): void;
}

/** What a watch is made of. */
export interface StoreWatchParts {
  /** Opens the database and the keys. @throws STORAGE */
  vault(): Promise<SessionVault>;
  readonly log: Log;
  /** How often it looks during an outage. */
  readonly everyMs?: number;
}

/** The reason of keys that can't be used with this database, which is there. */
const otherKeys = 'other-keys';

/** Makes a watch. Until there is a failure, it checks only when asked. */
export function createStoreWatch({ vault, log, everyMs = 5_000 }: StoreWatchParts): StoreWatch {
  let outage: { readonly sinceMs: number } | undefined;
  let looking: Promise<StoreStanding> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  function note({ ok, reason }: StoreStanding): void {
    if (!ok && outage === undefined) {
      outage = { sinceMs: performance.now() };
      log('error', 'database_failing', { reason });
    }
    if (ok && outage !== undefined) {
      const seconds = Math.round((performance.now() - outage.sinceMs) / 1000);
      outage = undefined;
      log('warn', 'database_recovered', { seconds });
    }
    clearTimeout(timer);
    if (outage !== undefined && !isOver) timer = setTimeout(() => void look(), everyMs).unref();
  }

  async function examine(): Promise<StoreStanding> {
    const standing = await standingOf(vault);
    note(standing);
    return standing;
  }

  function look(): Promise<StoreStanding> {
    looking ??= examine().finally(() => (looking = undefined));
    return looking;
  }

  return {
    look,
    suspect(error) {
      // During an outage the timer checks, however many calls fail.
      const isOurs = error === undefined || (error instanceof WorkflowError && error.code === 'STORAGE');
      if (isOurs && outage === undefined && !isOver) void look();
    },
    isFailing: () => outage !== undefined,
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

async function standingOf(vault: StoreWatchParts['vault']): Promise<StoreStanding> {
  try {
    const { store, keys } = await vault();
    const { ok, reason } = await store.health();
    const hasKeys = keys.signing.secret.length >= 32;
    return { ok: ok && hasKeys, database: ok, keys: hasKeys, ...(reason !== undefined && { reason }) };
  } catch (error) {
    const reason = error instanceof WorkflowError ? error.data['reason'] : undefined;
    return {
      ok: false,
      database: reason === otherKeys,
      keys: false,
      ...(typeof reason === 'string' && { reason }),
    };
  }
}
