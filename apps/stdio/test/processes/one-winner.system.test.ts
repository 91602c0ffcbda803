import { afterAll, beforeAll, expect, test } from 'vitest';
import { printFigures } from '../../../../test/support/print-figures.ts';
import { buildApp, removeApp } from '../support/built-app.ts';
import type { AgentProcess } from './agent-process.ts';
import { startAgent } from './agent-process.ts';
import { moveFrom, placeAt, relayFiles } from '../support/relay-workflow.ts';
import { patienceMs, rounds } from './rounds.ts';
import type { Answer } from '../support/served-host.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';
import { outputsOf, wholeJournal } from '../support/whole-journal.ts';

let entry: string;
let folder: StateFolder;
let servers: readonly AgentProcess[];

beforeAll(async () => {
  [entry, folder] = await Promise.all([buildApp(), stateFolder(relayFiles)]);
  servers = [1, 2, 3, 4].map(() => startAgent({ entry, flags: folder.flags }));
}, 60_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  await folder.dispose();
  await removeApp(entry);
});

/** Calls `next_activity` at all servers at once, with the same token. */
function race(token: string, argsOf: (server: number) => object): Promise<readonly Answer[]> {
  return Promise.all(
    servers.map((server, index) => server.call('next_activity', { session_token: token, ...argsOf(index) })),
  );
}

/** A completed race. */
interface Race {
  readonly revision: number;
  readonly isSame: boolean;
  readonly answers: readonly Answer[];
}

/**
 * Checks that one server moved the session and the others got a conflict, or, if all calls were the same, that all got
 * the same result. Returns the servers that moved it.
 */
function expectOneMove({ revision, isSame, answers }: Race): readonly number[] {
  const won = answers.flatMap(({ isError }, server) => (isError ? [] : [server]));
  const lost = answers.filter(({ isError }) => isError);
  const what = `round ${revision}: ${answers.map(({ raw }) => raw).join('\n')}`;
  expect(won, what).toHaveLength(isSame ? servers.length : 1);
  expect(new Set(won.map((server) => answers[server]?.text)).size, what).toBe(1);
  expect(answers[won[0] ?? -1]?.json, what).toMatchObject({ activity_id: placeAt(revision + 1) });
  expect(
    lost.map(({ error }) => error),
    what,
  ).toEqual(lost.map(() => 'SESSION_CONFLICT'));
  expect(new Set(answers.map(({ token }) => token)).size, what).toBe(1);
  // Whole words only, because a token may contain these letters.
  expect(what).not.toMatch(/\b(busy|locked)\b/i);
  return won;
}

test(
  `One of four servers wins each of ${rounds.race} races, and the same call to all of them is one event`,
  async () => {
    const started = await servers[0]?.call('start_session', { agent_id: 'agent', workflow_id: 'relay' });
    let token = started?.token ?? '';
    const winners = new Set<number | undefined>();
    const written: string[][] = [[], []];
    for (let revision = 1; revision <= rounds.race; revision += 1) {
      // The first move has no manifest, so it is the same for all.
      const isSame = revision % 2 === 0 || revision === 1;
      const outputOf = (server: number | undefined): string => `${isSame ? 'all' : server} ${revision}`;
      const answers = await race(token, (server) => moveFrom(revision, outputOf(server)));
      const [winner] = expectOneMove({ revision, isSame, answers });
      if (!isSame) winners.add(winner);
      if (revision > 1) written.push([outputOf(winner)]);
      // Continue with the token of a server that lost: it must be able to write.
      token = (answers.find(({ isError }) => isError) ?? answers[0])?.token ?? '';
    }
    const events = await wholeJournal(folder.state, String(started?.json['session_id']));
    expect(events.map(outputsOf)).toEqual(written);
    expect(winners.size, 'servers that won at least once').toBeGreaterThan(1);
    expect(servers.map((server) => server.errors())).toEqual(['', '', '', '']);
    printFigures('one winner of four stdio servers', { races: rounds.race, events: events.length });
  },
  patienceMs,
);
