import { join } from 'node:path';
import { bundleBaseline } from '../baselines/bundle-baseline.mjs';
import { writeDefinitions } from '../definitions/definitions.mjs';
import { httpCalls } from '../clients/http-calls.mjs';
import { asked, openCrowd } from '../clients/http-crowd.mjs';
import { startHttpServer, startOurHttp } from '../servers/http-servers.mjs';
import { interleave } from '../figures/interleave.mjs';
import { whyNoProc } from '../figures/process-figures.mjs';
import { compareAtLeast, compare } from '../figures/result.mjs';
import { withServers } from '../servers/servers.mjs';

export const name = 'http';
export const skipped = whyNoProc;

const clients = 64;
/** Calls in one round of a series. */
const calls = 4000;

/**
 * Measures `workflow_next` over HTTP with parallel clients, compared with the SDK's handlers and with plain node:http.
 */
export async function run(bench) {
  const home = bench.scratch;
  const definitions = await writeDefinitions(join(home, `${name}-definitions`), asked);
  const start = async (source) =>
    startHttpServer([await bundleBaseline(source, join(home, name, source))], { home });
  const [ours, echo, bare] = await Promise.all([
    startOurHttp(bench, definitions),
    start('http-echo.mjs'),
    start('http-bare.mjs'),
  ]);
  return withServers({ ours, echo, bare }, measure);
}

async function measure({ ours, echo, bare }) {
  const crowds = {
    echoInSession: await openCrowd(echo, httpCalls.echoInSession, { clients, path: '/legacy' }),
    nextInSession: await openCrowd(ours, httpCalls.nextInSession, { clients }),
    echoOnItsOwn: await openCrowd(echo, httpCalls.echoOnItsOwn, { clients, path: '/modern' }),
    nextOnItsOwn: await openCrowd(ours, httpCalls.nextOnItsOwn, { clients }),
    bare: await openCrowd(bare, httpCalls.bare, { clients }),
    nextDirect: await openCrowd(ours, httpCalls.nextDirect, { clients }),
  };
  const rounds = Object.entries(crowds).map(([key, crowd]) => [key, () => crowd.measure(calls)]);
  const series = await interleave(Object.fromEntries(rounds), { rounds: 15, warmUp: 2 });
  await Promise.all(Object.values(crowds).map((crowd) => crowd.close()));
  return [
    ...rowsOf('2025-11-25', { ours: series.nextInSession, baseline: series.echoInSession, atLeast: 1 }),
    ...rowsOf('2026-07-28', { ours: series.nextOnItsOwn, baseline: series.echoOnItsOwn, atLeast: 1 }),
    ...rowsOf('direct method', { ours: series.nextDirect, baseline: series.bare, atLeast: 0.3 }),
  ];
}

function rowsOf(what, { ours, baseline, atLeast }) {
  const of = (figure) => ({
    ours: ours.map((round) => round[figure]),
    baseline: baseline.map((round) => round[figure]),
  });
  return [
    compareAtLeast(`${what}: calls per second`, {
      unit: '/s',
      ...of('perSecond'),
      atLeast,
    }),
    compare(`${what}: processor time of a call`, { unit: 'µs', ...of('cpuUs') }),
  ];
}
