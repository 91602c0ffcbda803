import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { JournalHead, SessionChange, SessionStore } from '@workflowlookup/storage';
import { verifyChain } from '@workflowlookup/storage/journal';
import { expect, it, onTestFinished } from 'vitest';
import { printFigures } from '../../../../../test/support/print-figures.ts';
import { patienceMs, rounds } from '../../support/rounds.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { start } from '../../support/sessions.ts';
import { bundleWorker, startWorker } from './start-worker.ts';

it(
  `One of four processes wins each of ${rounds.race} races, and no change is skipped`,
  async () => {
    const { folder, file, open } = await sessionFolder();
    const worker = await bundleWorker(folder);
    const store = open();
    let head: JournalHead = await start(store, 's1');
    const racers = [1, 2, 3, 4].map(() => fork(worker, ['race', file]));
    onTestFinished(() => void racers.map((racer) => racer.kill('SIGKILL')));
    expect(await Promise.all(racers.map(nextMessage))).toEqual(racers.map(() => 'ready'));

    const wins = new Map<number, number>();
    const seen: SessionChange[] = [];
    for (let round = 0; round < rounds.race; round += 1) {
      const answers = racers.map(nextMessage);
      for (const racer of racers) racer.send(head);
      seen.push(...(await store.changes(seen.at(-1)?.cursor ?? 0, 10)));
      const all = await Promise.all(answers);
      const won = all.flatMap((answer, index) => (isHead(answer) ? [{ answer, index }] : []));
      expect(won, `round ${round}: ${JSON.stringify(all)}`).toHaveLength(1);
      expect(all.filter((answer) => answer === 'lost')).toHaveLength(3);
      for (const { answer, index } of won) {
        head = { revision: answer.revision, hash: answer.hash };
        wins.set(index, (wins.get(index) ?? 0) + 1);
      }
    }

    seen.push(...(await store.changes(seen.at(-1)?.cursor ?? 0, 10)));
    const events = await store.events('s1');
    expect(events).toHaveLength(rounds.race + 1);
    expect(verifyChain('s1', events)).toEqual({ ok: true, head });
    expect(seen.map(({ revision }) => revision)).toEqual(events.map(({ revision }) => revision));
    expect(wins.size, 'processes that ever won').toBeGreaterThan(1);
    printFigures('races of four processes over SQLite', { races: rounds.race, events: events.length });
  },
  patienceMs,
);

it(
  `${rounds.kill} processes that are killed while they write lose no confirmed write and leave nothing unfinished`,
  async () => {
    const { folder, file, open } = await sessionFolder();
    const worker = await bundleWorker(folder);
    let total = 0;
    for (let round = 0; round < rounds.kill; round += 1) {
      const { process: child, lines, ended } = startWorker([process.execPath, worker, 'append', file]);
      while (lines.length === 0 && child.exitCode === null) await setTimeout(2);
      await setTimeout(Math.random() * 30);
      child.kill('SIGKILL');
      await ended;
      const acknowledged = Number(lines.at(-1)?.['acknowledged']);
      expect(acknowledged).toBeGreaterThan(total);
      const store = open();
      total = await wholeRevision(store, acknowledged);
      await store.close();
    }
    printFigures('processes killed while they write to SQLite', { kills: rounds.kill, 'writes kept': total });
  },
  patienceMs,
);

/** Returns the revision of an intact session: at most the pending write came after the last acknowledged one. */
async function wholeRevision(store: SessionStore, acknowledged: number): Promise<number> {
  const loaded = await store.load('s1');
  const revision = loaded?.session.revision ?? 0;
  expect([acknowledged, acknowledged + 2]).toContain(revision);
  expect(loaded?.snapshot?.revision).toBe(revision);
  const events = await store.events('s1');
  expect(verifyChain('s1', events)).toMatchObject({ ok: true, head: { revision } });
  const pairs = events.slice(1).map(({ data }) => data['pair']);
  expect(pairs).toEqual(pairs.map((_, index) => 3 + 2 * Math.floor(index / 2)));
  expect(await store.recorded('s1', `key-${revision}`)).toEqual({ revision });
  expect(await store.recorded('s1', `key-${revision + 2}`)).toBeUndefined();
  return revision;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as [unknown];
  return message;
}

function isHead(answer: unknown): answer is JournalHead {
  return typeof answer === 'object' && answer !== null && 'revision' in answer;
}
