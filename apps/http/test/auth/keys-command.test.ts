import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { runKeysCommand } from '../../src/keys-command.ts';

test('The list of keys marks keys without a seal, and escapes text that a database writer made up', async () => {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'keys-command-'));
  onTestFinished(() => rm(stateDirectory, { recursive: true, force: true }));
  const place = { stateDirectory };
  const key = { principal: 'ann', scopes: ['read'] } as const;
  const { text: secret } = await runKeysCommand({ action: 'create', key, place });
  const store = createSqliteSessionStore({ file: join(stateDirectory, 'sessions.db') });
  await store.access.addApiKey({
    id: 'x; rm -rf ~',
    principal: 'bob\u001B[2J\u009Bfake\nann',
    scopes: ['write'],
    createdAt: '2099-01-01T00:00:00.000Z',
    hash: 'planted',
  });
  await store.close();

  const { text } = await runKeysCommand({ action: 'list', place });
  const [first = '', second = '', ...more] = text.trimEnd().split('\n');
  expect([first.includes(secret.split('_')[1] ?? '-'), first.includes('not sealed')]).toEqual([true, false]);
  expect(second).toMatch(/^x; rm -rf ~ {2}bob.*not sealed: workflowlookup keys seal ID$/);
  expect(more).toEqual([]);
  expect(text).toMatch(/^[\n -~]*$/);

  const json = (await runKeysCommand({ action: 'list', asJson: true, place })).text;
  expect(json).toMatch(/^[\n -~]*$/);
  expect(JSON.parse(json)).toMatchObject({
    keys: [{}, { isUnsealed: true, principal: expect.stringContaining('\u009B') }],
  });
});
