import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiKeyRecord, StateStore } from '@workflowlookup/storage';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AccessDatabase, ApiKeys, AuditEntry } from '../../src/index.ts';
import { sealedHash } from '../../src/access/api-keys.ts';
import {
  createHost,
  openApiKeys,
  rotateKey,
  scopes as everyScope,
  unsealedRevocations,
} from '../../src/index.ts';
import { apiKeyMessages } from '../../src/messages.ts';
import { tempState } from '../support/temp-state.ts';

const agent = { principal: 'ann', scopes: ['read', 'write'] } as const;

/** Opens the keys of a state directory like another server. */
function keysIn(stateDirectory: string, now?: () => Date): ApiKeys {
  const host = createHost({ stateDirectory });
  onTestFinished(() => host.close());
  return openApiKeys(host.access, now);
}

describe('API keys', () => {
  test('are shown once, and stored without their secret', async () => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    const { key, secret } = await keys.create(agent);
    expect(secret).toMatch(/^wlk_[0-9a-f]{12}_[\w-]{43}$/);
    expect(await keys.verify(secret)).toEqual({ ...agent, id: key.id, createdAt: expect.any(String) });
    expect(await keys.list()).toEqual([key]);
    // The write-ahead log of the database is a separate file.
    const files = (await readdir(stateDirectory)).filter((file) => file.startsWith('sessions.db'));
    const texts = await Promise.all(files.map((file) => readFile(join(stateDirectory, file), 'latin1')));
    const kept = texts.join('');
    expect(kept).toContain(key.id);
    expect(kept).not.toContain(secret.slice(-43));
  });

  test('create a database when one is created, but not for reading', async () => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    expect(await keys.list()).toEqual([]);
    expect(await keys.revoke('none')).toBe(false);
    expect(await keys.verify(`wlk_${'0'.repeat(12)}_${'a'.repeat(43)}`)).toBeUndefined();
    expect(existsSync(stateDirectory)).toBe(false);
    const { secret } = await keysIn(stateDirectory).create(agent);
    expect(await keys.verify(secret)).toMatchObject(agent);
  });

  test('are refused once they are revoked or expired, on every server with the state directory', async () => {
    let now = new Date('2026-11-01');
    const stateDirectory = tempState();
    const here = keysIn(stateDirectory, () => now);
    const there = keysIn(stateDirectory, () => now);
    const first = await here.create(agent);
    now = new Date('2026-11-02');
    const second = await here.create({ ...agent, expiresAt: '2026-12-01' });
    for (const { key, secret } of [first, second]) expect(await there.verify(secret)).toEqual(key);
    expect([await there.revoke(first.key.id), await there.revoke('none')]).toEqual([true, false]);
    expect(await here.verify(first.secret)).toBeUndefined();
    now = new Date('2026-12-01');
    expect(await here.verify(second.secret)).toBeUndefined();
    expect(await here.list()).toMatchObject([
      { revokedAt: '2026-11-02T00:00:00.000Z' },
      { expiresAt: '2026-12-01' },
    ]);
  });

  test.each(['', 'wlk_', 'x', `wlk_${'0'.repeat(12)}_${'a'.repeat(43)}`])(
    'do not include %j',
    async (secret) => {
      const keys = keysIn(tempState());
      await keys.create(agent);
      expect(await keys.verify(secret)).toBeUndefined();
    },
  );

  test('cannot be combined from the id and the secret of different keys', async () => {
    const keys = keysIn(tempState());
    const [one, other] = [(await keys.create(agent)).secret, (await keys.create(agent)).secret];
    expect(await keys.verify(one.slice(0, 17) + other.slice(17))).toBeUndefined();
  });

  test('ignore a scope that only a newer program knows', async () => {
    const stateDirectory = tempState();
    const host = createHost({ stateDirectory });
    onTestFinished(() => host.close());
    const id = '0'.repeat(12);
    const secret = `wlk_${id}_${'a'.repeat(43)}`;
    const [hash, createdAt] = [createHash('sha256').update(secret).digest('hex'), new Date().toISOString()];
    const record = { id, principal: 'ann', scopes: ['read', 'everything'], createdAt };
    const newer = { ...record, hash: sealedHash(record, hash, await host.access.sharedKeys()) };
    await (await host.access.open()).addApiKey(newer);
    expect(await keysIn(stateDirectory).verify(secret)).toMatchObject({ id, scopes: ['read'] });
  });

  test.each([
    [{ ...agent, principal: 'a b' }, apiKeyMessages.wrongPrincipal('a b')],
    [{ ...agent, scopes: [] }, apiKeyMessages.wrongScope(everyScope, undefined)],
    [{ ...agent, scopes: ['all' as 'read'] }, apiKeyMessages.wrongScope(everyScope, 'all')],
    [{ ...agent, expiresAt: 'soon' }, apiKeyMessages.wrongExpiry('soon')],
    [{ ...agent, expiresAt: '2020-01-31' }, expect.stringContaining("'2020-01-31'") as string],
  ])('cannot be created from %j', async (wanted, message) => {
    const stateDirectory = tempState();
    await expect(keysIn(stateDirectory).create(wanted)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message,
    });
    expect(existsSync(stateDirectory)).toBe(false);
  });
});

