import { createListeners } from '../listeners.ts';
import type { SessionStore } from '../session-store.ts';

/** How those who watch a place learn that a session was written to. */
export interface ChangeHints {
  readonly watch: NonNullable<SessionStore['watchChanges']>;
  /** Returns at once and never throws: the write is kept, whatever becomes of the hint. */
  tell(sid: string): void;
  close(): Promise<void>;
}

/** Hints within this process. */
export function createLocalHints(): ChangeHints {
  const listeners = createListeners<readonly string[]>();
  return {
    watch: listeners.watch,
    tell: (sid) => queueMicrotask(() => listeners.emit([sid])),
    close: async () => listeners.clear(),
  };
}

/** Has a store tell those who watch it of every write that was kept. */
export function hintedStore<Store extends SessionStore>(store: Store, hints: ChangeHints): Store {
  function told(sid: string, isKept: boolean): boolean {
    if (isKept) hints.tell(sid);
    return isKept;
  }
  return {
    ...store,
    create: async (session, write) => told(session.sid, await store.create(session, write)),
    append: async (sid, revision, write) => told(sid, await store.append(sid, revision, write)),
    watchChanges: hints.watch,
    async close() {
      await hints.close();
      await store.close();
    },
  };
}
