import type { DefinitionReader, Reading } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import type { DefinitionProblem, WorkflowChange, WorkflowStore } from '@workflowlookup/storage';

/** A definition as a database keeps it. */
export interface Row {
  /** Of the definition. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** All that is asked of a database: a query, and word of a change (`LISTEN` in Postgres, a change stream, a poll). */
export interface Table {
  /** The row with this id, or all of them by id. */
  select(id?: string): Promise<readonly Row[]>;
  /** Tells when rows were written that `select` already gives; returns what ends that. */
  onChange(listener: (ids: readonly string[]) => void): () => void;
}

/** Makes a store that serves the rows of a table. A body is read once: the same text gives the same object. */
export function createTableWorkflowStore(table: Table, read: DefinitionReader): WorkflowStore {
  const known = new Map<string, { readonly body: string; readonly reading: Promise<Reading> }>();
  const listeners = new Set<{ readonly tell: (change: WorkflowChange) => void }>();
  const stop = table.onChange((ids) => {
    for (const { tell } of listeners) tell(ids);
  });

  function readingOf({ id, body }: Row): Promise<Reading> {
    const before = known.get(id);
    if (before?.body === body) return before.reading;
    const reading = read({ text: body, format: 'json' });
    known.set(id, { body, reading });
    return reading;
  }

  const readAll = async (): Promise<readonly { readonly id: string; readonly reading: Reading }[]> => {
    const rows = await table.select();
    return Promise.all(rows.map(async (row) => ({ id: row.id, reading: await readingOf(row) })));
  };

  return {
    async get(id) {
      const [row] = await table.select(id);
      return row && (await readingOf(row)).workflow;
    },
    list: async () => (await readAll()).flatMap(({ reading: { workflow } }) => workflow ?? []).map(summarize),
    problems: async () => (await readAll()).flatMap(({ id, reading }) => problemsOf(id, reading)),
    watch(tell) {
      const listener = { tell };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      stop();
      listeners.clear();
    },
  };
}

function problemsOf(id: string, { workflow, issues }: Reading): readonly DefinitionProblem[] {
  if (issues.length === 0) return [];
  const severity = workflow === undefined ? 'error' : 'warning';
  return [{ id, file: `${id}.json`, severity, code: 'INVALID_WORKFLOW', issues }];
}
