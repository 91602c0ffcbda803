import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { openAgent } from './http-agent.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import type { Replica } from '../support/replica.ts';
import { replicaPlace } from './replica-place.ts';
import { rounds } from './rounds.ts';
import type { Tally } from './tally.ts';
import { countsOf, insist, newTally } from './tally.ts';
import type { Send, Walk } from './walks.ts';
import { beginWalk, expectKept, keptOutputs, moveOn, walkOn } from './walks.ts';

const place = replicaPlace();

/** A call waits at most 5 s for a connection and 12 s for a statement before it is refused. */
const longestMs = 20_000;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  replicas = await Promise.all([place.start(0), place.start(1)]);
});

/** Opens an agent that sends each attempt to a randomly chosen replica. */
async function openInsistent(tally: Tally, index: number): Promise<Send> {
  const agent = await openAgent(replicas[0].url, index % 2 === 0 ? 'legacy' : 'modern');
  const target = (): string => replicas[Math.random() < 0.5 ? 0 : 1].url;
  return (name, args) => insist(tally, { agent, target, name, args });
}

/** Moves a session that other agents move at the same time. Returns the outputs that were accepted. */
async function walkTogether(send: Send, { token }: Walk, tally: Tally): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (let known = token; !tally.isOver;) {
    const status = await send('get_workflow_status', { session_token: known });
    const { current_activity: from } = JSON.parse(status.text) as { current_activity: 'there' | 'back' };
    const output = `${from} ${Math.random()}`;
    const move = await send('next_activity', {
      session_token: status.token,
      activity_id: from === 'there' ? 'back' : 'there',
      step_manifest: [{ step_id: `run-${from}`, output }],
    });
    expect(['', 'SESSION_CONFLICT'], move.raw).toContain(move.error);
    if (move.error === '') acknowledged.push(output);
    known = move.token;
  }
  return acknowledged;
}

/**
 * Polls `/readyz` of both replicas until the test is over. Each answer must be 200 or 503. Returns the statuses seen.
 */
async function watchReadiness(tally: Tally): Promise<ReadonlySet<number>> {
  const seen = new Set<number>();
  while (!tally.isOver) {
    for (const replica of replicas) {
      const startMs = performance.now();
      const { status } = await replica.get('/readyz');
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startMs);
      expect([200, 503]).toContain(status);
      seen.add(status);
    }
    await setTimeout(50);
  }
  return seen;
}

/**
 * Runs agents at both replicas during repeated outages of the database. No move may be lost or doubled, and no call may
 * hang.
 */
async function expectNothingLost(what: string, happen: () => Promise<void>): Promise<ReadonlySet<number>> {
  const tally = newTally();
  const sends = await Promise.all(Array.from({ length: 12 }, (_, index) => openInsistent(tally, index)));
  const walks = await Promise.all(sends.map((send) => beginWalk(send)));
  const shared = await moveOn(await beginWalk(sends[0] as Send), sends[0] as Send);
  const alone = Promise.all(sends.slice(0, 8).map((send, at) => walkOn(send, walks[at] as Walk, tally)));
  const together = Promise.all(sends.slice(8).map((send) => walkTogether(send, shared, tally)));
  const readiness = watchReadiness(tally);
  const until = performance.now() + rounds.outageMs;
  let times = 0;
  for (; times < 3 || performance.now() < until; times += 1) await happen();
  tally.isOver = true;

  const store = place.store();
  await expectKept(store, await alone);
  const acknowledged = (await together).flat();
  expect((await keptOutputs(store, shared.sid)).toSorted()).toEqual(acknowledged.toSorted());
  await store.close();
  printFigures(what, {
    times,
    'calls done': tally.done,
    'moves of a shared session': acknowledged.length,
    refusals: countsOf(tally.refusals),
    'slowest answer (ms)': tally.slowestMs,
  });
  expect(tally.slowestMs).toBeLessThan(longestMs);
  expect(tally.refusals.size, 'kinds of refusal').toBeGreaterThan(0);
  return readiness;
}

const ends = `
  SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
  WHERE application_name = 'workflowlookup'`;

describe('Agents at two replicas lose nothing, repeat nothing and get errors that allow a retry', () => {
  test(
    'while the connections to Postgres are ended under load',
    async () => {
      let ended = 0;
      await expectNothingLost('ended connections', async () => {
        await setTimeout(300 + Math.random() * 600);
        const [row] = await place.postgres().run(place.database(), ends);
        ended += Number(row?.['ended']);
      });
      expect(ended).toBeGreaterThan(10);
    },
    rounds.outageMs + 120_000,
  );

  test(
    'while Postgres is stopped and restarted, which /readyz reports',
    async () => {
      const seen = await expectNothingLost('stopped Postgres', async () => {
        await setTimeout(300 + Math.random() * 1_000);
        await place.postgres().stop('immediate');
        await setTimeout(Math.random() * 1_000);
        await place.postgres().start();
      });
      expect(seen).toEqual(new Set([200, 503]));
    },
    rounds.outageMs + 120_000,
  );
});
