import { setTimeout } from 'node:timers/promises';
import type { JournalHead, SessionChange, SessionStore } from '@workflowlookup/storage';
import { emptyJournal, exportSession, verifyChain } from '@workflowlookup/storage/journal';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import { printFigures } from '../../../../../test/support/print-figures.ts';
import type { Connection } from '../../../src/sql/postgres/connection.ts';
import { lastPosition } from '../../../src/sql/postgres/journal.ts';
import { createConnection, createClientPool, databaseOf } from '../../../src/sql/postgres/connection.ts';
import { migrations } from '../../../src/sql/postgres/migrations.ts';
import { createSeals } from '../../../src/sql/stored-sessions.ts';
import { pruneSessions } from '../../../src/sql/prune-sessions.ts';
import { postgresPlaces } from '../../support/postgres-place.ts';
import { patienceMs, rounds } from '../../support/rounds.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { newSession, push, sealed, start } from '../../support/sessions.ts';
import { randomTrace, replay } from './session-traces.ts';

const { place } = postgresPlaces();

/** The number of clients that call each of two replicas at the same time. */
const clients = 16;

describe('Two replicas with one database', () => {
  it(
    `let one of ${2 * clients} clients win each of ${rounds.replicaRace} rounds, and no change is skipped`,
    async () => {
      const { open } = await place();
      const replicas = [open(), open()] as const;
      let head: JournalHead = await start(replicas[0], 's1');
      const seen: SessionChange[] = [];
      const wins = [0, 0];
      for (let round = 0; round < rounds.replicaRace; round += 1) {
        const from = head;
        const tries = Array.from({ length: 2 * clients }, (_, client) =>
          push(replicas[client % 2 === 0 ? 0 : 1], 's1', { head: from, data: [{ round, client }] }),
        );
        seen.push(...(await replicas[round % 2 === 0 ? 0 : 1].changes(seen.at(-1)?.cursor ?? 0, 10)));
        const answers = await Promise.all(tries);
        const won = answers.flatMap((answer, client) => (answer === undefined ? [] : [{ answer, client }]));
        expect(won, `round ${round}`).toHaveLength(1);
        for (const { answer, client } of won) {
          head = answer;
          wins[client % 2] = (wins[client % 2] ?? 0) + 1;
        }
      }
      seen.push(...(await replicas[0].changes(seen.at(-1)?.cursor ?? 0, 10)));
      const events = await replicas[1].events('s1');
      expect(verifyChain('s1', events)).toMatchObject({
        ok: true,
        head: { revision: rounds.replicaRace + 1 },
      });
      expect(seen.map(({ revision }) => revision)).toEqual(events.map(({ revision }) => revision));
      expect(Math.min(...wins), 'rounds each replica won').toBeGreaterThan(0);
      printFigures('races over Postgres', {
        races: rounds.replicaRace,
        'wins of each replica': wins.join(', '),
      });
    },
    patienceMs,
  );

  it(
    'keep one event of identical commands, and give all of them the same answer',
    async () => {
      const { open } = await place();
      const replicas = [open(), open()] as const;
      let head: JournalHead = await start(replicas[0], 's1');
      for (let round = 0; round < rounds.replicaRace; round += 1) {
        const command = { key: `key-${round}`, result: { round } };
        const events = sealed('s1', head, [{ round }]);
        const tries = Array.from({ length: 8 }, async (_, client) => {
          const replica = replicas[client % 2 === 0 ? 0 : 1];
          const won = await replica.append('s1', head.revision, { events, command });
          expect(await replica.recorded('s1', command.key)).toEqual(command.result);
          return won;
        });
        const answers = await Promise.all(tries);
        expect(answers.filter(Boolean)).toHaveLength(1);
        head = events[0] ?? head;
      }
      expect(verifyChain('s1', await replicas[1].events('s1'))).toMatchObject({
        ok: true,
        head: { revision: rounds.replicaRace + 1 },
      });
      printFigures('identical commands at two replicas over Postgres', { rounds: rounds.replicaRace });
    },
    patienceMs,
  );

  it('can start at the same time with an empty database', async () => {
    const { open, run } = await place();
    const stores = Array.from({ length: 8 }, () => open());
    const heads = await Promise.all(stores.map((store, index) => start(store, `s${index}`)));
    expect(heads.map(({ revision }) => revision)).toEqual(heads.map(() => 1));
    expect(
      await run('SELECT count(*)::int AS rows, max(schema_version) AS version FROM workflowlookup.meta'),
    ).toEqual([{ rows: 1, version: migrations.length }]);
  });

  it('number the calls of a session without a gap, and lose none', async () => {
    const { open } = await place();
    const replicas = [open({ delayMs: 5 }), open({ delayMs: 5 })] as const;
    for (const sid of ['s1', 's2']) await start(replicas[0], sid);
    for (let n = 0; n < 100; n += 1)
      for (const [index, replica] of replicas.entries()) {
        await replica.recordCall(index === 0 ? 's1' : 's2', { index, n });
        await replica.recordCall(index === 0 ? 's2' : 's1', { index, n });
        if (n % 10 === 0) await setTimeout(2);
      }
    for (const replica of replicas) await replica.close();
    const reader = open();
    for (const sid of ['s1', 's2']) {
      const calls = await reader.calls(sid);
      expect(calls).toHaveLength(200);
      for (const index of [0, 1])
        expect(calls.flatMap(({ call }) => (call['index'] === index ? [call['n']] : []))).toEqual(
          Array.from({ length: 100 }, (_, n) => n),
        );
    }
  });
});

