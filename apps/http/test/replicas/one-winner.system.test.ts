import { beforeAll, expect, test } from 'vitest';
import { moveFrom, placeAt } from '../../../stdio/test/support/relay-workflow.ts';
import { outputsOf, wholeJournalIn } from '../../../stdio/test/support/whole-journal.ts';
import type { HttpAgent, HttpAnswer } from './http-agent.ts';
import { openAgent } from './http-agent.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import type { Replica } from '../support/replica.ts';
import { replicaPlace } from './replica-place.ts';
import { patienceMs, rounds } from './rounds.ts';

const place = replicaPlace();
const clients = 32;

/** An agent, and the replica that it calls. */
interface Racer {
  readonly agent: HttpAgent;
  readonly replica: Replica;
}

let racers: readonly Racer[];

beforeAll(async () => {
  const replicas = await Promise.all([place.start(0), place.start(1)]);
  racers = await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const replica = replicas[index % 2] as Replica;
      // Half of the clients of each replica use the older protocol revision.
      const agent = await openAgent(replica.url, index % 4 < 2 ? 'legacy' : 'modern');
      return { agent, replica };
    }),
  );
});

/** Calls `next_activity` from all clients at once, with the same token. */
function race(token: string, argsOf: (racer: number) => object): Promise<readonly HttpAnswer[]> {
  return Promise.all(
    racers.map(({ agent, replica }, index) =>
      agent.call(replica.url, 'next_activity', { session_token: token, ...argsOf(index) }),
    ),
  );
}

/** A completed race. */
interface Race {
  readonly revision: number;
  readonly isSame: boolean;
  readonly answers: readonly HttpAnswer[];
}

/** Checks that one client moved the session and the others got a conflict, or that all got the same result. Returns a winner. */
function expectOneMove({ revision, isSame, answers }: Race): number {
  const won = answers.flatMap(({ error }, racer) => (error === '' ? [racer] : []));
  const what = `round ${revision}: ${answers.map(({ raw }) => raw).join('\n')}`;
  expect(new Set(answers.map(({ status }) => status)), what).toEqual(new Set([200]));
  expect(won, what).toHaveLength(isSame ? clients : 1);
  expect(new Set(won.map((racer) => answers[racer]?.text)).size, what).toBe(1);
  expect(answers[won[0] ?? -1]?.text, what).toContain(`"activity_id":"${placeAt(revision + 1)}"`);
  const refusals = answers.flatMap(({ error }) => (error === '' ? [] : [error]));
  expect(refusals, what).toEqual(refusals.map(() => 'SESSION_CONFLICT'));
  expect(new Set(answers.map(({ token }) => token)).size, what).toBe(1);
  return won[0] ?? -1;
}

test(
  `One of ${clients} clients of two replicas wins each of ${rounds.race} races, and the same call of all is one event`,
  async () => {
    const [first] = racers as [Racer];
    const begin = { agent_id: 'agent', workflow_id: 'relay' };
    const begun = await first.agent.call(first.replica.url, 'start_session', begin);
    let { token } = begun;
    const written: string[][] = [[], []];
    const wins: [number, number] = [0, 0];
    const startMs = performance.now();
    let races = 0;
    for (let revision = 1; races < rounds.race; revision += 1) {
      // The first move has no manifest, so it is the same for all.
      const isSame = revision === 1 || revision % 5 === 0;
      const outputOf = (racer: number): string => `${isSame ? 'all' : racer} ${revision}`;
      const answers = await race(token, (racer) => moveFrom(revision, outputOf(racer)));
      const winner = expectOneMove({ revision, isSame, answers });
      if (revision > 1) written.push([outputOf(winner)]);
      if (!isSame) {
        races += 1;
        wins[winner % 2 === 0 ? 0 : 1] += 1;
      }
      // Continue with the token of a client that lost: it must be able to write.
      token = (answers.find(({ error }) => error !== '') ?? answers[0])?.token ?? '';
    }
    const { session_id: sid } = JSON.parse(begun.text) as { session_id: string };
    const events = await wholeJournalIn(place.store(), sid);
    expect(events.map(outputsOf)).toEqual(written);
    expect(Math.min(...wins), 'races won at the replica that won fewer').toBeGreaterThan(0);
    printFigures('one winner', {
      clients,
      races,
      events: events.length,
      'won at each replica': wins.join(' and '),
      seconds: (performance.now() - startMs) / 1000,
    });
  },
  patienceMs,
);
