import { join } from 'node:path';
import { createUpdates } from '../baseline-updates.mjs';
import { createHttpClient, openSession } from '../http-client.mjs';
import { startOurHttp } from '../http-servers.mjs';
import { interleave } from '../interleave.mjs';
import { perSecond } from '../per-second.mjs';
import { startPostgresServer } from '../postgres-server.mjs';
import { compareAtLeast } from '../result.mjs';
import { overTools, ringWalker } from '../ring-walker.mjs';
import { writeRing } from '../ring-workflow.mjs';
import { withServers } from '../servers.mjs';

export const name = 'http-postgres';

const sessionCount = 64;
/** Calls in one round of a series. */
const calls = 600;
/** Connections of one replica, which is the default of the store. */
const connections = 10;

/** How many sessions two servers over one Postgres move on, beside the floor of that database. */
export async function run(bench) {
  const postgres = await startPostgresServer(bench.scratch);
  try {
    const updates = await createUpdates(await postgres.database(), {
      connections: 2 * connections,
      rows: sessionCount,
    });
    try {
      return await measure(bench, await postgres.database(), updates.movers);
    } finally {
      await updates.close();
    }
  } finally {
    await postgres.remove();
  }
}

async function measure(bench, database, movers) {
  const definitions = await writeRing(join(bench.scratch, `${name}-definitions`));
  const replica = () =>
    startOurHttp(bench, definitions, {
      env: { WORKFLOWLOOKUP_DATABASE: database, WORKFLOWLOOKUP_KEYS: 'ab'.repeat(32) },
    });
  return withServers({ one: await replica(), other: await replica() }, async ({ one, other }) => {
    const clients = Array.from({ length: sessionCount }, (_, at) => (at % 2 === 0 ? one : other)).map(
      openClient,
    );
    try {
      const walkers = await Promise.all(clients.map(async (client) => walkerOf(await client)));
      const series = await interleave(
        { updates: () => perSecond(movers, calls), advances: () => perSecond(walkers, calls) },
        { rounds: 15, warmUp: 2 },
      );
      return [
        compareAtLeast(`HTTP and Postgres, 2 servers: advances a second, ${sessionCount} sessions`, {
          unit: '/s',
          ours: series.advances,
          baseline: series.updates,
          atLeast: 0.5,
        }),
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
