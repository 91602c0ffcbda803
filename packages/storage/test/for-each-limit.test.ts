import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { forEachLimit } from '../src/pauses.ts';

it('A task runs for every item, with a limited number at the same time', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await forEachLimit(new Set([1, 2, 3, 4, 5, 6, 7]), 3, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await setTimeout(1);
    running -= 1;
    done.push(item);
  });
  expect(new Set(done)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  expect(most).toBe(3);
});

it('The promise rejects with the error of a task', async () => {
  const failing = forEachLimit([1, 2, 3], 2, async (item) => {
    if (item === 2) throw new Error('two');
  });
  await expect(failing).rejects.toThrow('two');
});
