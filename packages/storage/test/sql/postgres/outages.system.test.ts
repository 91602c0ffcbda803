import { setTimeout } from 'node:timers/promises';
import { WorkflowError } from '@workflowlookup/schema';
import type { JournalHead, SessionStore } from '@workflowlookup/storage';
import { emptyJournal, verifyChain } from '@workflowlookup/storage/journal';
import { describe, expect, it } from 'vitest';
import { printFigures } from '../../../../../test/support/print-figures.ts';
import type { PostgresPlace } from '../../support/postgres-place.ts';
import { postgresPlaces } from '../../support/postgres-place.ts';
import { rounds } from '../../support/rounds.ts';
import { newSession, sealed, start } from '../../support/sessions.ts';
import { tcpProxy } from './tcp-proxy.ts';

const { place, server } = postgresPlaces();

const ends = `
  SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
  WHERE application_name = 'workflowlookup' AND random() < $1`;

/** The results of clients whose database goes away again and again. */
interface Tally {
  written: number;
  retries: number;
  isOver: boolean;
}

/** Repeats a call until it succeeds. Every failure must say that a retry may help. */
async function insist<T>(tally: Tally, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isRetryable =
        error instanceof WorkflowError && error.code === 'STORE_UNAVAILABLE' && error.data['retryable'];
      if (isRetryable !== true) throw error;
      tally.retries += 1;
      await setTimeout(5 + Math.random() * 20);
    }
  }
}

/** Writes to its own session until the run is over. Returns the last acknowledged revision. */
async function writeAlone(store: SessionStore, sid: string, tally: Tally): Promise<JournalHead> {
  const first = sealed(sid, emptyJournal, [{}]);
  await insist(tally, () => store.create(newSession(sid), { events: first }));
  let head: JournalHead = first.at(-1) ?? emptyJournal;
  while (!tally.isOver) {
    const revision = head.revision + 2;
    const events = sealed(sid, head, [{ revision }, { revision }]);
    const command = { key: `key-${revision}`, result: { revision } };
    const write = { events, command, snapshot: { revision, state: { revision } } };
    const won = await insist(tally, () => store.append(sid, head.revision, write));
    // The first try may be stored although its answer was lost.
    if (!won) expect(await insist(tally, () => store.recorded(sid, command.key))).toEqual(command.result);
    head = events.at(-1) ?? head;
    tally.written += 1;
    await store.recordCall(sid, { revision }).catch(() => {});
  }
  return head;
}

/** Tries to add to a shared session. Returns the names of the acknowledged writes. */
async function writeTogether(store: SessionStore, name: string, tally: Tally): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; !tally.isOver; n += 1) {
    const loaded = await insist(tally, () => store.load('shared'));
    if (loaded === undefined) throw new Error('the session was lost');
    const head = loaded.session;
    const command = { key: `${name}-${n}`, result: { n } };
    const events = sealed('shared', head, [{ write: command.key }]);
    const won = await insist(tally, () => store.append('shared', head.revision, { events, command }));
    const isKept = won || (await insist(tally, () => store.recorded('shared', command.key))) !== undefined;
    if (isKept) acknowledged.push(command.key);
    if (isKept) tally.written += 1;
  }
  return acknowledged;
}

