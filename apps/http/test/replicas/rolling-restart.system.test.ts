import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noAnswer, openAgent } from './http-agent.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import type { Replica } from '../support/replica.ts';
import { portOf } from '../support/replica.ts';
import { replicaPlace } from './replica-place.ts';
import { patienceMs, rounds } from './rounds.ts';
import { countsOf } from './tally.ts';
import type { Send } from './walks.ts';
import { beginWalk, expectKept, moveOn, movesOf, walkOn } from './walks.ts';

const place = replicaPlace(['--notice-seconds', '1']);

/** The state of a simulated load balancer: its two addresses, and which of them are ready. */
interface Balancer {
  readonly urls: readonly [string, string];
  readonly isReady: [boolean, boolean];
}

/** What the agents counted during the restarts. */
interface Tally {
  calls: number;
  /** Number of retried calls, by reason. */
  readonly retries: Map<string, number>;
  isOver: boolean;
}

/** Updates the load balancer with the answers of `/readyz` at one of its addresses. */
async function watchReadiness({ urls, isReady }: Balancer, which: 0 | 1, tally: Tally): Promise<void> {
  while (!tally.isOver) {
    isReady[which] = (await readinessAt(urls[which])) === 200;
    await setTimeout(50);
  }
}

/** Returns the status of `/readyz` on a new connection, or the reason why there is no answer. */
function readinessAt(url: string): Promise<number | string> {
  const asked = fetch(new URL('/readyz', url), { headers: { connection: 'close' } });
  return asked.then(({ status }) => status, noAnswer);
}

/** Opens an agent that sends each call to the address that `choose` returns, and retries it once. */
async function openBalanced(index: number, tally: Tally, choose: () => string): Promise<Send> {
  const agent = await openAgent(choose(), index % 4 < 2 ? 'legacy' : 'modern');
  return async (name, args) => {
    tally.calls += 1;
    const first = await agent.call(choose(), name, args).catch(noAnswer);
    if (typeof first !== 'string' && first.status !== 503) return first;
    const reason = typeof first === 'string' ? first : 'HTTP 503';
    tally.retries.set(reason, (tally.retries.get(reason) ?? 0) + 1);
    return agent.call(choose(), name, args);
  };
}

/** Returns a function that returns the two addresses alternately. */
function inTurn({ urls }: Balancer): () => string {
  let turn = 0;
  return () => urls[(turn += 1) % 2 === 0 ? 0 : 1];
}

/** Like {@link inTurn}, but skips an address that is not ready. */
function readyInTurn(balancer: Balancer): () => string {
  const next = inTurn(balancer);
  return () => {
    const url = next();
    return balancer.isReady[balancer.urls[0] === url ? 0 : 1] ? url : next();
  };
}

/**
 * Stops a replica. Returns the successive answers of `/readyz` to new connections, up to the first without an answer.
 */
async function stopWatched(replica: Replica): Promise<readonly (number | string)[]> {
  const seen: (number | string)[] = [await readinessAt(replica.url)];
  const stopped = replica.stop();
  while (typeof seen.at(-1) === 'number') {
    const status = await readinessAt(replica.url);
    if (seen.at(-1) !== status) seen.push(status);
    await setTimeout(5);
  }
  expect(await stopped, replica.log()).toBe(0);
  return seen;
}

const newTally = (): Tally => ({ calls: 0, retries: new Map(), isOver: false });

test(
  `${rounds.restarts} restarts of each replica under load lose nothing: behind a balancer no call fails, and otherwise one retry is enough`,
  async () => {
    const replicas: [Replica, Replica] = [await place.start(0), await place.start(1)];
    const balancer: Balancer = { urls: [replicas[0].url, replicas[1].url], isReady: [true, true] };
    const [balanced, blind] = [newTally(), newTally()];
    const watching = Promise.all(([0, 1] as const).map((which) => watchReadiness(balancer, which, balanced)));
    const walking = Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const isBlind = index % 2 === 0;
        const tally = isBlind ? blind : balanced;
        const choose = isBlind ? inTurn(balancer) : readyInTurn(balancer);
        const send = await openBalanced(index, tally, choose);
        return walkOn(send, await beginWalk(send), tally);
      }),
    );
    for (let restart = 0; restart < rounds.restarts; restart += 1)
      for (const which of [0, 1] as const) {
        const other = replicas[1 - which] as Replica;
        while ((await readinessAt(other.url)) !== 200 || !balancer.isReady[1 - which]) await setTimeout(20);
        const replica = replicas[which];
        // A connection that was not accepted before the port closed is reset. A later one is refused.
        expect(await stopWatched(replica)).toEqual([200, 503, expect.stringMatching(/^ECONNRE(SET|FUSED)$/)]);
        replicas[which] = await place.start(which, portOf(replica));
      }
    [balanced.isOver, blind.isOver] = [true, true];
    await watching;
    const walks = await walking;
    const store = place.store();
    await expectKept(store, walks);
    await store.close();
    printFigures('rolling restart', {
      restarts: 2 * rounds.restarts,
      'calls behind a balancer': balanced.calls,
      'retries behind a balancer': countsOf(balanced.retries),
      'calls without a balancer': blind.calls,
      'retries without a balancer': countsOf(blind.retries),
      'moves kept': movesOf(walks),
    });
    expect(countsOf(balanced.retries)).toBe('none');
    for (const reason of blind.retries.keys())
      expect(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'HTTP 503']).toContain(reason);
    expect(blind.retries.size, 'reasons for a retry').toBeGreaterThan(0);
  },
  patienceMs,
);

test('A replica that cannot write its remaining data exits with 1 and an error', async () => {
  const replica = await place.start(0);
  const agent = await openAgent(replica.url, 'modern');
  const send: Send = (name, args) => agent.call(replica.url, name, args);
  const walk = await moveOn(await beginWalk(send), send);
  await place.postgres().run(place.database(), 'DROP TABLE workflowlookup.calls');
  // The server writes the record of a call together with the next event. This call writes no event, so its record is
  // left for the end.
  const { error, raw } = await send('get_workflow_status', { session_token: walk.token });
  expect(error, raw).toBe('');
  expect(await replica.stop()).toBe(1);
  expect(replica.log()).toMatch(/"level":"error","event":"close"/);
});
