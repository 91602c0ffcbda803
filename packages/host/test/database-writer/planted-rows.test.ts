import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '@workflowlookup/core/sessions';
import { emptyJournal, sealEvents } from '@workflowlookup/storage/journal';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errands } from '../../../core/test/support/test-server.ts';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { keys, operatorOver, partsOver } from '../support/filled-store.ts';

/** Opens a database of servers with keys, which the first session creates, and a connection for somebody without keys. */
async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'planted-rows-'));
  const file = join(folder, 'sessions.db');
  const store = createSqliteSessionStore({ file, keys: () => keys, delayMs: 1 });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const parts = partsOver(store);
  return { store, parts, sessions: createSessions(parts), intrude: () => otherConnection(file) };
}

it('Rows that somebody without the keys adds to a session never reach an agent', async () => {
  const { store, intrude, sessions, parts } = await open();
  const { token } = await sessions.start({ agentId: 'lead', workflowId: 'errands' });
  const parentToken = (await sessions.move(token, {})).token;
  const child = await sessions.start({ agentId: 'worker', workflowId: 'errands-child', parentToken });
  const parent = (await store.find({ workflowId: 'errands' })).sessions[0]?.sid ?? '';
  const other = intrude();
  const columns = 'version, digest, principal, agent, status, revision, hash, created_at, updated_at';
  for (const [at, seal] of [null, `unknown:${'A'.repeat(43)}`, 'wrong'].entries())
    other.run(
      `INSERT INTO sessions (sid, workflow_id, parent_sid, seal, ${columns})
       SELECT ?, 'approved-by-the-ciso', sid, ?, ${columns} FROM sessions WHERE sid = ?`,
      [String(at).repeat(20), seal, parent],
    );
  const { children } = (await sessions.status(parentToken)).value;
  expect(children).toEqual([{ sid: child.value.sid, workflowId: 'errands-child', status: 'active' }]);
  // A person sees them marked.
  const history = await operatorOver(parts, store).history(parent);
  expect(history.children.map(({ unauthentic }) => unauthentic)).toEqual(
    expect.arrayContaining([undefined, 'unsealed', 'unknown-key']),
  );
  // A status reads only a hundred rows, but it has the authentic one however many are added and changed later.
  other.run(
    `WITH RECURSIVE counted(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM counted WHERE at < 250)
     INSERT INTO sessions (sid, workflow_id, parent_sid, seal, ${columns})
     SELECT printf('%020d', at), 'planted', parent_sid, NULL, ${columns.replace('updated_at', "'2099-01-01T00:00:00.000Z'")}
     FROM sessions, counted WHERE sid = ?`,
    [child.value.sid],
  );
  expect((await sessions.status(parentToken)).value.children).toEqual(children);
  const { children: shown } = await operatorOver(parts, store).history(parent);
  expect(shown.filter(({ unauthentic }) => unauthentic === undefined)).toEqual(children);
});

async function* asLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Makes an authentic session, and one with rows from somebody without the keys. Both have the same definition. */
async function planted() {
  const opened = await open();
  const { sessions, parts, store, intrude } = opened;
  const start = async (agentId: string) => sessions.start({ agentId, workflowId: 'errands' });
  const own = await start('lead');
  const { value } = await start('planted');
  const other = intrude();
  for (const table of ['sessions', 'events', 'calls', 'commands', 'agents'])
    other.run(`UPDATE ${table} SET seal = NULL WHERE sid = ?`, [value.sid]);
  // The digest does not cover this field.
  other.run(`UPDATE definitions SET seal = NULL, body = json_set(body, '$.text', 'planted')`, []);
  // A server with a later release runs its sessions with the stored definition.
  const workflows = createMemoryStore([{ ...errands, digest: 'sha256:later' }]);
  const elsewhere = createSessions({ ...parts, workflows });
  const operator = operatorOver(parts, store);
  const seals = (): readonly unknown[] => other.all('SELECT seal FROM definitions').map(({ seal }) => seal);
  return { ...opened, own, sid: value.sid, other, elsewhere, operator, seals };
}

describe('A person who vouches for a forged session', () => {
  const refused = { code: 'STORE_DAMAGED', data: { reason: 'unauthentic' } };

  it('also vouches for its definition, but for no other session', async () => {
    const { operator, own, sid, store, elsewhere, seals } = await planted();
    expect(await operator.seal(sid)).toEqual({ sid, how: 'vouched' });
    expect(seals()).toEqual([null]);
    await expect(store.getDefinition(errands.digest)).rejects.toMatchObject(refused);
    await expect(elsewhere.activity(own.token, { full: true })).rejects.toMatchObject(refused);
    expect((await operator.verify(own.value.sid)).problems).not.toEqual([]);
    expect((await operator.verify(sid)).problems).toEqual([]);
    expect(await operator.contents(sid)).toMatchObject({ workflow: { text: 'planted' } });
    const { token } = await elsewhere.start({ agentId: 'lead', sessionToken: sid });
    expect((await elsewhere.move(token, {})).value).toMatchObject({ status: 'active' });
    // None of it stays in the cache for the other session, even after the seals are renewed.
    expect(await operator.seal(sid)).toEqual({ sid, how: 'renewed' });
    expect(seals()).toEqual([null]);
    await expect(elsewhere.activity(own.token, { full: true })).rejects.toMatchObject(refused);
  });

  it('has to vouch again after the definition was changed', async () => {
    const { operator, sid, other } = await planted();
    await operator.seal(sid);
    other.run(`UPDATE definitions SET body = json_set(body, '$.text', 'changed since')`, []);
    await expect(operator.contents(sid)).rejects.toMatchObject(refused);
    expect((await operator.verify(sid)).problems).not.toEqual([]);
  });

  it('has to be named again after an export and an import, with the same limits', async () => {
    const { operator, sid, store, parts } = await planted();
    await operator.seal(sid);
    const lines: string[] = [];
    for await (const line of operator.export(sid)) lines.push(line);
    const there = await open();
    const imported = await operatorOver(parts, there.store).import(asLines(lines));
    expect(imported.imported).toMatchObject({ isAuthentic: true });
    expect(imported.sealed).toEqual((await store.load(sid))?.session.sealed);
    expect(imported.sealed).toMatchObject({ by: 'ana', revision: 1 });
    await expect(there.store.getDefinition(errands.digest)).rejects.toMatchObject(refused);
    expect((await operatorOver(parts, there.store).verify(sid)).problems).toEqual([]);
  });
});

it('A session that names another workflow than its definition is invalid', async () => {
  const { store, sessions, parts } = await open();
  const { value } = await sessions.start({ agentId: 'lead', workflowId: 'errands' });
  const [start] = await store.events(value.sid);
  const genuine = (await store.load(value.sid))?.session;
  if (start === undefined || genuine === undefined) throw new Error('The session is gone.');
  const sid = 'f'.repeat(20);
  const workflowId = 'errands-child';
  const { version, digest, principal, agent } = genuine;
  const events = sealEvents(sid, emptyJournal, [{ ...start, data: { ...start.data, workflowId } }]);
  await store.create({ sid, workflowId, version, digest, principal, agent }, { events });
  const { problems } = await operatorOver(parts, store).verify(sid);
  expect(problems).toContainEqual(expect.objectContaining({ code: 'DEFINITION' }));
});
