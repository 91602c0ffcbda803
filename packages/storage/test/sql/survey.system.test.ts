import { describe, expect, it } from 'vitest';
import { otherConnection } from '../support/other-connection.ts';
import { partitionedSchema } from '../support/partitioned-tables.ts';
import { postgresPlaces } from '../support/postgres-place.ts';
import { sessionFolder } from '../support/session-folder.ts';
import { push, start } from '../support/sessions.ts';

const sound = { sids: ['s1', 's2', 's3'], foreign: [], damage: [] };

describe('A survey of a SQLite file', () => {
  it('finds a session that was removed from the index of the list', async () => {
    const { file, open } = await sessionFolder();
    const store = open();
    for (const sid of sound.sids) await start(store, sid);
    expect(await store.survey?.()).toEqual(sound);
    await store.close();
    const other = otherConnection(file);
    const index = 'CREATE INDEX sessions_by_update ON sessions (updated_at, sid)';
    other.exec(`DROP INDEX sessions_by_update; ${index} WHERE sid <> 's2'; PRAGMA writable_schema=ON`);
    other.run('UPDATE sqlite_schema SET sql = ? WHERE name = ?', [index, 'sessions_by_update']);
    other.exec("CREATE TABLE pragma_integrity_check AS SELECT 'ok' AS integrity_check");
    const again = open();
    expect((await again.find({})).sessions).toHaveLength(2);
    expect(await again.load('s2')).toMatchObject({ session: { sid: 's2' } });
    expect(await again.survey?.()).toEqual({
      ...sound,
      damage: expect.arrayContaining([expect.stringContaining('sessions_by_update')]) as unknown,
    });
  });

  it('does not use indexes to find the sessions', async () => {
    const { file, open } = await sessionFolder();
    const store = open();
    for (const sid of sound.sids) await start(store, sid);
    await store.close();
    const other = otherConnection(file);
    const index = 'CREATE INDEX shortcut ON sessions (sid)';
    other.exec(`DELETE FROM events WHERE sid = 's2'; ${index} WHERE sid <> 's2'; PRAGMA writable_schema=ON`);
    other.run('UPDATE sqlite_schema SET sql = ? WHERE name = ?', [index, 'shortcut']);
    expect(await open().survey?.()).toMatchObject({ sids: sound.sids });
  });

  it('finds a session whose own row was deleted', async () => {
    const { file, open } = await sessionFolder();
    const store = open();
    for (const sid of sound.sids) await start(store, sid);
    const head = (await store.load('s3'))?.session ?? { revision: 0, hash: '' };
    await push(store, 's3', { head, data: [{}], command: { key: 'k', result: {} } });
    const other = otherConnection(file);
    other.exec(
      "PRAGMA foreign_keys=OFF; DELETE FROM sessions WHERE sid <> 's1'; DELETE FROM events WHERE sid = 's3'",
    );
    expect(await store.survey?.()).toEqual(sound);
  });

  it('names triggers and views', async () => {
    const { file, open } = await sessionFolder();
    const store = open();
    await start(store, 's1');
    otherConnection(file).exec(`
      CREATE TRIGGER keep BEFORE UPDATE OF revoked_at ON api_keys BEGIN SELECT raise(IGNORE); END;
      CREATE VIEW seen AS SELECT sid FROM sessions`);
    const foreign = [
      { kind: 'trigger', name: 'keep', table: 'api_keys' },
      { kind: 'view', name: 'seen', table: 'seen' },
    ];
    expect(await store.survey?.()).toMatchObject({ foreign });
    await store.close();
    // SQLite accepts that as a trigger too.
    otherConnection(file).exec(
      "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET type = upper(type) WHERE name = 'keep'",
    );
    expect(await open().survey?.()).toMatchObject({ foreign });
  });
});

describe('A survey of a SQLite file whose tables were created again', () => {
  const changes = [
    ['revoked_ids', 'id TEXT PRIMARY KEY, until TEXT NOT NULL, more TEXT NOT NULL ON CONFLICT IGNORE'],
    ['revoked_ids', 'id TEXT PRIMARY KEY, until TEXT NOT NULL, more TEXT NOT NULL ON /* */ CONFLICT IGNORE'],
    ['keys', "fingerprint TEXT PRIMARY KEY, more TEXT AS ('x')"],
    ['keys', 'fingerprint TEXT PRIMARY KEY COLLATE NOCASE'],
    ['blobs', "digest TEXT PRIMARY KEY, value TEXT NOT NULL CHECK (value <> 'x'), put_at TEXT DEFAULT 'x'"],
  ] as const;

  async function madeAgain(table: string, columns: string) {
    const { file, open } = await sessionFolder();
    const store = open();
    await start(store, 's1');
    await store.close();
    otherConnection(file).exec(`DROP TABLE ${table}; CREATE TABLE ${table} (${columns})`);
    return open();
  }

  it.each(changes)(
    'names the changed table %s, whose rules drop or change rows: %s',
    async (table, columns) => {
      const foreign = [{ kind: 'changed table', name: table, table }];
      expect(await (await madeAgain(table, columns)).survey?.()).toMatchObject({ foreign });
    },
  );

  it('is necessary because such a rule drops rows without an error', async () => {
    const { access } = await madeAgain(...changes[0]);
    await access.revokeId('a', '2099-01-01T00:00:00.000Z');
    expect(await access.isRevoked('a')).toBe(false);
  });
});

