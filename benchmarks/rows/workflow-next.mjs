import { measureNext } from '../clients/next-calls.mjs';
import { whyNoProc } from '../figures/process-figures.mjs';
import { compare } from '../figures/result.mjs';

export const name = 'workflow-next';
export const skipped = whyNoProc;

/** Measures how long `workflow_next` takes, and that the number of definitions does not matter. */
export async function run(bench) {
  const times = await measureNext(bench, name, { rounds: 15, calls: 1000 });
  const row = (what, ours, more) =>
    compare(what, { unit: 'µs', ours: ours.p50Us, baseline: times.echo.p50Us, ...more });
  return [
    row('10 workflows', times.few, { atMost: 2 }),
    row('10,000 workflows', times.many, { atMost: 2 }),
    sizesApart(times),
    row('10 workflows, direct method', times.direct, { note: 'the baseline is echo over tools/call' }),
  ];
}

function sizesApart({ few, many }) {
  const row = compare('10,000 workflows; baseline: 10', {
    unit: 'µs',
    ours: many.p50Us,
    baseline: few.p50Us,
  });
  return { ...row, bound: '0.9 to 1.1 ×', holds: Math.abs(row.ratio - 1) <= 0.1 };
}
