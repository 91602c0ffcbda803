import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import type { TestAPI } from 'vitest';
import { describe, expect, test } from 'vitest';
import type { WorkflowChange, WorkflowStore } from '../workflow-store.ts';
import { ability } from './session-sample.ts';

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

/** The fixtures of the tests. A test that uses any fixture except `open` begins with the workflows `one` and `two`. */
interface ContractFixtures extends Required<Omit<WorkflowStoreHarness, 'dispose'>> {
  readonly open: OpenStore;
  readonly harness: WorkflowStoreHarness;
}

type ContractTest = TestAPI<ContractFixtures>;

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
function readCases(it: ContractTest): void {
  it('lists every workflow, sorted by the code units of its id', async ({ open }) => {
    const ids = ['abc', 'ab1', 'ns.one', 'ab-c', 'zeta', '10-steps', 'ab.c'];
    const { store } = await open(...ids.map((id) => sample(id)));
    const listed = (await store.list()).map(({ id }) => id);
    expect(listed).toEqual(['10-steps', 'ab-c', 'ab.c', 'ab1', 'abc', 'ns.one', 'zeta']);
  });

  it('summarizes a workflow, with defaults for missing fields', async ({ open }) => {
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
  });

  it('serves nothing if it is empty', async ({ open }) => {
    const { store } = await open();
    expect(await store.list()).toEqual([]);
    expect(await store.problems()).toEqual([]);
    expect(await store.get('one')).toBeUndefined();
  });

  it('returns a workflow by its id, whichever call comes first', async ({ open }) => {
    const { store } = await open(sample('one'), sample('two'));
    const workflow = await store.get('two');
    expect(workflow).toMatchObject({ kind: 'steps', id: 'two', definition: sample('two') });
    expect(workflow?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('returns the same object each time', async ({ open }) => {
    const { store } = await open(sample('one'));
    const [first, second] = await Promise.all([store.get('one'), store.get('one')]);
    expect(first).toBeDefined();
    expect(second).toBe(first);
    await store.list();
    expect(await store.get('one')).toBe(first);
  });

  for (const id of hostileIds)
    it(`knows no workflow ${JSON.stringify(id.slice(0, 20))}`, async ({ open }) => {
      const { store } = await open(sample('one'));
      expect(await store.get(id)).toBeUndefined();
      expect(await store.problems()).toEqual([]);
    });

  it('does not let callers change its answers', async ({ open }) => {
    const { store } = await open(sample('one'), sample('two'));
    const before = structuredClone(await store.list());
    empty(await store.list());
    empty(await store.problems());
    expect(await store.list()).toEqual(before);
  });

  it('can be closed twice', async ({ open }) => {
    const { store } = await open(sample('one'));
    await store.list();
    await store.close();
    await expect(store.close()).resolves.toBeUndefined();
  });

  it('can be closed before any other call', async ({ open }) => {
    const { store } = await open(sample('one'));
    await expect(store.close()).resolves.toBeUndefined();
  });
}

/** Tries to empty a read-only list. A list that throws is as safe as a copy. */
function empty(list: readonly unknown[]): void {
  if (!Object.isFrozen(list)) (list as unknown[]).splice(0);
}

/** A change must be visible within a second. The rest allows for a busy machine. */
const patience = { timeout: 5_000, interval: 10 };

/** The contract for a store whose workflows change. Each test starts with `one` and `two`. */
function changeCases(it: ContractTest): void {
  it('serves the new version of a workflow', async ({ store, put }) => {
    const [one, two] = [await store.get('one'), await store.get('two')];
    await put(sample('one', { name: 'Another' }));
    await expect.poll(() => nameOf(store, 'one'), patience).toBe('Another');
    expect(await store.get('one')).not.toBe(one);
    expect(await store.get('two')).toBe(two);
    expect((await store.list()).map(({ name }) => name)).toEqual(['Another', 'Name of two']);
  });

  it('serves an added workflow, in the right order', async ({ store, put }) => {
    await put(sample('plus'));
    await expect.poll(() => idsOf(store), patience).toEqual(['one', 'plus', 'two']);
    expect((await store.get('plus'))?.definition).toEqual(sample('plus'));
  });

  it('no longer serves a removed workflow', async ({ store, remove }) => {
    await remove('one');
    await expect.poll(() => idsOf(store), patience).toEqual(['two']);
    expect(await store.get('one')).toBeUndefined();
    expect(await store.problems()).toEqual([]);
  });

  it('reports a change once it serves the new version', async ({ store, put }) => {
    const told: [change: WorkflowChange, name: Promise<string | undefined>][] = [];
    store.watch((change) => told.push([change, nameOf(store, 'one')]));
    await put(sample('one', { name: 'Another' }));
    await expect.poll(() => told.some(([change]) => names(change, 'one')), patience).toBe(true);
    expect(await told.at(-1)?.[1]).toBe('Another');
    expect(told.filter(([change]) => Array.isArray(change) && change.includes('two'))).toEqual([]);
  });

  it('reports changes to every listener that has not stopped', async ({ store, put }) => {
    const told: string[] = [];
    const stop = store.watch(() => told.push('stopped'));
    store.watch(() => told.push('first'));
    store.watch(() => told.push('second'));
    stop();
    stop();
    await put(sample('one', { name: 'Another' }));
    await expect.poll(() => new Set(told), patience).toEqual(new Set(['first', 'second']));
  });

  it('reports no changes after it was closed', async ({ store, put }) => {
    const told: WorkflowChange[] = [];
    store.watch((change) => told.push(change));
    await store.close();
    await put(sample('one', { name: 'Another' }));
    await store.close();
    expect(told).toEqual([]);
  });

  it('reports an invalid definition as a problem until it is repaired', async ({ store, put, spoil }) => {
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
  });

  it('sorts problems by id', async ({ store, spoil }) => {
    await spoil('two');
    await spoil('one');
    const ids = async (): Promise<string[]> => (await store.problems()).map(({ id }) => id);
    await expect.poll(ids, patience).toEqual(['one', 'two']);
    expect(await store.list()).toEqual([]);
  });
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
  { skip: reasons = {} }: ContractOptions = {},
): void {
  const it = test.extend<ContractFixtures>({
    open: async ({ task: _task }, use) => {
      expect.hasAssertions();
      const opened: WorkflowStoreHarness[] = [];
      await use(async (...definitions) => {
        const harness = await make(definitions);
        opened.push(harness);
        return harness;
      });
      for (const { store, dispose } of opened) {
        await store.close();
        await dispose?.();
      }
    },
    harness: async ({ open }, use) => {
      const harness = await open(sample('one'), sample('two'));
      await harness.store.list();
      await use(harness);
    },
    store: ({ harness }, use) => use(harness.store),
    put: ({ harness, skip }, use) => use(ability('put', harness.put, { skip, reason: reasons.put })),
    remove: ({ harness, skip }, use) =>
      use(ability('remove', harness.remove, { skip, reason: reasons.remove })),
    spoil: ({ harness, skip }, use) => use(ability('spoil', harness.spoil, { skip, reason: reasons.spoil })),
  });
  describe(`${name}, as every workflow store`, () => {
    readCases(it);
    changeCases(it);
  });
}