/** Changes the keys in a database like somebody who can write to the database but to nothing else. */
async function tamper(
  stateDirectory: string,
  change: (key: ApiKeyRecord) => ApiKeyRecord | undefined,
): Promise<void> {
  const file = join(stateDirectory, 'sessions.db');
  const [before, after] = [file, `${file}.other`].map((one) => createSqliteSessionStore({ file: one })) as [
    StateStore,
    StateStore,
  ];
  for (const key of await before.access.apiKeys()) {
    const changed = change(key);
    if (changed === undefined) continue;
    const { revokedAt, ...record } = changed;
    await after.access.addApiKey(record);
    if (revokedAt !== undefined) await after.access.revokeApiKey(record.id, revokedAt);
  }
  await Promise.all([before.close(), after.close()]);
  for (const suffix of ['-wal', '-shm', '-journal']) await rm(file + suffix, { force: true });
  await rename(`${file}.other`, file);
}

const unrevoke = ({ id, principal, scopes, createdAt, hash }: ApiKeyRecord): ApiKeyRecord => ({
  id,
  principal,
  scopes,
  createdAt,
  hash,
});

describe('a person who can write to the database and has no keys', () => {
  const year = '2030-01-31T00:00:00.000Z';

  test.each<[what: string, change: (key: ApiKeyRecord) => ApiKeyRecord]>([
    ['another principal', (key) => ({ ...key, principal: 'admin' })],
    ['more scopes', (key) => ({ ...key, scopes: ['read', 'write', 'checkpoints:respond'] })],
    ['a later end', (key) => ({ ...key, expiresAt: '2099-01-01' })],
    ['another time it was made at', (key) => ({ ...key, createdAt: year })],
    ['no seal', (key) => ({ ...key, hash: key.hash.split('.')[0] ?? '' })],
    ['a seal of nobody', (key) => ({ ...key, hash: `${key.hash.split('.').slice(0, 2).join('.')}.AAAA` })],
    [
      'a key that is not in the ring',
      (key) => ({ ...key, hash: key.hash.replace(/\.[0-9a-f]{8}\./, '.00000000.') }),
    ],
  ])('makes a key invalid by giving it %s', async (_what, change) => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create({ ...agent, expiresAt: year });
    await tamper(stateDirectory, change);
    const keys = keysIn(stateDirectory);
    expect(await keys.check(secret)).toMatchObject({ status: 'unsealed', key: { id: key.id } });
    expect([await keys.verify(secret), await keys.find(key.id)]).toEqual([undefined, undefined]);
    expect(await keys.list()).toMatchObject([{ id: key.id, isUnsealed: true }]);
  });

  test('cannot make a valid key', async () => {
    const stateDirectory = tempState();
    const elsewhere = tempState();
    await keysIn(stateDirectory).create(agent);
    const { secret } = await keysIn(elsewhere).create({ ...agent, principal: 'admin' });
    let forged: ApiKeyRecord | undefined;
    await tamper(elsewhere, (key) => (forged = key));
    await tamper(stateDirectory, () => forged);
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'unsealed' });
  });

  test('cannot undo a revocation without a warning to the person who revokes', async () => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create(agent);
    const host = createHost({ stateDirectory });
    onTestFinished(() => host.close());
    // A trigger in the database could make the revocation have no effect like this.
    const open: AccessDatabase['open'] = async () => ({
      ...(await host.access.open()),
      revokeApiKey: () => Promise.resolve(true),
    });
    const recorded: AuditEntry[] = [];
    const audit = { ...host.audit, record: (entry: AuditEntry) => void recorded.push(entry) };
    const revoked = openApiKeys({ ...host.access, audit, open }).revoke(key.id);
    await expect(revoked).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      data: { reason: 'not-revoked', id: key.id, retryable: false },
    });
    expect(recorded).toMatchObject([{ action: 'key.revoke', outcome: 'failed', target: key.id }]);
    // Servers with this state directory still refuse the key.
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'over' });
  });

  test('cannot make an unsealed key of an older release valid, because only a person can seal it', async () => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create(agent);
    await tamper(stateDirectory, (kept) => ({ ...kept, hash: kept.hash.split('.')[0] ?? '' }));
    const keys = keysIn(stateDirectory);
    expect(await keys.verify(secret)).toBeUndefined();
    expect([await keys.seal(key.id), await keys.seal('none')]).toEqual([true, false]);
    expect(await keys.verify(secret)).toMatchObject(agent);
  });
});

