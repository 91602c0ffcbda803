import type { SessionCounts } from '@workflowlookup/core/operator';
import type { SessionStorage } from '@workflowlookup/core/sessions';
import type { Log } from '@workflowlookup/mcp';
import { describeError } from '@workflowlookup/mcp';
import { WorkflowError } from '@workflowlookup/schema';

/** The state of the database and the keys. */
interface StoreStatus {
  readonly ok: boolean;
  /** Whether the keys can be used. Unknown if the database can't be opened. */
  readonly keys: boolean;
  readonly database: boolean;
  /** The reason of a problem: the `data.reason` of the error. */
  readonly reason?: string;
}

/**
 * Watches the database of a server. The log gets one entry when an outage begins and one when it ends, however many
 * calls fail.
 */
export interface StoreWatch {
  /** Checks now. Simultaneous callers share one check. */
  look(): Promise<StoreStatus>;
  /** Called after a failure of the store: checks until the outage is over. Logs the failure if there is no outage. */
  suspect(failure: WorkflowError): void;
  isFailing(): boolean;
  stop(): void;
}

interface StoreWatchParts {
  /** Opens the database and the keys. @throws STORE_UNAVAILABLE */
  vault(): Promise<SessionStorage>;
  readonly log: Log;
  /** How often it checks during an outage. */
  readonly everyMs?: number;
}

/** The reason of an error that means: the database is available, but the token keys can't be used with it. */
const otherKeys = 'other-keys';

/** Creates a watch. It checks only when asked, until a failure occurs. */
export function createStoreWatch({ vault, log, everyMs = 5_000 }: StoreWatchParts): StoreWatch {
  let outage: { readonly sinceMs: number } | undefined;
  let looking: Promise<StoreStatus> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  async function examine(): Promise<StoreStatus> {
    const status = await storeStatus(vault);
    const { ok, reason } = status;
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
    return status;
  }

  const look = (): Promise<StoreStatus> => (looking ??= examine().finally(() => (looking = undefined)));

  return {
    look,
    suspect(failure) {
      // During an outage the timer checks, however many calls fail. A server that ends checks nothing any more.
      if (outage !== undefined) return;
      const status = isOver ? Promise.resolve({ ok: true }) : look();
      void status.then(({ ok }) => ok && log('error', 'failure', describeError(failure)));
    },
    isFailing: () => outage !== undefined,
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

async function storeStatus(vault: StoreWatchParts['vault']): Promise<StoreStatus> {
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

/** How long a count is used. */
const keepMs = 5_000;

/**
 * Returns a function that counts sessions at most every few seconds. If the database can't be read, it calls `onError`
 * and returns `undefined`.
 */
export function createSessionCounts({
  ask,
  onError,
  now = () => performance.now(),
}: {
  ask(): Promise<SessionCounts>;
  onError(error: unknown): void;
  readonly now?: () => number;
}): () => Promise<SessionCounts | undefined> {
  const reported = (error: unknown): undefined => {
    onError(error);
  };
  let asked: { readonly atMs: number; readonly counts: Promise<SessionCounts | undefined> } | undefined;
  return () => {
    const atMs = now();
    if (asked === undefined || atMs - asked.atMs >= keepMs) asked = { atMs, counts: ask().catch(reported) };
    return asked.counts;
  };
}
