import type { SessionSummary } from '@workflowlookup/core/operator';
import type { SessionStorage } from '@workflowlookup/core/sessions';
import type { Host } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import { addressMessages } from './messages.ts';

/** A timer that can be ended early. */
interface Alarm {
  goOff(): void;
  /** True once it went off since the last time, false when nothing happened for so long. */
  wait(ms: number): Promise<boolean>;
}

/** Creates an alarm that is not set off. */
export function createAlarm(): Alarm {
  let isOff = false;
  let wake = (): void => undefined;
  return {
    goOff() {
      isOff = true;
      wake();
    },
    async wait(ms) {
      if (!isOff) await new Promise<void>((resolve) => void (wake = endable(resolve, ms)));
      const was = isOff;
      isOff = false;
      return was;
    },
  };
}

/** Calls back after so long, or when what it gives is called. */
function endable(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => {
    clearTimeout(timer);
    callback();
  };
}

type SessionStore = SessionStorage['store'];
type SessionChange = Awaited<ReturnType<SessionStore['changes']>>[number];

/** A session that was written to, looked at once for all who ask. */
export interface Changed {
  readonly sid: string;
  readonly events: readonly SessionChange[];
  /** As it is now; `undefined` where it is gone. */
  summary(): Promise<SessionSummary | undefined>;
}

/** Reports what any process writes to sessions. */
export interface ChangeFeed {
  /** Begins to tell; what is written after this resolves is not missed. Returns what ends it. @throws STORE_UNAVAILABLE */
  listen(listener: (changes: readonly Changed[]) => void): Promise<() => void>;
  /**
   * A number that is another one after each announced change, and after a time without listeners. While it stays the
   * same, what was read stays up to date.
   */
  told(): number;
}

interface ChangeFeedParts {
  readonly host: Pick<Host, 'vault' | 'operator'>;
  /** Called if the database fails. The feed tries again. */
  onError(error: unknown): void;
}

/** How often the database is polled while somebody listens. A hint from the database causes an earlier poll. */
const lookEveryMs = 400;
/** The same after it failed. */
const failedMs = 3_000;
/** Events asked for at once. */
const most = 1_000;

/** Makes the feed of one server: however many listen, the database is asked once, and by nobody when none do. */
export function createChangeFeed({ host, onError }: ChangeFeedParts): ChangeFeed {
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
    // In one go with the last look for listeners: whoever comes next begins anew.
    begun = undefined;
    unwatch?.();
  }

  async function begin(): Promise<void> {
    const { store } = await host.vault();
    const { ok, lastChange } = await store.health();
    if (!ok) throw new WorkflowError('STORE_UNAVAILABLE', addressMessages.databaseSilent());
    // Nobody was told of what changed while nobody listened.
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

/** The sessions among changes, each once, in the order of their last one. */
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
