import { measureNext } from '../clients/next-calls.mjs';
import { whyNoProc } from '../figures/process-figures.mjs';
import { compare } from '../figures/result.mjs';

export const name = 'cpu';
export const skipped = whyNoProc;

/** Measures the processor time of one call, which other load on the machine hardly affects. */
export async function run(bench) {
  const times = await measureNext(bench, name, { rounds: 7, calls: 4000 });
  const row = (what, ours, more) =>
    compare(what, { unit: 'µs', ours: ours.cpuUs, baseline: times.echo.cpuUs, ...more });
  return [
    row('10 workflows', times.few, { atMost: 2 }),
    row('10,000 workflows', times.many, { atMost: 2 }),
    row('10 workflows, direct method', times.direct),
  ];
}
