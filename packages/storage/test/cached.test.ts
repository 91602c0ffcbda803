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
  it('asks once, also for calls that come together', async () => {
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

  it('asks anew for what a change names, and for nothing else', async () => {
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

  it('does not keep an id that is not there', async () => {
    const { store, asked } = countedStore();
    const cached = createCachedStore(store);
    await cached.get('nope');
    await cached.get('nope');
    expect(asked).toEqual(['nope', 'nope']);
  });

  it('does not keep an answer that a change overtook', async () => {
    const { store, asked, tell } = countedStore();
    const cached = createCachedStore(store);
    const answers = [cached.get('one'), cached.list()];
    tell(['one']);
    await Promise.all(answers);
    await Promise.all([cached.get('one'), cached.list()]);
    expect(asked.toSorted()).toEqual(['list', 'list', 'one', 'one']);
  });

  it('passes changes on when it has forgotten what they name, until it is closed', async () => {
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
