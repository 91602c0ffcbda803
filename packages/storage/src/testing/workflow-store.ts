import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkflowChange, WorkflowStore } from '../workflow-store.ts';

/**
 * A store under test, and ways to change what it serves. Each change is made when its promise resolves, though the
 * store may notice it later.
 */
export interface WorkflowStoreHarness {
  readonly store: WorkflowStore;
  /** Adds a definition, or replaces the one with its id. */
  readonly put?: (definition: StepWorkflowDefinition) => Promise<void>;
  readonly remove?: (id: string) => Promise<void>;
  /** Makes the definition with this id invalid. `put` repairs it. */
  readonly spoil?: (id: string) => Promise<void>;
  /** Runs after each test, when the store is closed. */
  readonly dispose?: () => Promise<void>;
}

/** A way to change what a store serves. */
export type StoreChange = 'put' | 'remove' | 'spoil';

/** Opens a store that serves these definitions. It is closed and disposed of after the test. */
export type OpenStore = (...definitions: readonly StepWorkflowDefinition[]) => Promise<WorkflowStoreHarness>;

interface ContractCase {
  readonly title: string;
  readonly needs?: readonly StoreChange[];
  readonly run: (open: OpenStore) => Promise<void>;
}

/** Makes a small definition. `more` overrides its fields. */
function sample(id: string, more: Partial<StepWorkflowDefinition> = {}): StepWorkflowDefinition {
  return {
    id,
    name: `Name of ${id}`,
    description: `What ${id} is for.`,
    version: '1.0.0',
    steps: [{ id: 'step-1', title: 'First', prompt: 'Do it.' }],
    ...more,
  };
}

/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */

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

/** The contract for a store without changes. */
const readCases: readonly ContractCase[] = [
  {
    title: 'lists every workflow, sorted by the code units of its id',
    run: async (open) => {
      const ids = ['abc', 'ab1', 'ns.one', 'ab-c', 'zeta', '10-steps', 'ab.c'];
      const { store } = await open(...ids.map((id) => sample(id)));
      const listed = (await store.list()).map(({ id }) => id);
      expect(listed).toEqual(['10-steps', 'ab-c', 'ab.c', 'ab1', 'abc', 'ns.one', 'zeta']);
    },
  },
  {
    title: 'summarizes a workflow, with defaults for missing fields',
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
    title: 'serves nothing if it is empty',
    run: async (open) => {
      const { store } = await open();
      expect(await store.list()).toEqual([]);
      expect(await store.problems()).toEqual([]);
      expect(await store.get('one')).toBeUndefined();
    },
  },
  {
    title: 'returns a workflow by its id, whichever call comes first',
    run: async (open) => {
      const { store } = await open(sample('one'), sample('two'));
      const workflow = await store.get('two');
      expect(workflow).toMatchObject({ kind: 'steps', id: 'two', definition: sample('two') });
      expect(workflow?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    },
  },
  {
    title: 'returns the same object each time',
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
    title: 'does not let callers change its answers',
    run: async (open) => {
      const { store } = await open(sample('one'), sample('two'));
      const before = structuredClone(await store.list());
      empty(await store.list());
      empty(await store.problems());
      expect(await store.list()).toEqual(before);
    },
  },
  {
    title: 'can be closed twice',
    run: async (open) => {
      const { store } = await open(sample('one'));
      await store.list();
      await store.close();
      await expect(store.close()).resolves.toBeUndefined();
    },
  },
  {
    title: 'can be closed before any other call',
    run: async (open) => {
      const { store } = await open(sample('one'));
      await expect(store.close()).resolves.toBeUndefined();
    },
  },
];

/** Tries to empty a read-only list. A list that throws is as safe as a copy. */
function empty(list: readonly unknown[]): void {
  if (!Object.isFrozen(list)) (list as unknown[]).splice(0);
}

/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */

/** A change must be visible within a second. The rest allows for a busy machine. */
const patience = { timeout: 5_000, interval: 10 };

/** The contract for a store whose workflows change. Each test starts with `one` and `two`. */
const changeCases: readonly ContractCase[] = [
  {
    title: 'serves the new version of a workflow',
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
    title: 'serves an added workflow, in the right order',
    needs: ['put'],
    run: changing(async ({ store, put }) => {
      await put(sample('plus'));
      await expect.poll(() => idsOf(store), patience).toEqual(['one', 'plus', 'two']);
      expect((await store.get('plus'))?.definition).toEqual(sample('plus'));
    }),
  },
  {
    title: 'no longer serves a removed workflow',
    needs: ['remove'],
    run: changing(async ({ store, remove }) => {
      await remove('one');
      await expect.poll(() => idsOf(store), patience).toEqual(['two']);
      expect(await store.get('one')).toBeUndefined();
      expect(await store.problems()).toEqual([]);
    }),
  },
  {
    title: 'reports a change once it serves the new version',
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
    title: 'reports changes to every listener that has not stopped',
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
    title: 'reports no changes after it was closed',
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
    title: 'reports an invalid definition as a problem until it is repaired',
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

/** The test runner has already checked that the harness supports the changes. */
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

/** Makes a new store that serves these definitions. */
export type MakeWorkflowStore = (
  definitions: readonly StepWorkflowDefinition[],
) => Promise<WorkflowStoreHarness>;

/** Options of the contract tests. */
export interface ContractOptions {
  /** Why the harness does not support a change. Without a reason, the tests that need it fail. */
  readonly skip?: Partial<Readonly<Record<StoreChange, string>>>;
}

/** Tests that a store keeps the contract of `WorkflowStore`. Call it in a vitest file, once for each adapter. */
export function describeWorkflowStore(
  name: string,
  make: MakeWorkflowStore,
  { skip = {} }: ContractOptions = {},
): void {
  describe(`${name}, as every workflow store`, () => {
    let opened: WorkflowStoreHarness[] = [];
    const open: OpenStore = async (...definitions) => {
      const harness = await make(definitions);
      opened.push(harness);
      return harness;
    };

    beforeEach(() => {
      opened = [];
    });
    afterEach(async () => {
      for (const { store, dispose } of opened) {
        await store.close();
        await dispose?.();
      }
    });

    it.for([...readCases, ...changeCases])('$title', async ({ needs = [], run }, context) => {
      for (const need of needs) if (skip[need] !== undefined) context.skip(skip[need]);
      expect.hasAssertions();
      await run(async (...definitions) => {
        const harness = await open(...definitions);
        const lacking = needs.filter((need) => harness[need] === undefined);
        expect(lacking, 'changes the harness lacks without giving a reason').toEqual([]);
        return harness;
      });
    });
  });
}
