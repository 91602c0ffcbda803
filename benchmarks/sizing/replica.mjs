import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createHttpClient, openSession } from '../clients/http-client.mjs';
import { startHttpServer } from '../servers/http-servers.mjs';
import { perSecond } from '../figures/per-second.mjs';
import { startPostgresServer } from '../servers/postgres-server.mjs';
import { residentBytes } from '../figures/process-figures.mjs';
import { overTools, ringWalker } from '../sessions/ring-walker.mjs';
import { writeRing } from '../definitions/ring-workflow.mjs';
import { withServers } from '../servers/servers.mjs';
import { figuresOf } from '../figures/statistics.mjs';
import { bytesText, countText } from './text.mjs';

const sessionCount = 1000;
const walkerCount = 64;
const rounds = 3;
/** The number of sessions or streams that are opened at once. */
const atOnce = 50;

/** Measures the memory and the database connections of a server with Postgres. */
export async function replica(bench) {
  const postgres = await startPostgresServer(bench.scratch);
  try {
    const definitions = await writeRing(join(bench.scratch, 'sizing-replica'));
    const series = [];
    for (let round = 0; round < rounds; round += 1)
      series.push(await measure(bench, { postgres, definitions, database: await postgres.database() }));
    const [settings] = await postgres.run(
      await postgres.database(),
      "SELECT current_setting('max_connections') AS most",
    );
    return { title: 'Memory and connections of a replica', lines: linesOf(series, settings.most), notes: [] };
  } finally {
    await postgres.remove();
  }
}

async function measure({ httpFile, scratch }, { postgres, definitions, database }) {
  const args = ['--port', '0', '--no-user', '--no-project', '--workflows', definitions];
  const env = { WORKFLOWLOOKUP_DATABASE: database, WORKFLOWLOOKUP_KEYS: 'ab'.repeat(32) };
  const server = await startHttpServer([httpFile, ...args], { home: scratch, env });
  return withServers({ server }, async () => {
    const idle = await settledBytes(server);
    const sessions = await openSessions(server.url);
    const live = await settledBytes(server);
    const streams = await inTurns(sessions, (headers) => openStream(server.url, headers));
    const streaming = await settledBytes(server);
    for (const stream of streams) stream.destroy();
    const connections = await connectionsUnderLoad(server.url, { postgres, database });
    return { idle, live, streaming, connections, busy: await settledBytes(server) };
  });
}

/** Returns the resident memory after two seconds, when it has settled. */
async function settledBytes({ pid }) {
  await setTimeout(2000);
  return residentBytes(pid);
}

/** Opens legacy MCP sessions and makes one call in each. */
async function openSessions(url) {
  const client = createHttpClient(url);
  const opened = await inTurns(Array.from({ length: sessionCount }), () => openSession(url));
  for (const headers of opened) await client.tool('discover', {}, headers);
  await client.close();
  return opened;
}

/** Runs a job for each item, only some at once because the server limits parallel requests. */
async function inTurns(many, job) {
  const results = [];
  while (results.length < many.length)
    results.push(...(await Promise.all(many.slice(results.length, results.length + atOnce).map(job))));
  return results;
}

function openStream(url, headers) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { ...headers, accept: 'text/event-stream' } });
    request.once('error', reject);
    request.once('response', (response) => {
      response.on('error', () => {});
      if (response.statusCode === 200) resolve(response.resume());
      else reject(new Error(`A stream was refused: ${response.statusCode}`));
    });
  });
}

/** Returns the largest number of database connections while many sessions advance in parallel. */
async function connectionsUnderLoad(url, { postgres, database }) {
  const clients = Array.from({ length: walkerCount }, () => createHttpClient(url));
  const walkers = await Promise.all(
    clients.map(async ({ tool }) => {
      const headers = await openSession(url);
      return ringWalker(overTools((called, args) => tool(called, args, headers)));
    }),
  );
  let most = 0;
  const done = new AbortController();
  const moving = perSecond(walkers, walkerCount * 20).finally(() => done.abort());
  while (!done.signal.aborted) {
    const [row] = await postgres.run(
      database,
      "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'workflowlookup' AND datname = current_database()",
    );
    most = Math.max(most, Number(row.n));
  }
  await moving;
  await Promise.all(clients.map((client) => client.close()));
  return most;
}

function linesOf(series, mostConnections) {
  const memory = (what, pick) => {
    const { min, median } = figuresOf(series.map(pick));
    return [what, `${bytesText(min)} / ${bytesText(median)}`];
  };
  const each = (what, pick) => {
    const { min, median } = figuresOf(series.map((one) => pick(one) / sessionCount));
    return [what, `${bytesText(min)} / ${bytesText(median)}`];
  };
  const connections = series.map((one) => one.connections);
  return [
    ['', 'minimum / median'],
    memory('resident memory, idle', ({ idle }) => idle),
    memory(`with ${countText(sessionCount)} live MCP sessions`, ({ live }) => live),
    each('of it for each session', ({ live, idle }) => live - idle),
    memory(`with ${countText(sessionCount)} streams open`, ({ streaming }) => streaming),
    each('of it for each stream', ({ streaming, live }) => streaming - live),
    memory(`after ${walkerCount} sessions were advanced in parallel`, ({ busy }) => busy),
    ['most connections to Postgres during that time', countText(Math.max(...connections))],
    ['default max_connections of Postgres', String(mostConnections)],
  ];
}
