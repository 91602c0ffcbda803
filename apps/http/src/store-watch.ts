import type { SessionVault } from '@workflowlookup/core';
import type { Log } from '@workflowlookup/mcp';
import { WorkflowError } from '@workflowlookup/schema';

/** How the database and the keys are. */
export interface StoreStanding {
  readonly ok: boolean;
  /** Whether the keys can be used; not known where the database does not open. */
  readonly keys: boolean;
  readonly database: boolean;
  /** Why it is not well, in the one word errors have for it. */
  readonly reason?: string;
}

/** Looks after the database of a server: an outage is in the log once, with its end, however many calls fail meanwhile. */
export interface StoreWatch {
  /** Looks now; a look that is under way serves all who ask. */
  look(): Promise<StoreStanding>;
  /** Told of a failure: looks, and again until it is over, unless it has nothing to do with the database. */
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

/** Makes one. Without a failure it looks when it is asked to. */
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
      // During an outage the timer looks, however many calls fail.
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