describe('A survey of a Postgres database', () => {
  const { place } = postgresPlaces({ fsync: 'off' });

  it('names row security, rules, triggers and views', async () => {
    const { open, run } = await place();
    const store = open();
    for (const sid of sound.sids) await start(store, sid);
    expect(await store.survey?.()).toEqual(sound);
    await run(`SET search_path = workflowlookup;
      ALTER TABLE sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY hidden ON sessions USING (current_query() !~ 'updated_at DESC') WITH CHECK (true);
      CREATE FUNCTION public.keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.revoked_at = NULL; RETURN NEW; END';
      CREATE TRIGGER keep BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION public.keep();
      CREATE RULE nothing AS ON DELETE TO calls DO INSTEAD NOTHING;
      CREATE VIEW seen AS SELECT sid FROM sessions`);
    const survey = await store.survey?.();
    expect(survey?.foreign).toEqual([
      { kind: 'row security', name: 'sessions', table: 'sessions' },
      { kind: 'rule', name: '_RETURN', table: 'seen' },
      { kind: 'rule', name: 'nothing', table: 'calls' },
      { kind: 'trigger', name: 'keep', table: 'api_keys' },
    ]);
  });

  it('finds a session whose own row was deleted', async () => {
    const { open, run } = await place();
    const store = open();
    for (const sid of sound.sids) await start(store, sid);
    const head = (await store.load('s3'))?.session ?? { revision: 0, hash: '' };
    await push(store, 's3', { head, data: [{}], command: { key: 'k', result: {} } });
    // Foreign keys are triggers, which do not run in a session with this role.
    await run(`SET session_replication_role = replica; SET search_path = workflowlookup;
      DELETE FROM sessions WHERE sid <> 's1'; DELETE FROM events WHERE sid = 's3'`);
    expect(await store.survey?.()).toEqual(sound);
  });

  it('names tables in any schema that inherit from those of the server, with their rules and triggers', async () => {
    const { open, run } = await place();
    const store = open();
    await start(store, 's1');
    await run(`CREATE SCHEMA evil; SET search_path = evil;
      CREATE TABLE child (LIKE workflowlookup.sessions INCLUDING CONSTRAINTS INCLUDING DEFAULTS);
      ALTER TABLE child INHERIT workflowlookup.sessions;
      CREATE TABLE grandchild () INHERITS (child);
      CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      CREATE TRIGGER keep BEFORE UPDATE ON child FOR EACH ROW EXECUTE FUNCTION keep();
      CREATE RULE nothing AS ON DELETE TO grandchild DO INSTEAD NOTHING;
      ALTER TABLE grandchild ENABLE ROW LEVEL SECURITY;
      CREATE FOREIGN DATA WRAPPER nothing;
      CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing;
      CREATE FOREIGN TABLE far () INHERITS (workflowlookup.api_keys) SERVER elsewhere`);
    const foreign = [
      { kind: 'child table', name: 'evil.child', table: 'sessions' },
      { kind: 'child table', name: 'evil.far', table: 'api_keys' },
      { kind: 'child table', name: 'evil.grandchild', table: 'evil.child' },
      { kind: 'foreign table', name: 'evil.far', table: 'evil.far' },
      { kind: 'row security', name: 'evil.grandchild', table: 'evil.grandchild' },
      { kind: 'rule', name: 'nothing', table: 'evil.grandchild' },
      { kind: 'trigger', name: 'keep', table: 'evil.child' },
    ];
    expect((await store.survey?.())?.foreign).toEqual(foreign);
  });

  it('names functions, operators and types that can change the effect of a statement of the server', async () => {
    const { open, run } = await place();
    const store = open();
    for (const sid of sound.sids) await start(store, sid);
    await run(`CREATE SCHEMA evil; SET search_path = evil;
      CREATE FUNCTION keep(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
      CREATE FUNCTION allow(text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE DOMAIN word AS text CHECK (allow(value));
      CREATE INDEX by_keep ON workflowlookup.api_keys (keep(id));
      ALTER TABLE workflowlookup.calls ADD CONSTRAINT allowed CHECK (allow(sid));
      ALTER TABLE workflowlookup.blobs ALTER COLUMN put_at SET DEFAULT keep('now');
      ALTER TABLE workflowlookup.agents ALTER COLUMN agent TYPE word;
      CREATE AGGREGATE workflowlookup.json_agg(json) (SFUNC = array_append, STYPE = json[]);
      CREATE OPERATOR workflowlookup.= (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)`);
    expect((await store.survey?.())?.foreign).toEqual([
      { kind: 'function', name: 'allow', table: 'calls' },
      { kind: 'function', name: 'json_agg', table: 'workflowlookup' },
      { kind: 'function', name: 'keep', table: 'api_keys' },
      { kind: 'function', name: 'keep', table: 'blobs' },
      { kind: 'operator', name: '=', table: 'workflowlookup' },
      { kind: 'type', name: 'word', table: 'agents' },
    ]);
  });

  it('counts the partitions of a table as part of the table', async () => {
    const { open, run } = await place();
    await run(partitionedSchema());
    const store = open();
    for (const sid of sound.sids) await start(store, sid);
    expect(await store.survey?.()).toEqual(sound);
  });
});
