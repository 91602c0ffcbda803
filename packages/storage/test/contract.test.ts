import { createCachedStore } from '@workflowlookup/storage/cached';
import { createLayeredStore } from '@workflowlookup/storage/layered';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { MakeWorkflowStore } from '@workflowlookup/storage/testing';
import { describeWorkflowStore } from '@workflowlookup/storage/testing';
import { workflow } from './support/definitions.ts';
import { makeFilesStore } from './support/files-store.ts';

const memoryStore: MakeWorkflowStore = async (definitions) => {
  const store = createMemoryStore(definitions.map(workflow));
  return {
    store,
    put: async (body) => store.set(workflow(body)),
    remove: async (id) => void store.delete(id),
  };
};

const noProblems = {
  skip: { spoil: 'a memory store is given workflows that were read, so none is unusable' },
};

describeWorkflowStore('A memory store', memoryStore, noProblems);

describeWorkflowStore('A files store', makeFilesStore('events'));

describeWorkflowStore('A layered store', async (definitions) => {
  const { store: lower, ...changes } = await makeFilesStore('events')(definitions.slice(0, 2));
  const upper = createMemoryStore(definitions.slice(2).map(workflow));
  const layers = [
    { name: 'lower', store: lower },
    { name: 'upper', store: upper },
  ];
  return { ...changes, store: createLayeredStore(layers) };
});

describeWorkflowStore(
  'A cached store over memory',
  async (definitions) => {
    const { store, ...changes } = await memoryStore(definitions);
    return { ...changes, store: createCachedStore(store) };
  },
  noProblems,
);

describeWorkflowStore('A cached store over files', async (definitions) => {
  const { store, ...changes } = await makeFilesStore('events')(definitions);
  return { ...changes, store: createCachedStore(store) };
});
