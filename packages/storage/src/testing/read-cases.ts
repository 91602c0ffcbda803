/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { expect } from 'vitest';
import type { ContractCase, OpenStore } from './contract-case.ts';
import { sample } from './sample.ts';

const hostileIds = [
  '',
  '.',
  '..',
  '../secret',
  '/etc/passwd',
  'one/../one',
  'one.json',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'one\0',
  'ONE',
  ' one',
  'x'.repeat(100_000),
];

/** What holds for a store at rest. */
export const readCases: readonly ContractCase[] = [
  {
    title: 'lists every workflow by id in code units',
    run: async (open) => {
      const ids = ['abc', 'ab1', 'ns.one', 'ab-c', 'zeta', '10-steps', 'ab.c'];
      const { store } = await open(...ids.map((id) => sample(id)));
      const listed = (await store.list()).map(({ id }) => id);
      expect(listed).toEqual(['10-steps', 'ab-c', 'ab.c', 'ab1', 'abc', 'ns.one', 'zeta']);
    },
  },
  {
    title: 'summarises a workflow, with the defaults of what it leaves out',
    run: async (open) => {
      const { version: _, ...plain } = sample('one');
      const { store } = await open(plain, sample('two', { category: 'review', tags: ['fast'] }));
      expect(await store.list()).toEqual([
        {
          id: 'one',
          name: 'Name of one',
          description: 'What one is for.',
          category: 'default',
          version: '0.0.0',
          tags: [],
        },
        {
          id: 'two',
          name: 'Name of two',
          description: 'What two is for.',
          category: 'review',
          version: '1.0.0',
          tags: ['fast'],
        },
      ]);
    },
  },
  {
    title: 'serves nothing where there is nothing',
    run: async (open) => {
      const { store } = await open();
      expect(await store.list()).toEqual([]);
      expect(await store.problems()).toEqual([]);
      expect(await store.get('one')).toBeUndefined();
    },
  },
  {
    title: 'gives a workflow by its id, whatever is asked first',
    run: async (open) => {
      const { store } = await open(sample('one'), sample('two'));
      const workflow = await store.get('two');
      expect(workflow).toMatchObject({ kind: 'steps', id: 'two', definition: sample('two') });
      expect(workflow?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    },
  },
  {
    title: 'gives the same object each time',
    run: async (open) => {
      const { store } = await open(sample('one'));
      const [first, second] = await Promise.all([store.get('one'), store.get('one')]);
      expect(first).toBeDefined();
      expect(second).toBe(first);
      await store.list();
      expect(await store.get('one')).toBe(first);
    },
  },
  ...hostileIds.map((id) => ({
    title: `knows no workflow ${JSON.stringify(id.slice(0, 20))}`,
    run: async (open: OpenStore) => {
      const { store } = await open(sample('one'));
      expect(await store.get(id)).toBeUndefined();
      expect(await store.problems()).toEqual([]);
    },
  })),
  {
    title: 'does not let callers change what it answers',
    run: async (open) => {
      const { store } = await open(sample('one'), sample('two'));
      const before = structuredClone(await store.list());
      empty(await store.list());
      empty(await store.problems());
      expect(await store.list()).toEqual(before);
    },
  },
  {
    title: 'may be closed twice',
    run: async (open) => {
      const { store } = await open(sample('one'));
      await store.list();
      await store.close();
      await expect(store.close()).resolves.toBeUndefined();
    },
  },
  {
    title: 'may be closed before it was asked for anything',
    run: async (open) => {
      const { store } = await open(sample('one'));
      await expect(store.close()).resolves.toBeUndefined();
    },
  },
];

/** Empties a list that says it can't be; a list that throws is as good as one that is a copy. */
function empty(list: readonly unknown[]): void {
  if (!Object.isFrozen(list)) (list as unknown[]).splice(0);
}
