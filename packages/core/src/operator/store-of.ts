import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';

/**
 * A store in which only the sessions of one principal are: those of others are not there, whoever knows their ids. What
 * concerns all of them is refused.
 */
export function storeOf(principal: string, store: SessionStore): SessionStore {
  const load: SessionStore['load'] = async (sid) => {
    const loaded = await store.load(sid);
    return loaded?.session.principal === principal ? loaded : undefined;
  };
  return {
    ...store,
    load,
    find: (query, page) => store.find({ ...query, principal }, page),
    counts: () => store.counts(principal),
    events: async (sid, range) => ((await load(sid)) === undefined ? [] : store.events(sid, range)),
    inspect: async (sid) => {
      const found = await store.inspect?.(sid);
      return found?.session?.value.principal === principal ? found : undefined;
    },
    seal: refuse,
    survey: refuse,
    create: refuse,
    prune: refuse,
    changes: refuse,
  };
}

function refuse(): Promise<never> {
  const error = new WorkflowError('FORBIDDEN', 'That concerns the sessions of others too.');
  return Promise.reject(error);
}
