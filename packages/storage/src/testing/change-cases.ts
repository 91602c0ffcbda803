/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { summarize } from '@workflowlookup/schema';
import { expect } from 'vitest';
import type { WorkflowChange, WorkflowStore } from '../workflow-store.ts';
import type { ContractCase, WorkflowStoreHarness } from './contract-case.ts';
import { sample } from './sample.ts';

/** A change has to be in the answers within a second; the rest is patience with a busy machine. */
const patience = { timeout: 5_000, interval: 10 };

/** What holds for a store whose workflows change; each starts with `one` and `two`. */
export const changeCases: readonly ContractCase[] = [
  {
    title: 'serves what was put in place of a workflow',
    needs: ['put'],
    run: changing(async ({ store, put }) => {
      const [one, two] = [await store.get('one'), await store.get('two')];
      await put(sample('one', { name: 'Another' }));
      await expect.poll(() => nameOf(store, 'one'), patience).toBe('Another');
      expect(await store.get('one')).not.toBe(one);
      expect(await store.get('two')).toBe(two);
      expect((await store.list()).map(({ name }) => name)).toEqual(['Another', 'Name of two']);
    }),
  },
  {
    title: 'serves what was added, at its place in the order',
    needs: ['put'],
    run: changing(async ({ store, put }) => {
      await put(sample('plus'));
      await expect.poll(() => idsOf(store), patience).toEqual(['one', 'plus', 'two']);
      expect((await store.get('plus'))?.definition).toEqual(sample('plus'));
    }),
  },
  {
    title: 'serves a removed workflow no more',
    needs: ['remove'],
    run: changing(async ({ store, remove }) => {
      await remove('one');
      await expect.poll(() => idsOf(store), patience).toEqual(['two']);
      expect(await store.get('one')).toBeUndefined();
      expect(await store.problems()).toEqual([]);
    }),
  },
  {
    title: 'tells of a change once it answers with it',
    needs: ['put'],
    run: changing(async ({ store, put }) => {
      const told: [change: WorkflowChange, name: Promise<string | undefined>][] = [];
      store.watch((change) => told.push([change, nameOf(store, 'one')]));
      await put(sample('one', { name: 'Another' }));
      await expect.poll(() => told.some(([change]) => names(change, 'one')), patience).toBe(true);
      expect(await told.at(-1)?.[1]).toBe('Another');
      expect(told.filter(([change]) => Array.isArray(change) && change.includes('two'))).toEqual([]);
    }),
  },
  {
    title: 'tells every listener but those that stopped',
    needs: ['put'],
    run: changing(async ({ store, put }) => {
      const told: string[] = [];
      const stop = store.watch(() => told.push('stopped'));
      store.watch(() => told.push('first'));
      store.watch(() => told.push('second'));
      stop();
      stop();
      await put(sample('one', { name: 'Another' }));
      await expect.poll(() => new Set(told), patience).toEqual(new Set(['first', 'second']));
    }),
  },
  {
    title: 'tells nobody after it was closed',
    needs: ['put'],
    run: changing(async ({ store, put }) => {
      const told: WorkflowChange[] = [];
      store.watch((change) => told.push(change));
      await store.close();
      await put(sample('one', { name: 'Another' }));
      await store.close();
      expect(told).toEqual([]);
    }),
  },
  {
    title: 'makes an unusable definition a problem, until it is mended',
    needs: ['put', 'spoil'],
    run: changing(async ({ store, put, spoil }) => {
      await spoil('one');
      await expect.poll(() => store.get('one'), patience).toBeUndefined();
      expect(await idsOf(store)).toEqual(['two']);
      const [problem, ...others] = await store.problems();
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ id: 'one', severity: 'error' });
      expect(problem?.issues.length).toBeGreaterThan(0);
      await put(sample('one'));
      await expect.poll(() => nameOf(store, 'one'), patience).toBe('Name of one');
      expect(await store.problems()).toEqual([]);
    }),
  },
  {
    title: 'sorts problems by id',
    needs: ['spoil'],
    run: changing(async ({ store, spoil }) => {
      await spoil('two');
      await spoil('one');
      const ids = async (): Promise<string[]> => (await store.problems()).map(({ id }) => id);
      await expect.poll(ids, patience).toEqual(['one', 'two']);
      expect(await store.list()).toEqual([]);
    }),
  },
];

type Changes = Required<Omit<WorkflowStoreHarness, 'dispose'>>;

/** The changes a case needs were looked for before it runs. */
function changing(test: (harness: Changes) => Promise<void>): ContractCase['run'] {
  return async (open) => {
    const harness = await open(sample('one'), sample('two'));
    await harness.store.list();
    await test(harness as Changes);
  };
}

async function idsOf(store: WorkflowStore): Promise<string[]> {
  return (await store.list()).map(({ id }) => id);
}

async function nameOf(store: WorkflowStore, id: string): Promise<string | undefined> {
  const workflow = await store.get(id);
  return workflow && summarize(workflow).name;
}

function names(change: WorkflowChange, id: string): boolean {
  return change === 'all' || change.includes(id);
}
