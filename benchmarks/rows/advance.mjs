import { join } from 'node:path';
import { createInserts } from '../baselines/insert.mjs';
import { interleave } from '../figures/interleave.mjs';
import { perSecond } from '../figures/per-second.mjs';
import { compare, compareAtLeast } from '../figures/result.mjs';
import { inProcess, overTools, ringWalker } from '../sessions/ring-walker.mjs';
import { writeRing } from '../definitions/ring-workflow.mjs';
import { startOurs, withServers } from '../servers/servers.mjs';
import { median } from '../figures/statistics.mjs';
import { withHost } from '../servers/with-host.mjs';

export const name = 'advance';

const sessionCount = 64;
/** Calls in one round of a series. */
const calls = 60;

/** Measures how long it takes to advance a session durably, with one session at a time and with 64 in parallel. */
export async function run(bench) {
  const definitions = await writeRing(join(bench.scratch, name));
  const options = { definitions, stateDirectory: join(bench.scratch, `${name}-state`) };
  return withHost(options, async ({ sessions }) => {
    const walkers = await Promise.all(
      Array.from({ length: sessionCount }, () => ringWalker(inProcess(sessions))),
    );
    const { store } = await sessions.health();
    const inserts = createInserts(join(bench.scratch, `${name}-baseline.db`), store);
    try {
      return await withServers({ ours: startOurs(bench, definitions) }, async ({ ours }) => {
        await ours.open();
        return await measure({
          walkers,
          remote: await ringWalker(overTools(ours.tool)),
          insert: inserts.insert,
        });
      });
    } finally {
      inserts.close();
    }
  });
}

async function measure({ walkers, remote, insert }) {
  const series = await interleave(
    {
      insert: () => middleOf(insert),
      process: () => middleOf(walkers[0]),
      stdio: () => middleOf(remote),
      insertsAll: () => perSecond([insert], calls * 4),
      advancesAll: () => perSecond(walkers, calls * 4),
    },
    { rounds: 15, warmUp: 2 },
  );
  const row = (what, ours, more) =>
    compare(what, { unit: 'ms', ours: series[ours], baseline: series.insert, ...more });
  return [
    row('one session, in process', 'process', {
      atMost: 2,
      note: 'the baseline is one insert of 1 kB with fsync through the same driver, here and below',
    }),
    row('one session, over stdio', 'stdio', {
      note: 'two processes take turns, so on a busy machine most of the time is spent waiting for a core',
    }),
    compareAtLeast(`calls per second, ${sessionCount} sessions, in process`, {
      unit: '/s',
      ours: series.advancesAll,
      baseline: series.insertsAll,
      atLeast: 0.5,
    }),
  ];
}

/** Makes calls one after the other. Returns their median time in milliseconds. */
async function middleOf(call) {
  const times = [];
  for (let turn = 0; turn < calls; turn += 1) {
    const from = performance.now();
    await call();
    times.push(performance.now() - from);
  }
  return median(times);
}
