import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { HttpAgent, HttpAnswer } from './http-agent.ts';
import { noAnswer, openAgent } from './http-agent.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import type { Replica } from '../support/replica.ts';
import { portOf } from '../support/replica.ts';
import { replicaPlace } from './replica-place.ts';
import { patienceMs, rounds } from './rounds.ts';
import { countsOf } from './tally.ts';
import type { Send } from './walks.ts';
import { beginWalk, expectKept, movesOf, walkOn } from './walks.ts';

const place = replicaPlace();
const agents = 12;

/** What the agents counted during the test. */
interface Tally {
  calls: number;
  /** Number of calls without an answer, by reason. */
  readonly unanswered: Map<string, number>;
  /** Number of calls that were repeated after they had been answered. */
  repeated: number;
  isOver: boolean;
}

/**
 * Returns an agent that sends its calls to one replica, and repeats a call at the other one if there is no answer.
 * After such a switch, and often without one, it repeats a move at the other replica, which must give the same answer.
 */
function insistent(agent: HttpAgent, urls: readonly [string, string], tally: Tally): Send {
  let at: 0 | 1 = Math.random() < 0.5 ? 0 : 1;

  async function untilAnswered(name: string, args: object): Promise<HttpAnswer> {
    for (;;) {
      const answer = await agent.call(urls[at], name, args).catch(noAnswer);
      if (typeof answer !== 'string') return answer;
      tally.unanswered.set(answer, (tally.unanswered.get(answer) ?? 0) + 1);
      at = at === 0 ? 1 : 0;
      await setTimeout(5);
    }
  }

  return async (name, args) => {
    tally.calls += 1;
    const before = at;
    const answer = await untilAnswered(name, args);
    if (name === 'next_activity' && (at !== before || tally.calls % 8 === 0)) {
      at = at === 0 ? 1 : 0;
      expectSame(answer, await untilAnswered(name, args));
      tally.repeated += 1;
    }
    return answer;
  };
}

function expectSame({ text, token }: HttpAnswer, again: HttpAnswer): void {
  expect(again, again.raw).toMatchObject({ status: 200, error: '', text, token });
}

test(
  `${rounds.kills} replicas that are killed under load lose no answered call, and a repeated call on the other one gets the same answer`,
  async () => {
    const replicas: [Replica, Replica] = [await place.start(0), await place.start(1)];
    const urls = [replicas[0].url, replicas[1].url] as const;
    const tally: Tally = { calls: 0, unanswered: new Map(), repeated: 0, isOver: false };
    const walking = Promise.all(
      Array.from({ length: agents }, async (_, index) => {
        const agent = await openAgent(urls[0], index % 2 === 0 ? 'legacy' : 'modern');
        const send = insistent(agent, urls, tally);
        return walkOn(send, await beginWalk(send), tally);
      }),
    );
    for (let kill = 0; kill < rounds.kills; kill += 1) {
      const which = kill % 2 === 0 ? 0 : 1;
      const enough = tally.calls + 4 * agents;
      while (tally.calls < enough) await Promise.race([walking, setTimeout(5)]);
      await setTimeout(Math.random() * 100);
      await replicas[which].kill();
      replicas[which] = await place.start(which, portOf(replicas[which]));
    }
    tally.isOver = true;
    const walks = await walking;
    const store = place.store();
    await expectKept(store, walks);
    await store.close();
    printFigures('killed replica', {
      kills: rounds.kills,
      calls: tally.calls,
      'moves kept': movesOf(walks),
      'calls without an answer': countsOf(tally.unanswered),
      'calls repeated after an answer': tally.repeated,
    });
    expect(tally.unanswered.size, 'reasons for no answer').toBeGreaterThan(0);
    expect(tally.repeated).toBeGreaterThan(rounds.kills);
  },
  patienceMs,
);