/** Runs clients of two replicas while something happens to the server. Nothing may be lost or doubled. */
async function expectNothingLost({ open }: PostgresPlace, happen: () => Promise<void>): Promise<Tally> {
  const tally: Tally = { written: 0, retries: 0, isOver: false };
  const replicas = [open({ connections: 5 }), open({ connections: 5 })];
  await start(open(), 'shared');
  const alone = replicas.flatMap((store, replica) =>
    [0, 1, 2].map(async (index) => {
      const sid = `s${replica}-${index}`;
      return { sid, head: await writeAlone(store, sid, tally) };
    }),
  );
  const together = replicas.flatMap((store, replica) =>
    [0, 1, 2].map((index) => writeTogether(store, `w${replica}-${index}`, tally)),
  );
  const until = performance.now() + rounds.outageMs;
  for (let times = 0; times < 3 || performance.now() < until; times += 1) await happen();
  tally.isOver = true;

  const reader = open();
  for (const { sid, head } of await Promise.all(alone)) {
    const loaded = await reader.load(sid);
    expect(loaded?.session).toMatchObject({ revision: head.revision, hash: head.hash });
    expect(verifyChain(sid, await reader.events(sid))).toEqual({
      ok: true,
      head: { revision: head.revision, hash: head.hash },
    });
    expect(loaded?.snapshot?.revision ?? 1).toBe(head.revision);
  }
  const acknowledged = (await Promise.all(together)).flat();
  const events = await reader.events('shared');
  expect(verifyChain('shared', events)).toMatchObject({ ok: true });
  const kept = events.slice(1).map(({ data }) => data['write'] as string);
  expect(kept.toSorted()).toEqual(acknowledged.toSorted());
  const changes = await reader.changes(0, 10_000_000);
  expect(changes.map(({ cursor }) => cursor)).toEqual(changes.map((_, index) => index + 1));
  const { lastChange } = await reader.health();
  expect(lastChange).toBe(changes.length);
  for (const replica of replicas) {
    await insist(tally, () => replica.prune({ before: '2000-01-01T00:00:00.000Z', statuses: [] }));
    const calls = await replica.calls('s0-0');
    expect(new Set(calls.map(({ call }) => call['revision'])).size, 'calls are kept once').toBe(calls.length);
  }
  return tally;
}

describe('Clients of two replicas lose nothing, repeat nothing and get errors that allow a retry', () => {
  it(
    'while connections are ended under load',
    async () => {
      const here = await place();
      let ended = 0;
      const tally = await expectNothingLost(here, async () => {
        await setTimeout(50 + Math.random() * 200);
        const [row] = await here.run(ends, [0.5]);
        ended += Number(row?.['ended']);
      });
      expect(ended).toBeGreaterThan(10);
      expect(tally.retries).toBeGreaterThan(0);
      printFigures('ended connections to Postgres', { ended, retries: tally.retries });
    },
    rounds.outageMs + 60_000,
  );

  it(
    'while the server is stopped at once and started again',
    async () => {
      const here = await place();
      let stops = 0;
      const tally = await expectNothingLost(here, async () => {
        await setTimeout(200 + Math.random() * 1_000);
        await server().stop('immediate');
        await setTimeout(Math.random() * 500);
        await server().start();
        stops += 1;
      });
      expect(stops).toBeGreaterThan(2);
      expect(tally.retries).toBeGreaterThan(0);
      printFigures('immediate stops of Postgres', { stops, retries: tally.retries });
    },
    rounds.outageMs + 60_000,
  );
});

describe('A delayed write', () => {
  it('is stored once even if the connection is lost', async () => {
    const { open, run } = await place();
    const store = open({ delayMs: 1_000_000 });
    await start(store, 's1');
    for (let n = 0; n < 20; n += 1) await store.recordCall('s1', { n });
    await run(ends, [2]);
    await insist({ written: 0, retries: 0, isOver: false }, () => store.calls('s1'));
    expect((await store.calls('s1')).map(({ call }) => call['n'])).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  it('is stored once even if its confirmation is lost', async () => {
    const { open, url } = await place();
    const proxy = await tcpProxy(server().port);
    const through = url.replace(`:${server().port}/`, `:${proxy.port}/`);
    const store = open({ server: through, delayMs: 1_000_000, statementMs: 2_000 });
    await start(store, 's1');
    await store.recordCall('s1', { n: 1 });
    await store.calls('s1');
    await store.recordCall('s1', { n: 2 });
    const other = open();
    await other.health();
    proxy.silenceAfter('COMMIT');
    await expect(store.calls('s1')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      data: { retryable: true },
    });
    expect(await other.calls('s1')).toHaveLength(2);
    await store.recordCall('s1', { n: 3 });
    proxy.recover();
    // The store can use an idle connection once more before it notices that it ended.
    const calls = await insist({ written: 0, retries: 0, isOver: false }, () => store.calls('s1'));
    expect(calls.map(({ n, call }) => [n, call['n']])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });
});
