import type { WorkflowChange, WorkflowStore } from './workflow-store.ts';

/** The listeners of one store. */
export interface Listeners {
  readonly watch: WorkflowStore['watch'];
  /** Tells every listener; an empty list of ids is not worth a call. */
  emit(change: WorkflowChange): void;
  clear(): void;
}

/** Makes an empty set of listeners. The same function may listen twice and is then called twice. */
export function createListeners(): Listeners {
  const listeners = new Set<{ readonly call: (change: WorkflowChange) => void }>();
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
