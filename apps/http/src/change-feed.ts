import { setTimeout } from 'node:timers/promises';
import type { Operator, SessionQuery, SessionRow, SessionSummary } from '@workflowlookup/core/operator';
import type { SessionStorage } from '@workflowlookup/core/sessions';
import type { Host } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import { addressMessages } from './messages.ts';

/** A timer that can be ended early. */
interface Alarm {
  goOff(): void;
  /**
   * Waits at most `ms` milliseconds. Resolves to true if the alarm went off since the last wait, and to false
   * otherwise.
   */
  wait(ms: number): Promise<boolean>;
}

export function createAlarm(): Alarm {
  let alarm = new AbortController();
  return {
    goOff: () => alarm.abort(),
    async wait(ms) {
      await setTimeout(ms, undefined, { signal: alarm.signal }).catch(() => undefined);
      const isOff = alarm.signal.aborted;
      if (isOff) alarm = new AbortController();
      return isOff;
    },
  };
}

type SessionStore = SessionStorage['store'];
type SessionChange = Awaited<ReturnType<SessionStore['changes']>>[number];

/** A session that was written to. Its summary is read only once, however many listeners ask for it. */
export interface Changed {
  readonly sid: string;
  readonly events: readonly SessionChange[];
  /** The current summary; `undefined` if the session no longer exists. */
  summary(): Promise<SessionSummary | undefined>;
}

/** Reports changes to sessions, whichever process makes them. */
export interface ChangeFeed {
  /**
   * Calls `listener` with every change written after this resolves. Returns a function that removes the listener.
   * @throws STORE_UNAVAILABLE
   */
  listen(listener: (changes: readonly Changed[]) => void): Promise<() => void>;
  /**
   * A number that grows with every reported change, and when the first listener joins. As long as it stays the same,
   * cached data is up to date.
   */
  told(): number;
}

/** How often the database is polled while somebody listens. A hint from the database causes an earlier poll. */
const lookEveryMs = 400;
/** The pause before the next poll after the database failed. */
const failedMs = 3_000;
/** The maximum number of events in one poll. */
const most = 1_000;

/**
 * Creates the feed of one server. All listeners share one poll, and without listeners the database is not polled. If the
 * database fails, it calls `onError` and tries again.
 */
export function createChangeFeed(
  host: Pick<Host, 'vault' | 'operator'>,
  onError: (error: unknown) => void,
): ChangeFeed {
  const listeners = new Set<(changes: readonly Changed[]) => void>();
  const alarm = createAlarm();
  let begun: Promise<void> | undefined;
  let times = 0;

  function tell(found: readonly SessionChange[]): void {
    const changes = changedOnce(found, (sid) => host.operator.summary(sid));
    if (changes.length === 0) return;
    times += 1;
    for (const listener of listeners) listener(changes);
  }

  async function run(store: SessionStore, first: number): Promise<void> {
    const unwatch = store.watchChanges?.(alarm.goOff);
    let cursor = first;
    while (listeners.size > 0) {
      let pauseMs = lookEveryMs;
      try {
        const found = await store.changes(cursor, most);
        tell(found);
        cursor = found.at(-1)?.cursor ?? cursor;
        if (found.length === most) continue;
      } catch (error) {
        onError(error);
        pauseMs = failedMs;
      }
      await alarm.wait(pauseMs);
    }
    // There must be no `await` between the last check for listeners and this line, so that a new listener starts a new
    // run.
    begun = undefined;
    unwatch?.();
  }

  async function begin(): Promise<void> {
    const { store } = await host.vault();
    const { ok, lastChange } = await store.health();
    if (!ok) throw new WorkflowError('STORE_UNAVAILABLE', addressMessages.databaseSilent());
    // Changes made while there were no listeners were not reported, so data cached before is out of date.
    times += 1;
    void run(store, lastChange);
  }

  return {
    told: () => times,
    async listen(listener) {
      listeners.add(listener);
      begun ??= begin();
      try {
        await begun;
      } catch (error) {
        listeners.delete(listener);
        begun = undefined;
        throw error;
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) alarm.goOff();
      };
    },
  };
}

/** Returns each changed session once, ordered by its last change. */
function changedOnce(
  found: readonly SessionChange[],
  look: (sid: string) => Promise<SessionSummary | undefined>,
): readonly Changed[] {
  const bySid = new Map<string, readonly SessionChange[]>();
  for (const change of found) {
    const before = bySid.get(change.sid) ?? [];
    bySid.delete(change.sid);
    bySid.set(change.sid, [...before, change]);
  }
  return Array.from(bySid, ([sid, events]): Changed => {
    let looked: Promise<SessionSummary | undefined> | undefined;
    return { sid, events, summary: () => (looked ??= look(sid)) };
  });
}

/** Finds all sessions of a query, page by page, until there are `enough`. */
export async function findMany(
  operator: Pick<Operator, 'find'>,
  query: SessionQuery,
  enough = Infinity,
): Promise<Omit<Awaited<ReturnType<Operator['find']>>, 'next'>> {
  const sessions: SessionRow[] = [];
  for (let cursor = {}; ;) {
    const { next, ...page } = await operator.find(query, { limit: 1_000, ...cursor });
    sessions.push(...page.sessions);
    if (next === undefined || sessions.length >= enough) return { ...page, sessions };
    cursor = { cursor: next };
  }
}
