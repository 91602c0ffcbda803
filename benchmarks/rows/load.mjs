import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeDefinitions } from '../definitions/definitions.mjs';
import { interleave } from '../figures/interleave.mjs';
import { compare, informative } from '../figures/result.mjs';
import { startOurs } from '../servers/servers.mjs';
import { median } from '../figures/statistics.mjs';
import { runToEnd } from '../clients/stdio-client.mjs';

export const name = 'load';

const readFile = fileURLToPath(new URL('../baselines/read.mjs', import.meta.url));

/** Measures the first load of definitions. Every file is read and checked once, so the time grows in proportion. */
export async function run(bench) {
  const folders = {};
  for (const count of [10, 1000, 10_000])
    folders[count] = await writeDefinitions(join(bench.scratch, `${name}-${count}`), count);
  const series = await interleave(
    {
      10: () => firstList(bench, folders[10]),
      1000: () => firstList(bench, folders[1000]),
      10_000: () => firstList(bench, folders[10_000]),
      read: async () => (await runToEnd([readFile, folders[10_000]], bench.scratch)).ms,
    },
    { rounds: 5, warmUp: 1 },
  );
  return [linear(series), ...againstReading(series)];
}

async function firstList(bench, folder) {
  const server = startOurs(bench, folder);
  try {
    await server.open();
    return (await server.tool('workflow_list', { limit: 1 })).sinceSpawnMs;
  } finally {
    await server.stop();
  }
}

function linear(series) {
  const start = median(series[10]);
  const less = (values) => values.map((value) => value - start);
  const row = compare('10,000 workflows; baseline: 1,000; each less the time with 10', {
    unit: 'ms',
    ours: less(series[10_000]),
    baseline: less(series[1000]),
    note: 'the ratio is about 10 if the time grows in proportion',
  });
  return { ...row, bound: '≤ 13 ×', holds: row.ratio <= 13 };
}

function againstReading(series) {
  return [
    compare('10,000 workflows; baseline: reading the files', {
      unit: 'ms',
      ours: series[10_000],
      baseline: series.read,
      note: 'from the spawn',
    }),
    informative('10 workflows', { unit: 'ms', ours: series[10] }),
  ];
}
