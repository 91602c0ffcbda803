import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { WaitingWrite, WriteBehind, WriteBehindOptions } from '../../src/sql/write-behind.ts';
import { createWriteBehind } from '../../src/sql/write-behind.ts';
import { sessionFolder } from '../support/session-folder.ts';
import { start } from '../support/sessions.ts';

const never = 1_000_000;

/** Makes a queue, and records its transactions. */
function queue(options: Partial<WriteBehindOptions<() => void>> = {}): {
  readonly behind: WriteBehind<() => void>;
  readonly transactions: string[][];
  /** How many transactions will fail. */
  readonly place: { failures: number };
  readonly add: (name: string) => Promise<void>;
} {
  const transactions: string[][] = [];
  const place = { failures: 0 };
  let names: string[] = [];
  const write = async (writes: readonly WaitingWrite<() => void>[]): Promise<void> => {
    names = [];
    for (const { task } of writes) task();
    await setTimeout(1);
    place.failures -= 1;
    if (place.failures >= 0) throw new Error('The write fails');
    transactions.push(names);
  };
  const behind = createWriteBehind<() => void>({
    write,
    delayMs: never,
    batchSize: never,
    maxWaiting: never,
    ...options,
  });
  const add = (name: string): Promise<void> => behind.add(name, () => () => void names.push(name));
  return { behind, transactions, place, add };
}

it('Concurrent items are written in one transaction, in order', async () => {
  const { behind, transactions, add } = queue();
  for (const name of ['a', 'b', 'c']) await add(name);
  expect(transactions).toEqual([]);
  await behind.settle();
  expect(transactions).toEqual([['a', 'b', 'c']]);
});

it('Items are written after a delay, or when a batch is full', async () => {
  const slow = queue({ delayMs: 1 });
  await slow.add('a');
  await expect.poll(() => slow.transactions).toEqual([['a']]);
  const full = queue({ batchSize: 2 });
  for (const name of ['a', 'b', 'c']) await full.add(name);
  await expect.poll(() => full.transactions.flat()).toEqual(['a', 'b', 'c']);
});

it('settle for a session waits only if the session has waiting items', async () => {
  const { behind, transactions, add } = queue();
  await add('a');
  await behind.settle('b');
  expect(transactions).toEqual([]);
  await behind.settle('a');
  expect(transactions).toEqual([['a']]);
});

it('settle waits for a write in progress', async () => {
  const { behind, transactions, add } = queue();
  await add('a');
  const first = behind.settle();
  await add('b');
  await behind.settle('b');
  await first;
  expect(transactions).toEqual([['a'], ['b']]);
});

it('close retries once, and then reports the failure', async () => {
  const { behind, transactions, place, add } = queue();
  place.failures = 1;
  await add('a');
  await behind.close();
  expect(transactions).toEqual([['a']]);
  const other = queue();
  other.place.failures = 2;
  await other.add('a');
  await expect(other.behind.close()).rejects.toThrow('The write fails');
});

it('Items that could not be written are kept in order, and the failure is reported', async () => {
  const { behind, transactions, place, add } = queue();
  place.failures = Infinity;
  await add('a');
  await add('b');
  await expect(behind.settle()).rejects.toThrow('The write fails');
  await add('c');
  expect(behind.waiting()).toBe(3);
  place.failures = 0;
  await behind.settle();
  expect(transactions).toEqual([['a', 'b', 'c']]);
  expect(behind.waiting()).toBe(0);
});

it('No more items than the maximum are accepted while writing fails', async () => {
  const { behind, place, add } = queue({ batchSize: 2, maxWaiting: 3 });
  place.failures = Infinity;
  for (const name of ['a', 'b', 'c']) await add(name);
  await expect(add('d')).rejects.toThrow('The write fails');
  expect(behind.waiting()).toBe(3);
});

it('No items are accepted after close', async () => {
  const { behind, transactions, add } = queue();
  await add('a');
  await behind.close();
  expect(transactions).toEqual([['a']]);
  await expect(add('b')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { reason: 'closed' } });
});

it('The calls of a SQLite store share a transaction', async () => {
  const { open } = await sessionFolder();
  const store = open({ delayMs: never });
  const reader = open();
  await start(store, 's1');
  for (let n = 0; n < 100; n += 1) await store.recordCall('s1', { n });
  expect(await reader.calls('s1')).toEqual([]);
  expect((await store.health()).facts).toMatchObject({ waiting: 100 });
  await store.close();
  expect((await reader.calls('s1')).map(({ call }) => call['n'])).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  );
});
