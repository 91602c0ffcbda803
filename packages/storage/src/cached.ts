import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { cacheResult, createListeners } from './workflow-store.ts';
import type { DefinitionProblem, UntrustedDefinition, WorkflowStore } from './workflow-store.ts';

/**
 * Makes a store that caches the answers of another one: the list, the problems and each workflow. Concurrent calls
 * share one request. Failures are not cached, and neither are unknown ids, so requests for made-up ids do not fill the
 * memory. A change in the other store discards the answers that it affects. Closing this store closes both.
 *
 * @example
 * ```ts
 * const store = createCachedStore(storeOverNetwork);
 * ```
 */
export function createCachedStore(store: WorkflowStore): WorkflowStore {
  const list = cacheResult<readonly WorkflowSummary[]>(() => store.list());
  const problems = cacheResult<readonly DefinitionProblem[]>(() => store.problems());
  const untrusted = cacheResult<readonly UntrustedDefinition[]>(
    async () => (await store.untrusted?.()) ?? [],
  );
  const workflows = new Map<string, Promise<Workflow | undefined>>();
  const listeners = createListeners();

  const stop = store.watch((change) => {
    list.forget();
    problems.forget();
    untrusted.forget();
    if (change === 'all') workflows.clear();
    else for (const id of change) workflows.delete(id);
    listeners.emit(change);
  });

  function ask(id: string): Promise<Workflow | undefined> {
    const answer = store.get(id);
    const forget = (): void => {
      if (workflows.get(id) === answer) workflows.delete(id);
    };
    workflows.set(id, answer);
    void answer.then((workflow) => workflow ?? forget(), forget);
    return answer;
  }

  return {
    list: list.get,
    get: async (id) => workflows.get(id) ?? ask(id),
    problems: problems.get,
    untrusted: untrusted.get,
    provenance: async (id) => store.provenance?.(id),
    watch: listeners.watch,
    async close() {
      stop();
      listeners.clear();
      await store.close();
    },
  };
}
