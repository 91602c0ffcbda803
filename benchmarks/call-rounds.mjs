import { interleave } from './interleave.mjs';
import { cpuMs } from './process-figures.mjs';
import { median } from './statistics.mjs';

/**
 * Something that can be called over and over: the server's process and one call, which resolves to its milliseconds.
 *
 * @typedef {{ readonly pid: number, readonly call: (turn: number) => Promise<number> }} Callee
 */

/**
 * Calls each callee in rounds, one call after the other, the callees in turn.
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
