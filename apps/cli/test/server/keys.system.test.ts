import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createExpiredKey } from '../../../../packages/host/test/support/expired-key.ts';
import { databaseProblems } from '../../../../packages/host/test/support/messages.ts';
import { keyMessages } from '../../src/messages/server.ts';
import { startCli } from '../support/cli-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let root: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'workflowlookup-keys-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

afterAll(() => removeApp(entry));

const keys = (...args: readonly string[]) =>
  startCli(['keys', ...args, '--state', 'state'], { entry, cwd: root }).ended;
const masked = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/\b[0-9a-f]{12}\b/g, 'KEY')
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME');
const isMade = () =>
  stat(join(root, 'state')).then(
    () => true,
    () => false,
  );

test('A key is created, listed and revoked, and its secret is printed once', async () => {
  const day = new Date(Date.now() + 400 * 86_400_000).toISOString().slice(0, 10);
  const made = await keys('create', '--principal', 'team-a', '--scope', 'read,write', '--expires', day);
  expect(made.code).toBe(0);
  expect(made.out).toMatch(/^wlk_[0-9a-f]{12}_[\w-]{43}\n$/);
  expect(masked(made.err)).toBe(`${keyMessages.secretFollows('KEY', 'team-a')}\n`);
  const listed = await keys('list');
  expect(masked(listed.out).replace(day, 'DAY')).toMatchInlineSnapshot(`
    "KEY           PRINCIPAL  SCOPES      CREATED (UTC)        ENDS
    KEY  team-a     read,write  TIME  expires DAY
    "
  `);
  expect(`${listed.out}${listed.err}`).not.toContain(made.out.trim().slice(-43));

  const id = made.out.slice(4, 16);
  expect(await keys('revoke', id)).toEqual({ code: 0, out: `${keyMessages.revoked(id)}\n`, err: '' });
  expect(masked((await keys('list')).out)).toContain('revoked TIME');
});

test('Results are printed as JSON', async () => {
  const scopes = ['--scope', 'read', '--scope', 'checkpoints:respond'];
  const made = await keys('create', '--principal', 'ana', ...scopes, '--json');
  expect(made.err).toBe('');
  const { key } = jsonOf('keys-create', made.out) as { key: { id: string } };
  expect(key).toMatchObject({ principal: 'ana', scopes: ['read', 'checkpoints:respond'] });
  expect(jsonOf('keys-list', (await keys('list', '--json')).out)).toEqual({
    keys: [{ ...key, status: 'active' }],
  });
  expect(jsonOf('keys-revoke', (await keys('revoke', key.id, '--json')).out)).toEqual({
    id: key.id,
    revoked: true,
  });
  expect(jsonOf('keys-list', (await keys('list', '--json')).out)).toMatchObject({
    keys: [{ id: key.id, revokedAt: expect.any(String) }],
  });
});

test('A key can expire after a period or at a time, and is listed as expired from then on', async () => {
  const made = await keys('create', '--principal', 'a', '--scope', 'read', '--expires', '30d', '--json');
  const { key } = jsonOf('keys-create', made.out) as { key: { id: string; expiresAt: string } };
  const days = (Date.parse(key.expiresAt) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  const later = new Date(Date.now() + 400 * 86_400_000).toISOString();
  await keys('create', '--principal', 'b', '--scope', 'read', '--expires', later);
  const expired = await createExpiredKey(
    { stateDirectory: join(root, 'state') },
    { principal: 'c', scopes: ['read'] },
  );
  const { expiresAt = '' } = expired.key;
  expect(jsonOf('keys-list', (await keys('list', '--json')).out)).toMatchObject({
    keys: [
      { principal: 'c', status: 'expired', expiresAt },
      { principal: 'a', status: 'active' },
      { principal: 'b', status: 'active', expiresAt: later },
    ],
  });
  const { out } = await keys('list');
  const shown = (time: string): string => time.slice(0, 19).replace('T', ' ');
  expect(out).toContain(keyMessages.expiredAt(shown(expiresAt)));
  expect(out).toContain(keyMessages.expiresAt(shown(later)));
});

test('Listing keys creates nothing', async () => {
  expect(await keys('list')).toEqual({ code: 0, out: `${keyMessages.noKeys}\n`, err: '' });
  expect(await isMade()).toBe(false);
});

test.each([
  { args: ['make'], says: "unknown command 'make'" },
  { args: ['create', '--scope', 'read'], says: "required option '--principal <name>' not specified" },
  { args: ['create', '--principal', 'a'], says: "required option '--scope <scopes>' not specified" },
  { args: ['create', '--principal', 'a b', '--scope', 'read'], says: "'a b'" },
  {
    args: ['create', '--principal', 'a', '--scope', 'admin'],
    says: "'admin'",
  },
  {
    args: ['create', '--principal', 'a', '--scope', 'read', '--expires', 'soon'],
    says: "'soon'",
  },
  {
    args: ['create', '--principal', 'a', '--scope', 'read', '--expires', '2020-01-01'],
    says: "'2020-01-01'",
  },
  {
    args: ['create', '--principal', 'a', '--scope', 'read', '--expires', '0d'],
    says: "'0d'",
  },
  {
    args: ['create', '--principal', 'a', '--scope', 'read', '--expires', '1'],
    says: "'1'",
  },
  { args: ['revoke'], says: "missing required argument 'key'" },
  { args: ['revoke', '1f4c9a20b7e3'], says: keyMessages.none('1f4c9a20b7e3') },
  { args: ['list', '--database', 'mysql://x'], says: databaseProblems.notPostgres() },
])('The arguments $args are refused with a reason, and nothing is created', async ({ args, says }) => {
  const { code, out, err } = await keys(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(says);
  expect(await isMade()).toBe(false);
});
