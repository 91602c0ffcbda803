import { join } from 'node:path';
import { midway, writeDefinitions } from '../definitions/definitions.mjs';
import { interleave } from '../figures/interleave.mjs';
import { manySessions } from '../sessions/kept-sessions.mjs';
import { cpuMs, filesInUse, whyNoProc } from '../figures/process-figures.mjs';
import { compare, exactly } from '../figures/result.mjs';
import { startEcho, startOurs } from '../servers/servers.mjs';

export const name = 'cold-start';

/**
 * Measures the time from the start of a server to the handshake, the tool list, and the first call without and with
 * sessions.
 */
export async function run(bench) {
  const folder = await writeDefinitions(join(bench.scratch, name), 200);
  const state = await manySessions(bench);
  const start = () => startOurs(bench, folder, ['--state', state]);
  const series = await interleave(
    {
      ours: () => firstReplies(start(), ['workflow_next', midway(7)], state),
      sessions: () => firstReplies(start(), ['discover', {}], state),
      echo: () => firstReplies(startEcho(bench), ['echo', { text: 'hello' }], state),
    },
    { rounds: 20, warmUp: 2 },
  );
  const row = (what, pick, more) =>
    compare(what, { unit: 'ms', ours: series.ours.map(pick), baseline: series.echo.map(pick), ...more });
  return [
    row('time to initialize', ({ initialize }) => initialize, {
      atMost: 1.3,
      note: 'from the spawn',
    }),
    row('time to tools/list', ({ list }) => list, { note: 'from the spawn, after initialize' }),
    ...(whyNoProc() === undefined
      ? [
          row('processor time to tools/list', ({ cpu }) => cpu, {
            note: 'hardly affected by other load on the machine',
          }),
          unopened(series),
        ]
      : []),
    row('time to workflow_next', ({ call }) => call, {
      note: 'from the spawn, after initialize and tools/list, over tools/call; the baseline calls echo',
    }),
    compare('time to discover', {
      unit: 'ms',
      ours: series.sessions.map(({ call }) => call),
      baseline: series.echo.map(({ call }) => call),
      note: 'the same; it opens the database with its 10,000 sessions and lists ten of them',
    }),
  ];
}

/** Counts the files of the state directory that a start opens. Fails if not even a session call is seen to open one. */
function unopened({ ours, sessions }) {
  const files = new Set(ours.flatMap(({ inUse }) => inUse));
  if (sessions.some(({ usedByCall }) => usedByCall.length === 0))
    throw new Error('A call of a session opened no file of the state directory');
  return exactly('files opened in the state directory', {
    unit: files.size === 1 ? 'file' : 'files',
    value: files.size,
    bound: '0',
    holds: files.size === 0,
    note: 'open or mapped after tools/list',
  });
}

async function firstReplies(server, [tool, args], state) {
  try {
    const initialize = await server.open();
    const list = await server.request('tools/list', {});
    const watched = whyNoProc() === undefined;
    const cpu = watched ? cpuMs(server.pid) : 0;
    const inUse = watched ? filesInUse(server.pid, state) : [];
    const call = await server.tool(tool, args);
    const usedByCall = watched ? filesInUse(server.pid, state) : [];
    const [opened, listed, called] = [initialize, list, call].map(({ sinceSpawnMs }) => sinceSpawnMs);
    return { initialize: opened, list: listed, call: called, cpu, inUse, usedByCall };
  } finally {
    await server.stop();
  }
}
