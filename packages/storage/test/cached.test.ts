import type { WorkflowChange, WorkflowStore } from '@workflowlookup/storage';
import { createCachedStore } from '@workflowlookup/storage/cached';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import { definition, workflow } from './support/definitions.ts';

/** Makes a store of `one` and `two` that records its calls, and fails while it is down. */
function countedStore(): {
  store: WorkflowStore;
  asked: string[];
  setDown(isDown: boolean): void;
  tell(change: WorkflowChange): void;
} {
  const inner = createMemoryStore(['one', 'two'].map((id) => workflow(definition(id))));
  const asked: string[] = [];
  let isDown = false;
  let tell: (change: WorkflowChange) => void = () => undefined;
  const note = (question: string): void => {
    asked.push(question);
    if (isDown) throw new Error('down');
  };
  const store: WorkflowStore = {
    list: async () => (note('list'), inner.list()),
    get: async (id) => (note(id), inner.get(id)),
    problems: async () => (note('problems'), inner.problems()),
    watch(listener) {
      tell = listener;
      return () => (tell = () => undefined);
    },
    close: async () => note('close'),
  };
  return {
    store,
    asked,
    setDown: (value) => (isDown = value),
    tell: (change) => tell(change),
  };
}

describe('a cached store', () => {
  it('asks the store once, even for concurrent calls', async () => {
    const { store, asked } = countedStore();
    const cached = createCachedStore(store);
    await Promise.all([
      cached.list(),
      cached.list(),
      cached.get('one'),
      cached.get('one'),
      cached.problems(),
    ]);
    await Promise.all([cached.list(), cached.get('one'), cached.problems()]);
    expect(asked.toSorted()).toEqual(['list', 'one', 'problems']);
  });

  it('asks the store again only for what a change names', async () => {
    const { store, asked, tell } = countedStore();
    const cached = createCachedStore(store);
    const ask = (): Promise<unknown> =>
      Promise.all([cached.list(), cached.problems(), cached.get('one'), cached.get('two')]);
    await ask();
    asked.length = 0;
    tell(['one']);
    await ask();
    expect(asked).toEqual(['list', 'problems', 'one']);
    asked.length = 0;
    tell('all');
    await ask();
    expect(asked).toEqual(['list', 'problems', 'one', 'two']);
  });

  it('does not keep a failure', async () => {
    const { store, asked, setDown } = countedStore();
    const cached = createCachedStore(store);
    setDown(true);
    await expect(cached.list()).rejects.toThrow('down');
    await expect(cached.get('one')).rejects.toThrow('down');
    await expect(cached.problems()).rejects.toThrow('down');
    setDown(false);
    expect(await cached.list()).toHaveLength(2);
    expect((await cached.get('one'))?.id).toBe('one');
    expect(await cached.problems()).toEqual([]);
    expect(asked).toHaveLength(6);
  });

  it('does not keep the answer for an unknown id', async () => {
    const { store, asked } = countedStore();
    const cached = createCachedStore(store);
    await cached.get('nope');
    await cached.get('nope');
    expect(asked).toEqual(['nope', 'nope']);
  });

  it('does not keep an answer that was requested before a change', async () => {
    const { store, asked, tell } = countedStore();
    const cached = createCachedStore(store);
    const answers = [cached.get('one'), cached.list()];
    tell(['one']);
    await Promise.all(answers);
    await Promise.all([cached.get('one'), cached.list()]);
    expect(asked.toSorted()).toEqual(['list', 'list', 'one', 'one']);
  });

  it('forwards changes after it removed the changed entries, until it is closed', async () => {
    const { store, asked, tell } = countedStore();
    const cached = createCachedStore(store);
    const changes: WorkflowChange[] = [];
    cached.watch((change) => {
      changes.push(change);
      void cached.get('one');
    });
    await cached.get('one');
    tell(['one']);
    expect(asked).toEqual(['one', 'one']);
    await cached.close();
    tell(['one']);
    expect(changes).toEqual([['one']]);
    expect(asked.at(-1)).toBe('close');
  });
});
