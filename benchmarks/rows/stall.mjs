import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { costlyDefinition, costlyRequests, longDefinition } from '../definitions/costly.mjs';
import { writeDefinitions, midway } from '../definitions/definitions.mjs';
import { createHttpClient } from '../clients/http-client.mjs';
import { startOurHttp } from '../servers/http-servers.mjs';
import { compare, informative } from '../figures/result.mjs';
import { withServers } from '../servers/servers.mjs';

export const name = 'stall';

/** The duration of the attack in seconds: 60, or the value of `STALL_SECONDS`. */
const seconds = Number(process.env.STALL_SECONDS ?? 60);
const attackBytes = 64_000_000;

/** A value for `--rate-limit`. Without it, the default limit of the server applies; 0 turns the limit off. */
const rate = process.env.STALL_RATE;

/**
 * Lets one principal send 64 MB of expensive requests, one kind after the other, while another one works. Measures how
 * long the event loop is blocked, and how long the other principal waits.
 */
export async function run(bench) {
  const definitions = await writeDefinitions(join(bench.scratch, `${name}-definitions`), 10);
  for (const definition of [costlyDefinition, longDefinition])
    await writeFile(join(definitions, `${definition.id}.json`), JSON.stringify(definition));
  const state = join(bench.scratch, 'http-state');
  const scopes = ['--scope', 'read', '--scope', 'write'];
  const keyOf = (principal) =>
    execFileSync(
      process.execPath,
      [bench.httpFile, 'keys', 'create', '--principal', principal, ...scopes, '--state', state],
      { encoding: 'utf8' },
    ).trim();
  const [attacker, other] = ['attacker', 'other'].map(keyOf);
  const flags = ['--auth', 'keys', ...(rate === undefined ? [] : ['--rate-limit', rate])];
  const server = await startOurHttp(bench, definitions, { flags });
  return withServers({ server }, () => measure(server, { attacker, other }));
}

async function measure({ url }, keys) {
  const { origin } = new URL(url);
  const kinds = await costlyRequests(origin, keys.attacker);
  const quiet = await worked(url, keys.other, Date.now() + Math.min(10, seconds) * 1000);
  await blockedMs(url, keys.other);
  const results = [];
  for (const [kind, next] of Object.entries(kinds)) {
    const share = {
      bytes: attackBytes / Object.keys(kinds).length,
      seconds: seconds / Object.keys(kinds).length,
    };
    const endMs = Date.now() + share.seconds * 1000;
    const [busy, sent, blocked] = await Promise.all([
      worked(url, keys.other, endMs),
      attack(origin, next, { ...share, endMs }),
      watchedUntil(url, keys.other, endMs),
    ]);
    console.error(
      `${kind}: ${(sent.bytes / 1e6).toFixed(1)} MB in ${sent.count} requests: ${JSON.stringify(sent.answers)}`,
    );
    results.push(...resultsOf(kind, { quiet, busy, blocked }));
  }
  return results;
}

function resultsOf(kind, { quiet, busy, blocked }) {
  const longest = Math.max(...blocked);
  const sorted = busy.toSorted((one, other) => one - other);
  const slow = sorted[Math.floor(sorted.length * 0.99)];
  return [
    {
      ...informative(`${kind}: longest block of the event loop`, { unit: 'ms', ours: [longest] }),
      bound: '≤ 100 ms',
      holds: longest <= 100,
    },
    compare(`${kind}: calls of another principal`, {
      unit: 'ms',
      ours: busy,
      baseline: quiet,
      atMost: 3,
      note: `1 of 100 took ${slow.toFixed(0)} ms or more, the longest ${sorted.at(-1).toFixed(0)} ms; the baseline is the same server before`,
    }),
  ];
}

/** Makes calls as another principal, one after the other, and returns the duration of each. */
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
async function attack(origin, next, { bytes, seconds: during, endMs }) {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const startMs = endMs - during * 1000;
  const sent = { bytes: 0, count: 0, answers: {} };
  const lane = async () => {
    while (Date.now() < endMs) {
      const due = ((Date.now() - startMs) / (during * 1000)) * bytes;
      if (sent.bytes > due) {
        await pause(10);
        continue;
      }
      const { what, path, headers, body } = await next();
      sent.bytes += body.length;
      sent.count += 1;
      const answer = await fetch(origin + path, { method: 'POST', headers, body, dispatcher }).catch(
        (error) => ({ status: error.cause?.code ?? error.message }),
      );
      const text = (await answer.text?.()) ?? '';
      const code = /"(?:name|code)":"([A-Z_]+)"/.exec(text)?.[1] ?? /"code":(-\d+)/.exec(text)?.[1] ?? '';
      const outcome = `${what} ${answer.status} ${code}`.trim();
      sent.answers[outcome] = (sent.answers[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, () => lane()));
  await dispatcher.destroy();
  return sent;
}

/** Reads the longest delay of the event loop once a second until the end. */
async function watchedUntil(url, key, endMs) {
  const found = [];
  while (Date.now() < endMs) {
    await pause(1000);
    found.push(await blockedMs(url, key));
  }
  return found;
}

/** Returns the longest delay of the event loop since the last call, in milliseconds. */
async function blockedMs(url, key) {
  const page = await (
    await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${key}` } })
  ).text();
  return Number(/^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(page)?.[1]) * 1000;
}
