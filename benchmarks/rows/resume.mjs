import { join } from 'node:path';
import { bundledWalks } from '../sessions/bundled-walks.mjs';
import { interleave } from '../figures/interleave.mjs';
import { makeLongSession } from '../sessions/long-journal.mjs';
import { compare, exactly } from '../figures/result.mjs';
import { writeRing } from '../definitions/ring-workflow.mjs';
import { startBundled, startOurs, withServers } from '../servers/servers.mjs';
import { askingNobody, withPerson } from '../sessions/session-person.mjs';
import { walkSession } from '../sessions/session-walk.mjs';
import { median } from '../figures/statistics.mjs';
import { sessionTokenOf } from '../clients/stdio-client.mjs';
import { countTokens } from '../figures/tokens.mjs';

export const name = 'resume';

/** `discover` lists this many other sessions besides the one that the agent resumes. */
const otherSessions = 9;

const sizes = { short: 10, long: 100_000 };

/**
 * Measures how much an agent reads to resume after it lost its context, and that a long journal does not change this.
 */
export async function run(bench) {
  return [...(await measureBundled(bench)), ...(await measureLengths(bench))];
}

/**
 * Walks through each bundled workflow and measures after every write how much an agent would read to resume: with its
 * token, and with no knowledge at all. Reports the largest values.
 */
async function measureBundled(bench) {
  const walks = await bundledWalks();
  const stateDirectory = join(bench.scratch, name);
  const server = startBundled(bench, askingNobody(stateDirectory));
  const options = { server, stateDirectory, workingDirectory: bench.scratch };
  return withPerson(options, async (sessions) => {
    for (let others = 0; others < otherSessions; others += 1)
      await server.tool('start_session', { agent_id: 'agent', workflow_id: walks[0].id });
    let worst = { packet: 0, fromNothing: 0 };
    for (const walk of walks)
      await walkSession(
        lookingBack(server, (found) => (worst = worseOf(worst, found))),
        sessions,
        walk,
      );
    return [
      packetRow('bundled workflows: get_workflow_status', worst, ['packet', 1000]),
      packetRow('bundled workflows: all three calls', worst, ['fromNothing', 1500]),
    ];
  });
}

function worseOf(one, other) {
  return {
    packet: Math.max(one.packet, other.packet),
    fromNothing: Math.max(one.fromNothing, other.fromNothing),
  };
}

function packetRow(what, worst, [figure, most]) {
  return exactly(what, {
    unit: 'tokens',
    value: worst[figure],
    bound: `≤ ${most.toLocaleString('en')}`,
    holds: worst[figure] <= most,
    note: 'the most after any write of any walk through the bundled activity workflows, with ten open sessions',
  });
}

/** Wraps a server. After every write, it measures what an agent without context would have to read. */
function lookingBack(server, found) {
  return {
    ...server,
    async tool(tool, args) {
      const reply = await server.tool(tool, args);
      if (writes.has(tool)) found(await packetOf(server, sessionTokenOf(reply)));
      return reply;
    },
  };
}

const writes = new Set(['next_activity', 'yield_checkpoint', 'respond_checkpoint']);

async function packetOf(server, token) {
  const status = await textOf(server, 'get_workflow_status', { session_token: token });
  const discovered = await textOf(server, 'discover', {});
  const [sid] = /(?<=\bsession_id[^]*?)\b[0-9a-f]{20}\b/.exec(discovered) ?? [];
  const taken = await textOf(server, 'start_session', { agent_id: 'agent', session_token: sid ?? token });
  const packet = await countTokens(status);
  return { packet, fromNothing: packet + (await countTokens(discovered)) + (await countTokens(taken)) };
}

async function textOf(server, tool, args) {
  return (await server.tool(tool, args)).result.content[0].text;
}

/** Measures the same three calls in a session with 10 events and in one with 100,000 events. */
async function measureLengths(bench) {
  const definitions = await writeRing(join(bench.scratch, `${name}-ring`));
  const made = {};
  for (const [size, events] of Object.entries(sizes))
    made[size] = await makeLongSession(join(bench.scratch, `${name}-${size}`), {
      ...bench,
      definitions,
      events,
    });
  const servers = {
    short: startOurs(bench, definitions, ['--state', made.short.state]),
    long: startOurs(bench, definitions, ['--state', made.long.state]),
  };
  return withServers(servers, async ({ short, long }) => {
    for (const server of [short, long]) await server.open();
    const series = await interleave(
      { short: () => resume(short, made.short), long: () => resume(long, made.long) },
      { rounds: 15, warmUp: 2 },
    );
    return [timeRow(series), await sizeRow(series)];
  });
}

async function resume(server, { sid, token }) {
  const times = [];
  let texts = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const replies = [
      await server.tool('discover', {}),
      await server.tool('start_session', { agent_id: 'agent', session_token: sid }),
      await server.tool('get_workflow_status', { session_token: token }),
    ];
    times.push(replies.reduce((sum, { ms }) => sum + ms, 0));
    texts = replies.map(({ result }) => result.content[0].text);
  }
  return { ms: median(times), text: texts.join('\n') };
}

function timeRow({ short, long }) {
  return compare('time, 100,000 events; baseline: 10', {
    unit: 'ms',
    ours: long.map(({ ms }) => ms),
    baseline: short.map(({ ms }) => ms),
    atMost: 2,
  });
}

async function sizeRow({ short, long }) {
  const [ours, baseline] = await Promise.all([long, short].map((series) => countTokens(series.at(-1).text)));
  const row = compare('tokens, 100,000 events; baseline: 10', {
    unit: 'tokens',
    ours: [ours],
    baseline: [baseline],
    atMost: 2,
  });
  return { ...row, exact: true };
}
