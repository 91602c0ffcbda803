import type { SessionStore } from '@workflowlookup/storage';

/** Goes off when a store hints that a session was written to, or when the caller leaves. */
export interface SessionAlarm {
  /** Fires when it goes off, or at once where it has since the last reset. */
  signal(): AbortSignal;
  reset(): void;
  /** Lets the store and the caller go. */
  end(): void;
}

/** Sets an alarm. Where the store gives no hints, it is only the caller's. */
export function createSessionAlarm(
  store: SessionStore,
  sid: string,
  caller: AbortSignal | undefined,
): SessionAlarm {
  let current = new AbortController();
  const goOff = (): void => current.abort();
  const unwatch = store.watchChanges?.((sids) => {
    if (sids.includes(sid)) goOff();
  });
  caller?.addEventListener('abort', goOff);
  return {
    signal: () => current.signal,
    reset() {
      current = new AbortController();
    },
    end() {
      unwatch?.();
      caller?.removeEventListener('abort', goOff);
    },
  };
}
