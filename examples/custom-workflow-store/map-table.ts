import type { Row, Table } from './table-workflow-store.ts';

/** A table in memory, in place of a database. */
export interface MapTable extends Table {
  put(row: Row): void;
  remove(id: string): void;
}

/** Creates an empty table. */
export function createMapTable(): MapTable {
  const rows = new Map<string, string>();
  const listeners = new Set<(ids: readonly string[]) => void>();
  const changed = (id: string): void => {
    for (const listener of listeners) listener([id]);
  };
  return {
    async select(id) {
      const ids = id === undefined ? [...rows.keys()].toSorted() : [id];
      return ids.flatMap((one) => {
        const body = rows.get(one);
        return body === undefined ? [] : { id: one, body };
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    put({ id, body }) {
      rows.set(id, body);
      changed(id);
    },
    remove(id) {
      rows.delete(id);
      changed(id);
    },
  };
}
