import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { countSessions } from '../../../src/sql/session-queries.ts';
import type { SqliteDatabase } from '../../../src/sql/sqlite/driver.ts';
import { createMetaTable, migrate, migrations } from '../../../src/sql/sqlite/migrations.ts';
import { journalModeOf } from '../../../src/sql/sqlite/driver.ts';
import { driver, otherConnection } from '../../support/other-connection.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { push, start } from '../../support/sessions.ts';

describe('The files of a SQLite store', () => {
  it('are not created before the first call', async () => {
    const { file, open: openStore } = await sessionFolder();
    const store = openStore();
    expect(await store.health()).toMatchObject({ ok: true, lastChange: 0 });
    expect(await store.counts()).toEqual({ active: 0, blocked: 0, parked: 0, completed: 0 });
    await store.close();
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are readable only for their owner', async () => {
    const { file, folder, open: openStore } = await sessionFolder();
    const store = openStore();
    const head = await start(store, 's1');
    await push(store, 's1', { head, data: [{}] });
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await modeOf(folder.path('state'))).toBe(0o700);
    const beside = journalModeOf(driver.version) === 'WAL' ? ['-wal', '-shm'] : ['-journal'];
    for (const suffix of ['', ...beside]) expect(await modeOf(`${file}${suffix}`)).toBe(0o600);
  });
});

describe('The counts of sessions', () => {
  it('are read only from indexes, however large the states of the sessions are', async () => {
    const { file, open: openStore } = await sessionFolder();
    await start(openStore(), 's1');
    const plan = otherConnection(file).all(`EXPLAIN QUERY PLAN ${countSessions}`);
    const steps = plan.map(({ detail }) => String(detail)).filter((step) => /SCAN|SEARCH/.test(step));
    expect(steps).toHaveLength(2);
    for (const step of steps) expect(step).toContain('COVERING INDEX');
  });
});

describe('Migrations of SQLite', () => {
  const steps = ['CREATE TABLE one (n)', 'CREATE TABLE two (n); INSERT INTO two VALUES (2)'];

  function database(): SqliteDatabase {
    const db = otherConnection(':memory:');
    createMetaTable(db);
    return db;
  }

  it('run each missing step once', () => {
    const db = database();
    migrate(db, steps.slice(0, 1));
    db.exec('INSERT INTO one VALUES (1)');
    migrate(db, steps);
    migrate(db, steps);
    expect(db.all('SELECT one.n + two.n AS sum, schema_version FROM one, two, meta')).toMatchObject([
      { sum: 3, schema_version: 2 },
    ]);
  });

  it('run all steps or none', () => {
    const db = database();
    expect(() => migrate(db, [...steps, 'CREATE TABLE one (n)'])).toThrow(/exists/);
    expect(db.all('SELECT schema_version FROM meta')).toMatchObject([{ schema_version: 0 }]);
    migrate(db, steps);
  });

  it('are refused if a newer program has run more steps', async () => {
    const { file, open: openStore } = await sessionFolder();
    const store = openStore();
    await start(store, 's1');
    await store.close();
    otherConnection(file).run('UPDATE meta SET schema_version = ?', [migrations.length + 1]);
    const refused = { code: 'STORE_UNAVAILABLE', data: { reason: 'newer-schema', known: migrations.length } };
    await expect(openStore().load('s1')).rejects.toMatchObject(refused);
  });

  it('do not change a database that belongs to another program', async () => {
    const { file, folder, open: openStore } = await sessionFolder();
    await folder.write('state/sessions.db', new Uint8Array());
    await expect(openStore().load('s1')).rejects.toMatchObject({ data: { reason: 'corrupt' } });
    const theirs = folder.path('state', 'theirs.db');
    otherConnection(theirs).exec('CREATE TABLE theirs (n)');
    await expect(openStore({ file: theirs }).load('s1')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(otherConnection(theirs).all('SELECT name FROM sqlite_schema')).toMatchObject([{ name: 'theirs' }]);
    expect((await stat(file)).size).toBe(0);
  });
});
