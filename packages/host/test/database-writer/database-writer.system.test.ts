import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import { driver } from '../../../storage/test/support/other-connection.ts';
import type { PostgresServer } from '../../../storage/test/support/postgres-server.ts';
import { startPostgres } from '../../../storage/test/support/postgres-server.ts';
import type { RawDatabase } from './edits.ts';
import { fill, keys } from '../support/filled-store.ts';
import type { Original } from './writes-without-keys.ts';
import { changeAtRandom, changeOnPurpose } from './writes-without-keys.ts';

const patienceMs = isLong ? 3_600_000 : 120_000;
const delayMs = 1;

describe('Somebody who can write to a SQLite file but has no keys', () => {
  let folder: string;
  let original: Original;
  let copies = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'database-writer-'));
    const file = join(folder, 'sessions.db');
    const open = (path: string): ReturnType<typeof createSqliteSessionStore> =>
      createSqliteSessionStore({ file: path, keys: () => keys, delayMs });
    const store = open(file);
    const filled = await fill(store);
    await store.close();
    original = {
      filled,
      async copy() {
        copies += 1;
        const path = join(folder, `copy-${copies}.db`);
        await copyFile(file, path);
        return {
          raw: sqliteDatabase(path),
          open: () => open(path),
          dispose: async () => {
            for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${path}${end}`, { force: true });
          },
        };
      },
    };
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(
    'makes no deliberate change that verify misses',
    async () => expect(await changeOnPurpose(original, 'SQLite')).toEqual([]),
    patienceMs,
  );

  it(
    'makes no random change that is served and that verify misses',
    async () => expect(await changeAtRandom(original, isLong ? 2_000 : 60, 'SQLite')).toEqual([]),
    patienceMs,
  );
});

describe('Somebody who can write to Postgres but has no keys', () => {
  let server: PostgresServer;
  let original: Original;

  beforeAll(async () => {
    server = await startPostgres({ fsync: 'off' }, {});
    const url = await server.database();
    const open = (at: string): ReturnType<typeof createPostgresSessionStore> =>
      createPostgresSessionStore({ server: at, keys: () => keys, delayMs, connections: 2 });
    const store = open(url);
    const filled = await fill(store);
    await store.close();
    const template = url.replace(/^.*\//, '');
    const base = url.replace(/[^/]+$/, '');
    let copies = 0;
    original = {
      filled,
      async copy() {
        copies += 1;
        const name = `copy_${copies}`;
        await server.run(`${base}postgres`, `CREATE DATABASE ${name} TEMPLATE ${template}`);
        return {
          raw: postgresDatabase(server, `${base}${name}`),
          open: () => open(`${base}${name}`),
          dispose: async () =>
            void (await server.run(`${base}postgres`, `DROP DATABASE ${name} WITH (FORCE)`)),
        };
      },
    };
  }, 60_000);

  afterAll(() => server.remove());

  it(
    'makes no deliberate change that verify misses',
    async () => expect(await changeOnPurpose(original, 'Postgres', isLong ? 1 : 5)).toEqual([]),
    patienceMs,
  );

  it(
    'makes no random change that is served and that verify misses',
    async () => expect(await changeAtRandom(original, isLong ? 2_000 : 15, 'Postgres')).toEqual([]),
    patienceMs,
  );
});

function sqliteDatabase(path: string): RawDatabase {
  function use<Result>(task: (db: ReturnType<typeof driver.open>) => Result): Result {
    const db = driver.open(path);
    try {
      db.exec('PRAGMA foreign_keys=OFF');
      return task(db);
    } finally {
      db.close();
    }
  }
  return {
    all: async (sql, values = []) => use((db) => db.all(sql, values as readonly (string | number | null)[])),
    run: async (sql, values = []) =>
      use((db) => void db.run(sql, values as readonly (string | number | null)[])),
  };
}

function postgresDatabase(server: PostgresServer, url: string): RawDatabase {
  const numbered = (sql: string): string => {
    let count = 0;
    return sql.replaceAll('?', () => `$${(count += 1)}`);
  };
  // Foreign keys do not stop a superuser.
  const at = `${url}?options=-c%20search_path%3Dworkflowlookup%20-c%20session_replication_role%3Dreplica`;
  return {
    all: (sql, values) => server.run(at, numbered(sql), values),
    run: async (sql, values) => void (await server.run(at, numbered(sql), values)),
  };
}
