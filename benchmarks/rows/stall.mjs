import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { costlyDefinition, costlyRequests } from '../costly.mjs';
import { writeDefinitions, midway } from '../definitions.mjs';
import { createHttpClient } from '../http-client.mjs';
import { startOurHttp } from '../http-servers.mjs';
import { compare, informative } from '../result.mjs';
import { withServers } from '../servers.mjs';
import { writeFile } from 'node:fs/promises';

export const name = 'stall';

/** How long the server is attacked; a minute, or as many seconds as `STALL_SECONDS` says. */
const seconds = Number(process.env.STALL_SECONDS ?? 60);
const attackBytes = 64_000_000;

/** One principal sends 64 MB of the worst there is while another one works: how long the event loop is kept, and how long the other waits. */
export async function run(bench) {
  const definitions = await writeDefinitions(join(bench.scratch, `${name}-definitions`), 10);
  await writeFile(join(definitions, 'costly.json'), JSON.stringify(costlyDefinition));
  const state = join(bench.scratch, 'http-state');
  const keyOf = (principal) =>
    execFileSync(
      process.execPath,
      [bench.httpFile, 'keys', 'create', '--principal', principal, '--scope', 'read', '--state', state],
      { encoding: 'utf8' },
    ).trim();
  const [attacker, other] = ['attacker', 'other'].map(keyOf);
  const server = await startOurHttp(bench, definitions, { flags: ['--auth', 'keys', '--rate-limit', '0'] });
  return withServers({ server }, () => measure(server, { attacker, other }));
}

async function measure({ url }, keys) {
  const quiet = await worked(url, keys.other, Date.now() + Math.min(10, seconds) * 1000);
  await blockedMs(url, keys.other);
  const endMs = Date.now() + seconds * 1000;
  const [busy, sent, blocked] = await Promise.all([
    worked(url, keys.other, endMs),
    attack(url, keys.attacker, endMs),
    watchedUntil(url, keys.other, endMs),
  ]);
  console.error(
    `sent ${(sent.bytes / 1e6).toFixed(1)} MB in ${sent.count} requests: ${JSON.stringify(sent.answers)}`,
  );
  return [
    compare('workflow_next of others while one sends the worst', {
      unit: 'ms',
      ours: busy,
      baseline: quiet,
      note: 'the baseline is the same server before',
    }),
    {
      ...informative('longest wait of the event loop meanwhile', {
        unit: 'ms',
        ours: [Math.max(...blocked)],
      }),
      bound: '≤ 100 ms',
      holds: Math.max(...blocked) <= 100,
    },
    informative('longest workflow_next of others meanwhile', { unit: 'ms', ours: [Math.max(...busy)] }),
  ];
}

/** How long each call of somebody else takes, one after the other. */
async function worked(url, key, endMs) {
  const client = createHttpClient(url);
  const headers = {
    authorization: `Bearer ${key}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'workflow_next',
  };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'stall', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = client.prepare(
    { id: 1, method: 'tools/call', params: { name: 'workflow_next', arguments: midway(1), _meta: meta } },
    headers,
  );
  const times = [];
  while (Date.now() < endMs) {
    const start = performance.now();
    await client.send(call);
    times.push(performance.now() - start);
    await pause(20);
  }
  await client.close();
  return times;
}

/** Sends costly requests, eight at once, as evenly as the bytes allow. */
async function attack(url, key, endMs) {
  const { origin } = new URL(url);
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const token = await signedIn(origin, key);
  const requests = costlyRequests(key, token);
  const startMs = Date.now();
  const sent = { bytes: 0, count: 0, answers: {} };
  const next = async (lane) => {
    for (let at = lane; Date.now() < endMs; at += 8) {
      const { what, path, headers, body } = requests[at % requests.length];
      const share = ((Date.now() - startMs) / (endMs - startMs)) * attackBytes;
      if (sent.bytes + body.length > share) {
        await pause(10);
        at -= 8;
        continue;
      }
      sent.bytes += body.length;
      sent.count += 1;
      const answer = await fetch(origin + path, { method: 'POST', headers, body, dispatcher }).catch(
        (error) => ({ status: error.cause?.code ?? error.message }),
      );
      const text = (await answer.text?.()) ?? '';
      const code = /"(?:name|code)":"([A-Z_]+)"/.exec(text)?.[1] ?? '';
      const outcome = `${what} ${answer.status} ${code}`.trim();
      sent.answers[outcome] = (sent.answers[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, lane) => next(lane)));
  await dispatcher.destroy();
  return sent;
}

async function signedIn(origin, key) {
  const response = await fetch(`${origin}/console/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ key }),
  });
  return (await response.json()).token;
}

/** The longest waits of the event loop, one for each look at it. */
async function watchedUntil(url, key, endMs) {
  const found = [];
  while (Date.now() < endMs) {
    await pause(1000);
    found.push(await blockedMs(url, key));
  }
  return found;
}

/** The longest wait since the last look, in milliseconds. */
async function blockedMs(url, key) {
  const page = await (
    await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${key}` } })
  ).text();
  return Number(/^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(page)?.[1]) * 1000;
}