describe('a database that is restored from before a revocation', () => {
  test('does not make a key valid again where it was revoked, or where a server saw the revocation', async () => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create(agent);
    await keysIn(stateDirectory).revoke(key.id);
    await tamper(stateDirectory, unrevoke);
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'over' });
    expect(await keysIn(stateDirectory).find(key.id)).toBeUndefined();
    // A server that starts revokes the key in the database again. After that, the list is no longer needed.
    expect(await keysIn(stateDirectory).sync()).toEqual([key.id]);
    await rm(join(stateDirectory, 'revoked-keys.jsonl'));
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'over' });
  });

  test('is corrected by a server that saw the revocation of another one', async () => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create(agent);
    await keysIn(stateDirectory).revoke(key.id);
    await rm(join(stateDirectory, 'revoked-keys.jsonl'));
    expect(await keysIn(stateDirectory).sync()).toEqual([]);
    await tamper(stateDirectory, unrevoke);
    expect(await keysIn(stateDirectory).verify(secret)).toBeUndefined();
  });

  test('has no valid key from before WORKFLOWLOOKUP_KEYS_NOT_BEFORE', async () => {
    const stateDirectory = tempState();
    const { secret } = await keysIn(stateDirectory).create(agent);
    const host = createHost({
      stateDirectory,
      environment: { WORKFLOWLOOKUP_KEYS_NOT_BEFORE: new Date(Date.now() + 60_000).toISOString() },
    });
    onTestFinished(() => host.close());
    expect(await openApiKeys(host.access).check(secret)).toMatchObject({ status: 'over' });
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'good' });
  });

  test('is corrected by the valid lines of a list with a broken line', async () => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create(agent);
    const at = '2026-01-01T00:00:00.000Z';
    await writeFile(
      join(stateDirectory, 'revoked-keys.jsonl'),
      `{"id":\n[]\n${JSON.stringify({ id: key.id, at })}\n{"id"`,
    );
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({
      status: 'over',
      key: { revokedAt: at },
    });
  });
});