describe('A reader of changes', () => {
  it('sees a write that began before others and was committed after them', async () => {
    const { open, run, asleep } = await place();
    const store = open();
    await start(store, 'late');
    await start(store, 'early');
    // A trigger keeps the transaction of the late session open, as a slow disk or network would.
    await run(`
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
      CREATE TRIGGER wait AFTER INSERT ON workflowlookup.writes FOR EACH ROW WHEN (NEW.sid = 'late') EXECUTE FUNCTION wait()`);
    const head = (await store.load('late'))?.session ?? { revision: 0, hash: '' };
    const late = push(store, 'late', { head, data: [{}] });
    await asleep();
    const early = (await store.load('early'))?.session ?? { revision: 0, hash: '' };
    await push(store, 'early', { head: early, data: [{}] });
    const before = await store.changes(0, 10);
    expect(before.map(({ sid }) => sid)).toEqual(['late', 'early', 'early']);
    await late;
    const after = await store.changes(before.at(-1)?.cursor ?? 0, 10);
    expect(after.map(({ sid, revision }) => [sid, revision])).toEqual([['late', 2]]);
  });

  it('misses no writes of several replicas, and sees those of each session in order', async () => {
    const { open } = await place();
    const writers = [open(), open(), open()];
    const readers = [open(), open()];
    let writing = writers.length * 8;
    const each = 10;
    const writes = writers.flatMap((store, replica) =>
      Array.from({ length: 8 }, async (_, index) => {
        const sid = `s${replica}-${index}`;
        let head: JournalHead = await start(store, sid);
        for (let n = 0; n < each; n += 1)
          head = (await push(store, sid, { head, data: [{ n }, { n }] })) ?? head;
        writing -= 1;
      }),
    );
    const views = readers.map(async (reader) => {
      const seen: SessionChange[] = [];
      for (let isLast = false; !isLast;) {
        isLast = writing === 0;
        for (;;) {
          const page = await reader.changes(seen.at(-1)?.cursor ?? 0, 7);
          seen.push(...page);
          if (page.length === 0) break;
        }
      }
      return seen;
    });
    await Promise.all(writes);
    const [first, second] = await Promise.all(views);
    expect(first).toEqual(second);
    expect(first?.map(({ cursor }) => cursor)).toEqual(first?.map((_, index) => index + 1));
    for (const [replica] of writers.entries())
      for (let index = 0; index < 8; index += 1) {
        const own = first?.filter(({ sid }) => sid === `s${replica}-${index}`);
        expect(own?.map(({ revision }) => revision)).toEqual(
          Array.from({ length: 1 + 2 * each }, (_, n) => n + 1),
        );
      }
  });
});

