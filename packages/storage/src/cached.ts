import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { keepOnce } from './keep-once.ts';
import { createListeners } from './listeners.ts';
import type { DefinitionProblem, UntrustedDefinition, WorkflowStore } from './workflow-store.ts';

/**
 * Makes a store that asks another one once: for a list, for the problems, and for each workflow. Calls that come
 * together share one question; a failure is not kept, nor is an id the other store does not know, so that asking
 * for made-up ids fills no memory. What the other store reports as changed is asked for anew. Closing closes both.
 */
export function createCachedStore(store: WorkflowStore): WorkflowStore {
  const list = keepOnce<readonly WorkflowSummary[]>(() => store.list());
  const problems = keepOnce<readonly DefinitionProblem[]>(() => store.problems());
  const untrusted = keepOnce<readonly UntrustedDefinition[]>(async () => (await store.untrusted?.()) ?? []);
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
