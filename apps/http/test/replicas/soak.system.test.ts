import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openAgent } from './http-agent.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import { patienceMs, rounds } from './rounds.ts';
import { slopeOf } from './slope.ts';
import type { Holding } from './soaked-server.ts';
import { soakedServer } from './soaked-server.ts';
import type { Tally } from './tally.ts';
import { countsOf, insist, newTally } from './tally.ts';
import type { Send } from './walks.ts';
import { beginWalk, moveOn } from './walks.ts';

const agents = 50;
const movesOfSession = 16;

/** Longest pause of an agent between two calls; the average is half of it. */
const thinkMs = 2000;

/** Maximum number of MCP sessions. It is small, so that the memory of abandoned sessions soon reaches its limit. */
const liveSessions = 100;

const server = soakedServer(['--max-sessions', String(liveSessions)]);

interface Coming extends Tally {
  sessions: number;
}

/**
 * Runs sessions one after the other, with moves, reads and a refused call. Every third has an open stream, and every
 * tenth is never ended.
 */
async function workOn(index: number, tally: Coming): Promise<void> {
  const url = server.url();
  while (!tally.isOver) {
    const agent = await openAgent(url, index % 2 === 0 ? 'legacy' : 'modern');
    const send: Send = async (name, args) => {
      await setTimeout(thinkMs * Math.random());
      return insist(tally, { agent, target: server.url, name, args });
    };
    const leave = tally.sessions % 3 === 0 ? await agent.listen(url) : () => undefined;
    let walk = await beginWalk(send);
    for (let move = 0; move < movesOfSession && !tally.isOver; move += 1) {
      walk = await moveOn(walk, send);
      if (move % 4 === 0) await send('get_activity', { session_token: walk.token });
    }
    expect((await send('get_activity', { session_token: 'wl_nobody' })).error).toBe('TOKEN_INVALID');
    leave();
    tally.sessions += 1;
    if (tally.sessions % 10 !== 0) await agent.end(url);
  }
}

/** The resources of a server, and the number of calls until then. */
interface Sample extends Holding {
  readonly calls: number;
}

const largest = (samples: readonly Sample[], of: (sample: Sample) => number): number =>
  Math.max(...samples.map(of));

/**
 * Runs the agents for this time. Returns the samples of the last two thirds, because memory grows while the server
 * warms up.
 */
async function soak(forMs: number): Promise<readonly Sample[]> {
  const tally: Coming = { ...newTally(), sessions: 0 };
  const working = Promise.all(Array.from({ length: agents }, (_, index) => workOn(index, tally)));
  const samples: Sample[] = [];
  const until = performance.now() + forMs;
  while (samples.length < 6 || performance.now() < until) {
    await Promise.race([working, setTimeout(forMs / 60)]);
    samples.push({ calls: tally.done, ...(await server.holding()) });
  }
  tally.isOver = true;
  await working;
  const judged = samples.slice(samples.length / 3);
  printFigures('soak', {
    seconds: forMs / 1000,
    calls: tally.done,
    refusals: countsOf(tally.refusals),
    'slowest answer (ms)': tally.slowestMs,
    sessions: tally.sessions,
    'heap (MB)': largest(judged, ({ heapBytes }) => heapBytes) / 1e6,
    'growth of the heap in the last two thirds (MB)': growthOf(judged) / 1e6,
    'resident (MB)': largest(judged, ({ residentBytes }) => residentBytes) / 1e6,
    'open files': `${judged[0]?.files} to ${judged.at(-1)?.files}`,
    'most connections': largest(judged, ({ sockets }) => sockets),
    'largest journal (kB)': largest(judged, ({ journalBytes }) => journalBytes) / 1e3,
  });
  return judged;
}

/** Returns the growth of the heap in bytes, from a line through all samples. */
function growthOf(samples: readonly Sample[]): number {
  const calls = (samples.at(-1)?.calls ?? 0) - (samples[0]?.calls ?? 0);
  return slopeOf(samples.map((sample) => [sample.calls, sample.heapBytes])) * calls;
}

/** Expects few open files, connections and journal bytes. Some files, such as the journal, are open only at times. */
function expectBounded(samples: readonly Sample[]): void {
  const files = samples.map((sample) => sample.files);
  expect(Math.max(...files) - Math.min(...files), 'open files').toBeLessThanOrEqual(3);
  expect(largest(samples, ({ sockets }) => sockets)).toBeLessThan(3 * agents);
  expect(largest(samples, ({ journalBytes }) => journalBytes)).toBeLessThan(4_000_000);
}

test(
  `${agents} agents that connect and disconnect leave no file, stream or session behind`,
  async () => {
    expectBounded(await soak(10_000));
    await expect.poll(() => server.metric('streams'), { timeout: 10_000 }).toBe(0);
    expect(await server.metric('sessions')).toBeLessThanOrEqual(liveSessions);
  },
  patienceMs,
);

test(
  `The memory of a server with ${agents} active agents does not grow for hours`,
  async (context) => {
    if (rounds.soakMs === 0)
      context.skip('in the short form, the memory still grows while the server warms up');
    const samples = await soak(rounds.soakMs);
    expectBounded(samples);
    expect(growthOf(samples)).toBeLessThan(0.1 * largest(samples, ({ heapBytes }) => heapBytes));
  },
  rounds.soakMs + patienceMs,
);
