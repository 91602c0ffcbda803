import type { Glance } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';

/** A session that was written to, looked at once for all who ask. */
export interface Changed {
  readonly sid: string;
  /** As it is now; `undefined` where it is gone. */
  glance(): Promise<Glance | undefined>;
}

/** Tells what is written to sessions, by any process. */
export interface ChangeFeed {
  /** Begins to tell; what is written after this resolves is not missed. Returns what ends it. @throws STORAGE */
  listen(listener: (changes: readonly Changed[]) => void): Promise<() => void>;
}

/** What a feed is made of. */
export interface ChangeFeedParts {
  readonly host: Pick<Host, 'vault' | 'operator'>;
  /** Told of a database that fails; it is asked again. */
  onError(error: unknown): void;
}

/** How often the database is asked while somebody listens; a hint of it makes it sooner. */
const lookEveryMs = 400;
/** The same after it failed. */
const failedMs = 3_000;
/** Events asked for at once. */
const most = 1_000;

/** Makes the feed of one server: however many listen, the database is asked once, and by nobody when none do. */
export function createChangeFeed({ host, onError }: ChangeFeedParts): ChangeFeed {
  const listeners = new Set<(changes: readonly Changed[]) => void>();
  let running: Promise<void> | undefined;
  let wake = (): void => undefined;

  function tell(sids: ReadonlySet<string>): void {
    const changes = Array.from(sids, (sid): Changed => {
      let looked: Promise<Glance | undefined> | undefined;
      return { sid, glance: () => (looked ??= host.operator.glance(sid)) };
    });
    if (changes.length > 0) for (const listener of listeners) listener(changes);
  }

  /** Tells of what came after a cursor, and gives the next one. */
  async function look(after: number): Promise<number> {
    const { store } = await host.vault();
    const found = await store.changes(after, most);
    tell(new Set(found.map(({ sid }) => sid)));
    const cursor = found.at(-1)?.cursor ?? after;
    return found.length < most ? cursor : look(cursor);
  }

  async function run(first: number, unwatch: (() => void) | undefined): Promise<void> {
    let cursor = first;
    while (listeners.size > 0) {
      const pauseMs = await look(cursor).then(
        (next) => {
          cursor = next;
          return lookEveryMs;
        },
        (error: unknown) => {
          onError(error);
          return failedMs;
        },
      );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    // In one go with the last look for listeners: whoever comes next begins anew.
    running = undefined;
    unwatch?.();
  }

  /** From here on, as long as anybody listens. */
  async function begin(): Promise<void> {
    const { store } = await host.vault();
    const { lastChange } = await store.health();
    void run(
      lastChange,
      store.watchChanges?.(() => wake()),
    );
  }

  return {
    async listen(listener) {
      listeners.add(listener);
      running ??= begin();
      try {
        await running;
      } catch (error) {
        listeners.delete(listener);
        running = undefined;
        throw error;
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) wake();
      };
    },
  };
}
