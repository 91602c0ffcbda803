/* oxlint-disable vitest/no-standalone-expect -- `run` is the body of a test. */
import { expect } from 'vitest';
import type { SessionStore } from '../session-store.ts';
import type { SessionCase } from './session-case.ts';
import { add, begin } from './session-sample.ts';

/** A hint may take its way through a database. */
const patience = { timeout: 10_000 };

/** What holds of the hints a store gives, where it gives any. */
export const sessionHintCases: readonly SessionCase[] = [
  {
    title: 'hints which session was written to, to all who watch',
    needs: ['watchChanges'],
    run: async ({ store }) => {
      const [first, second] = [watch(store), watch(store)];
      await writeUntil(store, () => first.heard.has('s1') && second.heard.has('s1'));
      expect([[...first.heard], [...second.heard]]).toEqual([['s1'], ['s1']]);
    },
  },
  {
    title: 'hints nothing to who stopped watching',
    needs: ['watchChanges'],
    run: async ({ store }) => {
      const [gone, there] = [watch(store), watch(store)];
      gone.stop();
      await writeUntil(store, () => there.heard.has('s1'));
      expect([...gone.heard]).toEqual([]);
      gone.stop();
    },
  },
];

interface Watch {
  readonly heard: Set<string>;
  readonly stop: () => void;
}

function watch(store: SessionStore): Watch {
  const heard = new Set<string>();
  const stop = store.watchChanges?.((sids) => {
    for (const sid of sids) heard.add(sid);
  });
  return { heard, stop: () => stop?.() };
}

/** Writes again and again: a hint may be lost, though not all of them. */
async function writeUntil(store: SessionStore, isEnough: () => boolean): Promise<void> {
  let head = await begin(store, 's1');
  const write = async (): Promise<boolean> => {
    head = (await add(store, 's1', { head, data: [{}] })) ?? head;
    return isEnough();
  };
  await expect.poll(write, patience).toBe(true);
}
