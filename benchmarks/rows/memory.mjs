import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { midway, writeDefinitions } from '../definitions/definitions.mjs';
import { interleave } from '../figures/interleave.mjs';
import { manySessions } from '../sessions/kept-sessions.mjs';
import { residentBytes, whyNoProc } from '../figures/process-figures.mjs';
import { compare } from '../figures/result.mjs';
import { startEcho, startOurs } from '../servers/servers.mjs';

export const name = 'memory';
export const skipped = whyNoProc;

/** Measures the resident memory of an idle server: after the handshake and tools/list, and after the first call. */
export async function run(bench) {
  const folder = await writeDefinitions(join(bench.scratch, name), 200);
  const flags = ['--state', await manySessions(bench)];
  const series = await interleave(
    {
      ours: () => settled(startOurs(bench, folder, flags), ['workflow_next', midway(7)]),
      sessions: () => settled(startOurs(bench, folder, flags), ['discover', {}]),
      echo: () => settled(startEcho(bench), ['echo', { text: 'hello' }]),
    },
    { rounds: 7, warmUp: 0 },
  );
  const row = (what, pick, more) =>
    compare(what, { unit: 'MB', ours: series.ours.map(pick), baseline: series.echo.map(pick), ...more });
  return [
    row('after tools/list', ({ listed }) => listed, { atMost: 1.25 }),
    row('after workflow_next', ({ called }) => called, {
      note: 'ours has loaded 200 definitions by then',
    }),
    compare('after discover', {
      unit: 'MB',
      ours: series.sessions.map(({ called }) => called),
      baseline: series.echo.map(({ called }) => called),
      note: 'ours has the database with its 10,000 sessions open by then',
    }),
  ];
}

async function settled(server, [tool, args]) {
  try {
    await server.open();
    await server.request('tools/list', {});
    await setTimeout(1000);
    const listed = megabytes(server.pid);
    await server.tool(tool, args);
    await setTimeout(1000);
    return { listed, called: megabytes(server.pid) };
  } finally {
    await server.stop();
  }
}

function megabytes(pid) {
  return residentBytes(pid) / 1_000_000;
}
