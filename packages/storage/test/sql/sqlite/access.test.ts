import { expect, it } from 'vitest';
import { driver, otherConnection } from '../../support/other-connection.ts';
import { createMetaTable, migrate, migrations } from '../../../src/sql/sqlite/migrations.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { apiKey, start } from '../../support/sessions.ts';

const corrupt = { code: 'STORE_DAMAGED', data: { reason: 'corrupt' } };

it.each(["principal = 'eve'", 'scopes = \'["write"]\'', "expires_at = '2999-01-01'", "hash = 'other'"])(
  'An API key that was changed in the file to %s is not given out',
  async (change) => {
    const { file, open } = await sessionFolder();
    const { access } = open();
    await access.addApiKey(apiKey);
    otherConnection(file).exec(`UPDATE api_keys SET ${change}`);
    await expect(access.findApiKey('key')).rejects.toMatchObject(corrupt);
    await expect(access.apiKeys()).rejects.toMatchObject(corrupt);
  },
);

it('A database of an older program is migrated, and keeps its content', async () => {
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
