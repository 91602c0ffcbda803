import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { createListeners, sortSummaries } from './utilities.ts';
import type { WorkflowStore } from './workflow-store.ts';

/** A store whose workflows are set by the program. */
export interface MemoryStore extends WorkflowStore {
  /** Serves a workflow and replaces the one with the same id. */
  set(workflow: Workflow): void;
  /** Stops serving an id. Returns false if it was not served. */
  delete(id: string): boolean;
}

/**
 * Makes a store that serves the given workflows: for tests, and for programs that embed their workflows. Of two
 * workflows with the same id the last one is served.
 *
 * @example
 * ```ts
 * const store = createMemoryStore([workflow]);
 * await store.get(workflow.id);
 * ```
 */
export function createMemoryStore(workflows: Iterable<Workflow> = []): MemoryStore {
  const served = new Map<string, Workflow>();
  for (const workflow of workflows) served.set(workflow.id, workflow);
  const listeners = createListeners();
  let summaries: readonly WorkflowSummary[] | undefined;

  function changed(id: string): void {
    summaries = undefined;
    listeners.emit([id]);
  }

  return {
    list: async () => (summaries ??= sortSummaries([...served.values()].map(summarize))),
    get: async (id) => served.get(id),
    problems: async () => [],
    watch: listeners.watch,
    close: async () => listeners.clear(),
    set(workflow) {
      if (served.get(workflow.id) === workflow) return;
      served.set(workflow.id, workflow);
      changed(workflow.id);
    },
    delete(id) {
      const existed = served.delete(id);
      if (existed) changed(id);
      return existed;
    },
  };
}

export { createMemorySessionStore } from './sessions/memory-session-store.ts';
export type { MemorySessionStoreOptions } from './sessions/memory-session-store.ts';
