import { emptyJournal } from '@workflowlookup/storage/journal';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../../src/sql/postgres/migrations.ts';
import { postgresPlaces } from '../../support/postgres-place.ts';
import { refusal as refusalOf } from './refusals.ts';
import { apiKey, newSession, push, sealed, start } from '../../support/sessions.ts';

const { place, server } = postgresPlaces();

const refusal = (call: Promise<unknown>): ReturnType<typeof refusalOf> => refusalOf(server(), call);

describe('The tables in Postgres', () => {
  it('are refused if a newer program has migrated them', async () => {
    const { open, run } = await place();
    await start(open(), 's1');
    await run('UPDATE workflowlookup.meta SET schema_version = $1', [migrations.length + 1]);
    const refused = { code: 'STORE_UNAVAILABLE', data: { reason: 'newer-schema', known: migrations.length } };
    await expect(open().load('s1')).rejects.toMatchObject(refused);
    expect(await open().health()).toMatchObject({ ok: false });
  });

  it('are not created again if they were removed', async () => {
    const { open, run } = await place();
    const store = open();
    await start(store, 's1');
    await run('DROP SCHEMA workflowlookup CASCADE');
    expect(await refusal(store.load('s1'))).toEqual({ reason: 'gone', retryable: false });
  });

  it('of an older program are migrated, and keep their content', async () => {
    const { open, run } = await place();
    await run(`CREATE SCHEMA workflowlookup; SET search_path = workflowlookup; ${migrations[0]};
      CREATE TABLE meta (schema_version integer NOT NULL, last_change bigint NOT NULL);
      INSERT INTO meta (schema_version, last_change) VALUES (1, 0);
      INSERT INTO definitions (digest, body, crc, put_at) VALUES ('definition', '{}', 0, '')`);
    const store = open();
    await store.create(newSession('s1'), { events: sealed('s1', emptyJournal, [{}]) });
    expect(await store.access.addApiKey(apiKey)).toBe(true);
    expect(await run('SELECT schema_version FROM workflowlookup.meta')).toEqual([
      { schema_version: migrations.length },
    ]);
  });

  it('are separate from the tables of other programs', async () => {
    const { open, run } = await place();
    await run('CREATE TABLE sessions (theirs int); CREATE TABLE events (theirs int)');
    const store = open();
    await start(store, 's1');
    expect(await store.events('s1')).toHaveLength(1);
  });

  it('are not created in a database that cannot store every text', async () => {
    const { run, url, open } = await place();
    await run("CREATE DATABASE narrow ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'");
    const store = open({ server: url.replace(/[^/]+$/, 'narrow') });
    expect(await refusal(store.load('s1'))).toEqual({ reason: 'encoding', retryable: false });
  });

  it('return no row that was changed without the keys', async () => {
    const { open, run } = await place();
    const store = open();
    const head = await start(store, 's1');
    const blob = await store.putBlob({ big: true });
    const snapshot = { revision: 2, state: { n: 2 } };
    await push(store, 's1', {
      head,
      data: [{ n: 2 }],
      snapshot,
      blobs: [blob],
      command: { key: 'k', result: {} },
    });
    await store.recordCall('s1', {});
    await store.calls('s1');
    await store.access.addApiKey(apiKey);
    const damages: readonly (readonly [sql: string, read: () => Promise<unknown>])[] = [
      ["UPDATE workflowlookup.sessions SET principal = 'eve'", () => store.load('s1')],
      ["UPDATE workflowlookup.sessions SET status = 'completed'", () => store.load('s1')],
      ['UPDATE workflowlookup.events SET data = \'{"n":3}\'', () => store.events('s1')],
      ['DELETE FROM workflowlookup.events WHERE revision = 1', () => store.events('s1')],
      ["UPDATE workflowlookup.blobs SET value = '1'", () => store.getBlob(blob)],
      ["UPDATE workflowlookup.definitions SET body = '{}'", () => store.getDefinition('definition')],
      ["UPDATE workflowlookup.commands SET result = '[]'", () => store.recorded('s1', 'k')],
      ["UPDATE workflowlookup.calls SET call = '[]'", () => store.calls('s1')],
      ["UPDATE workflowlookup.api_keys SET principal = 'eve'", () => store.access.findApiKey('key')],
      ['UPDATE workflowlookup.api_keys SET scopes = \'["write"]\'', () => store.access.apiKeys()],
    ];
    for (const [damage, read] of damages) {
      await read();
      await run('CREATE TABLE IF NOT EXISTS backup AS SELECT 1');
      const table = /workflowlookup\.\w+/.exec(damage)?.[0] ?? '';
      await run(`DROP TABLE backup; CREATE TABLE backup AS SELECT * FROM ${table}; ${damage}`);
      expect(await refusal(read()), damage).toMatchObject({ reason: 'corrupt' });
      const columns = table.endsWith('events')
        ? 'INSERT INTO workflowlookup.events SELECT * FROM backup ON CONFLICT (sid, revision) DO UPDATE SET data = EXCLUDED.data'
        : restore(damage, table);
      await run(columns);
    }
    // A changed state is not used: it is computed from the events.
    await run('UPDATE workflowlookup.sessions SET state = \'{"n":3}\'');
    expect(await store.load('s1')).toMatchObject({ events: [{ revision: 1 }, { revision: 2 }] });
  });
});

