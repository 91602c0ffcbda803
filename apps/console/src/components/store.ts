import { useSyncExternalStore } from 'react';

/** A value that lives outside of the components. */
export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  /** Returns the value, and renders the component again when it changes. */
  readonly useValue: () => Value;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  return storeOver(
    () => value,
    (next) => (value = next),
  );
}

/** Keeps a value as JSON in local storage. Each look at it reads the storage, because other tabs may have changed it. */
export function createLocalStore<Value>(key: string, parse: (found: unknown) => Value): Store<Value> {
  let kept: { readonly text: string | null; readonly value: Value } | undefined;
  return storeOver(
    () => {
      const text = localStorage.getItem(key);
      if (kept?.text !== text) kept = { text, value: parse(storedJson(localStorage, key)) };
      return kept.value;
    },
    (next) => localStorage.setItem(key, JSON.stringify(next)),
  );
}

function storeOver<Value>(get: () => Value, put: (value: Value) => void): Store<Value> {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      put(next);
      for (const listener of listeners) listener();
    },
    useValue: () => useSyncExternalStore(subscribe, get),
  };
}

/** Returns the value of a JSON text in the storage of the browser, or `undefined` if it has none that can be read. */
export function storedJson(storage: Storage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? '');
  } catch {
    // Nothing is stored, or somebody changed the storage by hand.
    return undefined;
  }
}
