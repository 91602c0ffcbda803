import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../src/sql/sqlite/driver.ts';
import { createMetaTable, migrate, migrations } from '../../../src/sql/sqlite/migrations.ts';
import { driver, otherConnection } from '../../support/other-connection.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { apiKey, start } from '../../support/sessions.ts';

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

  it('run on a database of an older program, which keeps its content', async () => {
    const { file, folder, open } = await sessionFolder();
    await folder.write('state/none', '');
    const older = driver.open(file);
    createMetaTable(older);
    migrate(older, migrations.slice(0, 1));
    older.exec("INSERT INTO blobs (digest, value, put_at) VALUES ('b', '1', '2026-01-01T00:00:00.000Z')");
    older.close();
    const store = open();
    expect(await store.access.addApiKey(apiKey)).toBe(true);
    await start(store, 's1');
    expect((await store.health()).facts).toMatchObject({ schemaVersion: migrations.length });
    expect(otherConnection(file).all('SELECT count(*) AS count FROM blobs')).toEqual([{ count: 1 }]);
  });
});
