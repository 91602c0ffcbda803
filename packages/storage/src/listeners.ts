import type { WorkflowChange } from './workflow-store.ts';

/** The listeners of one store, which are told of ids, or something else that has a length. */
export interface Listeners<Change extends { readonly length: number } = WorkflowChange> {
  watch(listener: (change: Change) => void): () => void;
  /** Tells every listener; what is empty is not worth a call. */
  emit(change: Change): void;
  clear(): void;
}

/** Makes an empty set of listeners. The same function may listen twice and is then called twice. */
export function createListeners<
  Change extends { readonly length: number } = WorkflowChange,
>(): Listeners<Change> {
  const listeners = new Set<{ readonly call: (change: Change) => void }>();
  return {
    watch(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    emit(change) {
      if (change.length === 0) return;
      for (const listener of listeners) listener.call(change);
    },
    clear: () => listeners.clear(),
  };
}
