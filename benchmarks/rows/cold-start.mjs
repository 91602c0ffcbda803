import { join } from 'node:path';
import { midway, writeDefinitions } from '../definitions.mjs';
import { interleave } from '../interleave.mjs';
import { cpuMs, whyNoProc } from '../process-figures.mjs';
import { compare } from '../result.mjs';
import { startEcho, startOurs } from '../servers.mjs';

export const name = 'cold-start';

/** What a client waits for after it started the server: the handshake, the tools, the first call. */
export async function run(bench) {
  const folder = await writeDefinitions(join(bench.scratch, name), 200);
  const series = await interleave(
    {
      ours: () => firstReplies(startOurs(bench, folder), ['workflow_next', midway(7)]),
      echo: () => firstReplies(startEcho(bench), ['echo', { text: 'hello' }]),
    },
    { rounds: 20, warmUp: 2 },
  );
  const row = (what, pick, more) =>
    compare(what, { unit: 'ms', ours: series.ours.map(pick), baseline: series.echo.map(pick), ...more });
  return [
    row('cold start, 200 workflows: initialize', ({ initialize }) => initialize, {
      atMost: 1.3,
      note: 'from the spawn to the reply; no session database yet',
    }),
    row('cold start: first tools/list', ({ list }) => list, { note: 'from the spawn, after initialize' }),
    ...(whyNoProc() === undefined
      ? [
          row('cold start: CPU until tools/list', ({ cpu }) => cpu, {
            note: 'hardly moved by a busy machine',
          }),
        ]
      : []),
    row('cold start: first workflow_next', ({ call }) => call, {
      note: 'from the spawn, after initialize and tools/list, over tools/call; the baseline calls echo',
    }),
  ];
}

async function firstReplies(server, [tool, args]) {
  try {
    const initialize = await server.open();
    const list = await server.request('tools/list', {});
    const cpu = whyNoProc() === undefined ? cpuMs(server.pid) : 0;
    const call = await server.tool(tool, args);
    return { initialize: initialize.sinceSpawnMs, list: list.sinceSpawnMs, call: call.sinceSpawnMs, cpu };
  } finally {
    await server.stop();
  }
}
