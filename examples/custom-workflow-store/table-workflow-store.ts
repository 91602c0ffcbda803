import type { DefinitionReader, Reading } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import type { DefinitionProblem, WorkflowChange, WorkflowStore } from '@workflowlookup/storage';

/** A definition in the database. */
export interface Row {
  /** The id of the definition. */
  readonly id: string;
  /** The definition in JSON. */
  readonly body: string;
}

/** The features that a database needs: a query, and notifications of changes, such as `LISTEN` in Postgres, or a poll. */
export interface Table {
  /** Returns the row with this id, or all rows sorted by id. */
  select(id?: string): Promise<readonly Row[]>;
  /** Calls a listener after rows were written, when `select` returns the new ones. Returns a function that stops this. */
  onChange(listener: (ids: readonly string[]) => void): () => void;
}

/** Creates a store that serves the rows of a table. It reads a row again only if its body has changed. */
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
