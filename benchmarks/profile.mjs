// `node scripts/run.mjs profile [call…]` shows how long each function of the built apps takes during a call.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nextOverTools } from './clients/callees.mjs';
import { writeDefinitions } from './definitions/definitions.mjs';
import { httpCalls } from './clients/http-calls.mjs';
import { asked, openCrowd } from './clients/http-crowd.mjs';
import { startOurHttp } from './servers/http-servers.mjs';
import { profiledTime } from './figures/profiled-time.mjs';
import { overTools, ringWalker } from './sessions/ring-walker.mjs';
import { writeRing } from './definitions/ring-workflow.mjs';
import { startOurs, withServers } from './servers/servers.mjs';

/** The functions that start a server and make calls, by name. */
const calls = {
  'cold-start': async (bench) => {
    const server = startOurs(bench, await writeDefinitions(join(bench.scratch, 'definitions'), 200));
    await withServers({ server }, async () => {
      await server.open();
      await server.request('tools/list');
    });
  },
  workflow_next: async (bench) => {
    const server = startOurs(bench, await writeDefinitions(join(bench.scratch, 'definitions'), asked));
    await withServers({ server }, async () => {
      await server.open();
      const { call } = nextOverTools(server, asked);
      for (let turn = 0; turn < 20_000; turn += 1) await call(turn);
    });
  },
  next_activity: async (bench) => {
    const server = startOurs(bench, await writeRing(join(bench.scratch, 'definitions')));
    await withServers({ server }, async () => {
      await server.open();
      const moveOn = await ringWalker(overTools(server.tool));
      for (let turn = 0; turn < 2000; turn += 1) await moveOn();
    });
  },
  http: async (bench) => {
    const definitions = await writeDefinitions(join(bench.scratch, 'definitions'), asked);
    const server = await startOurHttp(bench, definitions);
    await withServers({ server }, async () => {
      const crowd = await openCrowd(server, httpCalls.nextInSession, { clients: 64 });
      await crowd.measure(20_000);
      await crowd.close();
    });
  },
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(calls, name));
if (unknown !== undefined) {
  console.error(`There is no call '${unknown}'. The calls are: ${Object.keys(calls).join(', ')}`);
  process.exit(2);
}
for (const [name, call] of Object.entries(calls)) {
  if (wanted.length === 0 || wanted.includes(name)) console.log(`${name}\n${await profile(call)}\n`);
}

/** Makes calls to a server that runs with a profiler. Returns a text with the time of its functions. */
async function profile(call) {
  const scratch = await mkdtemp(join(tmpdir(), 'workflowlookup-profile-'));
  const app = (name) => fileURLToPath(new URL(`../apps/${name}/dist/main.js`, import.meta.url));
  const nodeFlags = ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${join(scratch, 'profile')}`];
  try {
    await call({ scratch, nodeFlags, serverFile: app('stdio'), httpFile: app('http') });
    const [file] = readdirSync(join(scratch, 'profile'));
    return profiledTime(JSON.parse(readFileSync(join(scratch, 'profile', file), 'utf8')));
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}
