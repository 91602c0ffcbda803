import { interleave } from '../figures/interleave.mjs';
import { cpuMs } from '../figures/process-figures.mjs';
import { median } from '../figures/statistics.mjs';

/**
 * A server under measurement: its process id, and a function that makes one call and returns its milliseconds.
 *
 * @typedef {{ readonly pid: number, readonly call: (turn: number) => Promise<number> }} Callee
 */

/**
 * Measures servers in rounds. In each round, one server after the other gets its calls, also one after the other.
 *
 * @param {Readonly<Record<string, Callee>>} callees
 * @param {{ readonly rounds: number, readonly calls: number }} plan
 * @returns {Promise<Record<string, { readonly p50Us: number[], readonly cpuUs: number[] }>>} for each round the median of the
 *   calls, and the processor time of one call
 */
export async function measureCalls(callees, { rounds, calls }) {
  const contestants = Object.fromEntries(
    Object.entries(callees).map(([name, callee]) => [name, () => measureRound(callee, calls)]),
  );
  const results = await interleave(contestants, { rounds, warmUp: 2 });
  return Object.fromEntries(
    Object.entries(results).map(([name, series]) => [
      name,
      { p50Us: series.map(({ p50Us }) => p50Us), cpuUs: series.map(({ cpuUs }) => cpuUs) },
    ]),
  );
}

async function measureRound({ pid, call }, calls) {
  const times = [];
  const before = cpuMs(pid);
  for (let turn = 0; turn < calls; turn += 1) times.push(await call(turn));
  return { p50Us: median(times) * 1000, cpuUs: ((cpuMs(pid) - before) * 1000) / calls };
}