describe('the list of revoked keys in the state directory', () => {
  const listOf = (stateDirectory: string): string => join(stateDirectory, 'revoked-keys.jsonl');
  const linesOf = async (stateDirectory: string): Promise<readonly Readonly<Record<string, string>>[]> =>
    (await readFile(listOf(stateDirectory), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
  const at = '2020-01-01T00:00:00.000Z';

  test('refuses a key because of an unsealed line, and reports that only to the host', async () => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create(agent);
    await appendFile(listOf(stateDirectory), `${JSON.stringify({ id: key.id, at })}\n`);
    const keys = keysIn(stateDirectory);
    expect(await keys.check(secret)).toMatchObject({ status: 'over', key: { revokedAt: at } });
    expect(await keys.sync()).toEqual([]);
    expect(unsealedRevocations({ stateDirectory })).toEqual([key.id]);
    // Without the line in the list, only the database decides.
    await rm(listOf(stateDirectory));
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'good' });
  });

  test.each([
    ['the time', ({ mac, ...line }: Readonly<Record<string, string>>) => ({ ...line, at, mac })],
    ['the seal', (line: Readonly<Record<string, string>>) => ({ ...line, mac: 'AAAA' })],
    ['the key of the seal', (line: Readonly<Record<string, string>>) => ({ ...line, key: '00000000' })],
  ])('treats a line as unsealed if %s was changed', async (_what, change) => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    const { secret, key } = await keys.create(agent);
    await keys.revoke(key.id);
    expect(unsealedRevocations({ stateDirectory })).toEqual([]);
    const changed = (await linesOf(stateDirectory)).map((line) => JSON.stringify(change(line)));
    await writeFile(listOf(stateDirectory), changed.join('\n'));
    expect(unsealedRevocations({ stateDirectory })).toEqual([key.id]);
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'over' });
  });

  test('is sealed line by line if the database or a person confirms the lines of an older release', async () => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    const [first, second] = [await keys.create(agent), await keys.create(agent)];
    await keys.revoke(first.key.id);
    const old = [first, second].map(({ key }) => `${JSON.stringify({ id: key.id, at })}\n`);
    await writeFile(listOf(stateDirectory), old.join(''));
    expect(await keysIn(stateDirectory).sync()).toEqual([]);
    expect(unsealedRevocations({ stateDirectory })).toEqual([second.key.id]);
    await keysIn(stateDirectory).revoke(second.key.id);
    expect(unsealedRevocations({ stateDirectory })).toEqual([]);
    await keysIn(stateDirectory).sync();
    expect(await linesOf(stateDirectory)).toHaveLength(4);
  });

  test('keeps its seals when the key ring is rotated', async () => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    await keys.revoke((await keys.create(agent)).key.id);
    rotateKey({ stateDirectory });
    await nextTurn();
    await keys.sync();
    const file = join(stateDirectory, 'keys', 'token-key');
    const [newest] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${newest}\n`);
    expect(unsealedRevocations({ stateDirectory })).toEqual([]);
  });

  test('keeps lines that are added after one that a crash truncated', async () => {
    const stateDirectory = tempState();
    const { secret, key } = await keysIn(stateDirectory).create(agent);
    await writeFile(listOf(stateDirectory), '{"id":"0000');
    await keysIn(stateDirectory).revoke(key.id);
    // If an older copy of the database is restored, the list alone must refuse the key.
    await tamper(stateDirectory, unrevoke);
    expect(await keysIn(stateDirectory).check(secret)).toMatchObject({ status: 'over' });
    expect(unsealedRevocations({ stateDirectory })).toEqual([]);
  });

  test('is made unwritable for other users', async () => {
    const stateDirectory = tempState();
    const keys = keysIn(stateDirectory);
    await keys.revoke((await keys.create(agent)).key.id);
    await chmod(listOf(stateDirectory), 0o666);
    await keysIn(stateDirectory).sync();
    expect((await stat(listOf(stateDirectory))).mode & 0o777).toBe(0o600);
  });
});

test('A key stays valid when the key ring is rotated, once a server has seen both keys', async () => {
  const stateDirectory = tempState();
  const { secret } = await keysIn(stateDirectory).create(agent);
  rotateKey({ stateDirectory });
  const keys = keysIn(stateDirectory);
  expect(await keys.verify(secret)).toMatchObject(agent);
  await keys.sync();
  const file = join(stateDirectory, 'keys', 'token-key');
  const [newest] = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, `${newest}\n`);
  expect(await keysIn(stateDirectory).verify(secret)).toMatchObject(agent);
});