describe('Pruning', () => {
  it('keeps a session if somebody without the keys ended a session below it', async () => {
    const { open, run } = await place();
    const store = open();
    const status = 'completed' as const;
    for (const sid of ['parent', 'apart'])
      await push(store, sid, { head: await start(store, sid), data: [{}], status });
    const events = sealed('child', emptyJournal, [{}]);
    await store.create({ ...newSession('child'), parentSid: 'parent' }, { events });
    await run("UPDATE workflowlookup.sessions SET status = 'completed' WHERE sid = 'child'");
    await store.prune({ before: '2999-01-01T00:00:00.000Z', statuses: ['completed'] });
    expect(await store.load('parent')).toBeDefined();
    expect(await store.load('apart')).toBeUndefined();
  });

  it('keeps a session whose row was restored to an older revision', async () => {
    const { open, run } = await place();
    const store = open();
    const head = await start(store, 's1');
    await start(store, 's2');
    await run("CREATE TABLE backup AS SELECT * FROM workflowlookup.sessions WHERE sid = 's1'");
    await push(store, 's1', { head, data: [{ n: 2 }] });
    const columns = ['status', 'revision', 'hash', 'updated_at', 'seal'];
    const values = columns.map((column) => `${column} = backup.${column}`).join();
    await run(`UPDATE workflowlookup.sessions SET ${values} FROM backup WHERE sessions.sid = 's1'`);
    expect((await store.find({ isAtEnd: false })).sessions).toMatchObject([{ sid: 's1' }]);
    const request = { before: '2999-01-01T00:00:00.000Z', statuses: ['active', 'completed'] } as const;
    expect(await store.prune(request)).toBe(1);
    expect((await store.find({})).sessions).toMatchObject([{ sid: 's1', revision: 1 }]);
  });
});

/** Restores the one column that was changed. */
function restore(damage: string, table: string): string {
  const column = /SET (\w+)/.exec(damage)?.[1] ?? '';
  return `UPDATE ${table} SET ${column} = backup.${column} FROM backup`;
}

describe('Every connection to Postgres', () => {
  it('waits for the disk and reads committed data, whatever the settings of the server', async () => {
    const { open, run, url } = await place();
    const name = url.replace(/.*\//, '');
    await run(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await run(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    await run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const store = open();
    await start(store, 's1');
    await run(`BEGIN READ WRITE;
      CREATE TABLE workflowlookup.seen (setting text, value text);
      CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO workflowlookup.seen SELECT name, current_setting(name) FROM unnest(
          ARRAY['synchronous_commit', 'transaction_isolation', 'statement_timeout', 'lock_timeout']) AS name;
        RETURN NULL; END $$;
      CREATE TRIGGER look AFTER INSERT ON workflowlookup.events EXECUTE FUNCTION look(); COMMIT`);
    const head = (await store.load('s1'))?.session ?? { revision: 0, hash: '' };
    await push(store, 's1', { head, data: [{}] });
    expect(await run('SELECT value FROM workflowlookup.seen')).toEqual([
      { value: 'on' },
      { value: 'read committed' },
      { value: '10s' },
      { value: '5s' },
    ]);
  });
});