describe('Pruning during writes', () => {
  it('causes no errors, and deletes no session with an active child', async () => {
    const { open } = await place();
    const [writer, pruner] = [open(), open()];
    const kept: string[] = [];
    const state = { isWriting: true };
    const writes = Array.from({ length: 4 }, async (_, index) => {
      for (let n = 0; n < 40; n += 1) {
        const [parent, child] = [`p${index}-${n}`, `c${index}-${n}`];
        const head = await start(writer, parent);
        await writer.recordCall(parent, {});
        const events = sealed(child, { revision: 0, hash: '' }, [{}]);
        await writer.putDefinition('definition', { id: 'review' });
        const about = {
          workflowId: 'review',
          version: '1',
          digest: 'definition',
          principal: 'p',
          agent: 'a',
        };
        await writer.create({ sid: child, parentSid: parent, ...about }, { events });
        await push(writer, parent, { head, data: [{}], status: 'completed' });
        kept.push(parent);
      }
    });
    // A time in the past, so that a definition that was just stored stays until its session refers to it.
    const before = '2026-01-02T00:00:00.000Z';
    const prunes = (async () => {
      while (state.isWriting) await pruner.prune({ before, statuses: ['completed'] });
    })();
    await Promise.all(writes).finally(() => (state.isWriting = false));
    await prunes;
    for (const sid of kept) expect((await pruner.load(sid))?.session.status).toBe('completed');
  });
});

const limits = { connections: 1, connectMs: 1_000, statementMs: 1_000, lockMs: 1_000, idleMs: 1_000 };

describe('The position of the last change', () => {
  it('can be read while writes continue', async () => {
    const { url, open } = await place();
    const store = open();
    let head: JournalHead | undefined = await start(store, 's1');
    const pool = createClientPool({ server: url, limits });
    const connection = createConnection(pool);
    const busy: Connection = {
      ...connection,
      async write(task) {
        const result = await connection.write(task);
        if (head !== undefined) head = await push(store, 's1', { head, data: [{}] });
        return result;
      },
    };
    expect(await lastPosition(busy)).toBe(1);
    expect(await lastPosition(connection)).toBe(2);
    await pool.close();
  });
});

describe('A session that gets a child while it is pruned', () => {
  it('is checked again, and is kept', async () => {
    const { url, open } = await place();
    const store = open();
    const head = await start(store, 'parent');
    await push(store, 'parent', { head, data: [{}], status: 'completed' });
    await start(store, 'other');
    const pool = createClientPool({ server: url, limits });
    const connection = createConnection(pool);
    const child = { ...newSession('child'), parentSid: 'parent' };
    let looks = 0;
    const watched: Connection = {
      ...connection,
      write: (task) =>
        connection.write((db) =>
          task({
            ...db,
            async once(sql, values) {
              const rows = await db.once(sql, values);
              looks += 1;
              if (looks === 1) await store.create(child, { events: sealed('child', emptyJournal, [{}]) });
              return rows;
            },
          }),
        ),
    };
    const request = { before: '2999-01-01T00:00:00.000Z', statuses: ['completed'] } as const;
    expect(await pruneSessions(databaseOf(watched), createSeals(), request)).toBe(0);
    expect(looks).toBeGreaterThan(1);
    expect((await store.load('parent'))?.session.status).toBe('completed');
    expect((await store.load('child'))?.session.parentSid).toBe('parent');
    await pool.close();
  });
});

describe('The same writes', () => {
  it(
    `have the same result in memory, SQLite and Postgres, in each of ${rounds.traces} random traces`,
    async () => {
      const { open } = await place();
      const postgres = open();
      const { open: openFile } = await sessionFolder();
      const sqlite = openFile();
      const memory = createMemorySessionStore();
      const stores = [memory, sqlite, postgres];
      for (let round = 0; round < rounds.traces; round += 1) {
        const trace = randomTrace(`r${round}`, 30);
        const answers: unknown[] = [];
        for (const store of stores) answers.push(await replay(store, trace));
        expect(answers[1], 'SQLite').toEqual(answers[0]);
        expect(answers[2], 'Postgres').toEqual(answers[0]);
        for (const sid of trace.sids) {
          const lines = await Promise.all(stores.map((store) => linesOf(store, sid)));
          expect(lines[1], 'SQLite').toEqual(lines[0]);
          expect(lines[2], 'Postgres').toEqual(lines[0]);
        }
      }
      const changes = await Promise.all(stores.map((store) => store.changes(0, 1_000_000)));
      expect(changes[1]).toEqual(changes[0]);
      expect(changes[2]).toEqual(changes[0]);
      printFigures('the same writes to all stores', {
        traces: rounds.traces,
        changes: changes[0]?.length ?? 0,
      });
    },
    patienceMs,
  );
});

async function linesOf(store: SessionStore, sid: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(store, sid)) lines.push(line);
  return lines;
}
