import { expect, test } from 'vitest';
import type { CallTrace, SideWrite } from '../src/sql/call-writer.ts';
import { createCallTrace } from '../src/sql/call-writer.ts';
import { createSeals } from '../src/sql/seals.ts';
import { createWriteBehind } from '../src/sql/write-behind.ts';

const [fine, refused, warned] = [{ s: 'ok' }, { s: 'error' }, { s: 'ok', vw: ['late'] }];

function open(): { readonly trace: CallTrace; settle(): Promise<void> } {
  const behind = createWriteBehind<SideWrite<never>>({
    write: () => Promise.resolve(),
    delayMs: 60_000,
    batch: 100,
    most: 100,
  });
  return { trace: createCallTrace(createSeals(), behind), settle: () => behind.settle() };
}

/** How many calls an event is kept with, and the number of the last call that it names. */
function told(trace: CallTrace): readonly [kept: number, last: number] {
  const { calls, follows } = trace.before('a');
  return [calls.length, Number(follows?.split(':')[1] ?? 0)];
}

test('an event names the calls that are kept by then', async () => {
  const { trace, settle } = open();
  expect(told(trace)).toEqual([0, 0]);
  await trace.record('a', fine);
  await trace.record('b', refused);
  expect(told(trace)).toEqual([0, 0]);
  await settle();
  expect(told(trace)).toEqual([0, 1]);
});

test.each([refused, warned, {}])(
  'an event is kept with a call such as %j, and with those before it',
  async (call) => {
    const { trace } = open();
    await trace.record('a', fine);
    await trace.record('a', call);
    await trace.record('a', fine);
    expect(told(trace)).toEqual([3, 3]);
    trace.kept(trace.before('a'));
    expect(told(trace)).toEqual([0, 3]);
    await trace.record('a', fine);
    expect(told(trace)).toEqual([0, 3]);
  },
);
