import { join } from 'node:path';
import { createUpdates } from '../baselines/updates.mjs';
import { createHttpClient, openSession } from '../clients/http-client.mjs';
import { startOurHttp } from '../servers/http-servers.mjs';
import { interleave } from '../figures/interleave.mjs';
import { perSecond } from '../figures/per-second.mjs';
import { startPostgresServer } from '../servers/postgres-server.mjs';
import { compareAtLeast } from '../figures/result.mjs';
import { overTools, ringWalker } from '../sessions/ring-walker.mjs';
import { writeRing } from '../definitions/ring-workflow.mjs';
import { withServers } from '../servers/servers.mjs';

export const name = 'http-postgres';

const sessionCount = 64;
/** Calls in one round of a series. */
const calls = 600;
/** The number of connections of one replica. This is the default of the store. */
const connections = 10;

/** Measures how many sessions per second several servers advance on one Postgres, compared with plain updates. */
export async function run(bench, { servers = 2 } = {}) {
  const postgres = await startPostgresServer(bench.scratch);
  try {
    const updates = await createUpdates(await postgres.database(), {
      connections: servers * connections,
      rows: sessionCount,
    });
    try {
      return await measure(bench, { database: await postgres.database(), movers: updates.movers, servers });
    } finally {
      await updates.close();
    }
  } finally {
    await postgres.remove();
  }
}

async function measure(bench, { database, movers, servers }) {
  const definitions = await writeRing(join(bench.scratch, `${name}-definitions`));
  const replica = () =>
    startOurHttp(bench, definitions, {
      env: { WORKFLOWLOOKUP_DATABASE: database, WORKFLOWLOOKUP_KEYS: 'ab'.repeat(32) },
    });
  const replicas = await Promise.all(Array.from({ length: servers }, replica));
  return withServers(replicas, async () => {
    const clients = Array.from({ length: sessionCount }, (_, at) => openClient(replicas[at % servers]));
    try {
      const walkers = await Promise.all(clients.map(async (client) => walkerOf(await client)));
      const series = await interleave(
        { updates: () => perSecond(movers, calls), advances: () => perSecond(walkers, calls) },
        { rounds: 15, warmUp: 2 },
      );
      return [
        compareAtLeast(
          `calls per second, ${servers} ${servers === 1 ? 'server' : 'servers'}, ${sessionCount} sessions`,
          {
            unit: '/s',
            ours: series.advances,
            baseline: series.updates,
            atLeast: 0.5,
          },
        ),
      ];
    } finally {
      await Promise.all(clients.map(async (client) => (await client).close()));
    }
  });
}

async function openClient({ url }) {
  const headers = await openSession(url);
  return { ...createHttpClient(url), headers };
}

function walkerOf({ tool, headers }) {
  return ringWalker(overTools((called, args) => tool(called, args, headers)));
}
