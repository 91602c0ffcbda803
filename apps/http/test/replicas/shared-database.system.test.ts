import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresServer } from '../../../../packages/storage/test/support/postgres-server.ts';
import { startPostgres } from '../../../../packages/storage/test/support/postgres-server.ts';
import { keyMessages } from '../../../../packages/host/test/support/messages.ts';
import { runKeysCommand } from '../../src/keys-command.ts';
import type { TestService } from '../support/service.ts';
import { bearer, openServiceWith, rpc } from '../support/service.ts';

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres({ fsync: 'off' });
}, 60_000);

afterAll(() => postgres?.remove());

const [ours, theirs] = ['ab'.repeat(32), 'cd'.repeat(32)];
const agent = { principal: 'ann', scopes: ['read', 'write'] } as const;
const ping = rpc('ping');

/** Opens a server that shares only the database with the others, and the keys if they are the same. */
function open(database: string, keys = ours): TestService {
  const env = { WORKFLOWLOOKUP_KEYS: keys, WORKFLOWLOOKUP_DATABASE: database };
  return openServiceWith({ env }, '--auth', 'keys');
}

async function readinessOf({ fetch }: TestService): Promise<readonly [number, unknown]> {
  const response = await fetch('/readyz');
  return [response.status, await response.json()];
}

describe('servers that share a database', () => {
  test('share API keys and ended sessions, and learn within a second that a key was revoked or a session ended', async () => {
    const database = await postgres.database();
    const [here, there] = [open(database), open(database)];
    const secret = await here.key(agent);
    const session = await here.open(bearer(secret));
    expect((await there.post(ping, session)).status).toBe(200);
    expect((await here.fetch('/mcp', { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await here.post(ping, session)).status).toBe(404);
    await expect.poll(async () => (await there.post(ping, session)).status, { timeout: 10_000 }).toBe(404);

    const stateDirectory = join(here.state, '..', 'of-an-operator');
    const place = { database, stateDirectory, environment: { WORKFLOWLOOKUP_KEYS: ours } };
    const id = secret.slice(4, 16);
    expect(await runKeysCommand({ action: 'revoke', id, place })).toMatchObject({ ok: true });
    for (const server of [here, there])
      await expect.poll(async () => (await server.post(ping, session)).status, { timeout: 10_000 }).toBe(401);
    for (const { state } of [here, there]) expect(existsSync(state)).toBe(false);
    expect((await runKeysCommand({ action: 'list', place })).text).toContain(
      `${id}  ann  read,write  created`,
    );
  });

  test('are not ready with keys that the others do not have', async () => {
    const database = await postgres.database();
    expect(await readinessOf(open(database))).toMatchObject([200, { database: true, keys: true }]);
    const stranger = open(database, theirs);
    const notReady = { status: 'not_ready', database: true, keys: false, reason: 'other-keys' };
    expect(await readinessOf(stranger)).toEqual([503, notReady]);
    await expect(stranger.key(agent)).rejects.toThrow(keyMessages.otherKeys());
    const secret = await open(database).key(agent);
    const refused = await stranger.post(rpc('initialize', { capabilities: {} }), bearer(secret));
    expect(refused.status).toBe(503);
    expect(stranger.logged.join()).toContain('"reason":"other-keys"');
  });

  test('can change their keys one after the other', async () => {
    const database = await postgres.database();
    const ready = [200, { status: 'ready', database: true, keys: true }];
    for (const keys of [ours, `${ours},${theirs}`, `${theirs},${ours}`, theirs])
      expect(await readinessOf(open(database, keys))).toEqual(ready);
  });

  test('accept other keys if all recorded ones are lost, once they are forgotten', async () => {
    const database = await postgres.database();
    await readinessOf(open(database));
    await postgres.run(database, 'DELETE FROM workflowlookup.keys');
    expect(await readinessOf(open(database, theirs))).toMatchObject([200, { status: 'ready' }]);
    expect(await readinessOf(open(database))).toMatchObject([503, { reason: 'other-keys' }]);
  });
});
