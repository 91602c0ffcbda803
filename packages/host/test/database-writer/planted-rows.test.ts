import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '@workflowlookup/core';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { keys, operatorOver, partsOver } from './scene.ts';

/** A database of servers with keys, which the first session makes, and how somebody without keys connects to it. */
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

it('Rows that somebody without the keys plants below a session never reach an agent', async () => {
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
  // A person sees them, with a mark.
  const story = await operatorOver(parts, store).story(parent);
  expect(story.children.map(({ unauthentic }) => unauthentic)).toEqual(
    expect.arrayContaining([undefined, 'unsealed', 'unknown-key']),
  );
  // A hundred is all that a status looks at; however many are planted, and written to later, the genuine one is there.
  other.run(
    `WITH RECURSIVE counted(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM counted WHERE at < 250)
     INSERT INTO sessions (sid, workflow_id, parent_sid, seal, ${columns})
     SELECT printf('%020d', at), 'planted', parent_sid, NULL, ${columns.replace('updated_at', "'2099-01-01T00:00:00.000Z'")}
     FROM sessions, counted WHERE sid = ?`,
    [child.value.sid],
  );
  expect((await sessions.status(parentToken)).value.children).toEqual(children);
  const { children: shown } = await operatorOver(parts, store).story(parent);
  expect(shown.filter(({ unauthentic }) => unauthentic === undefined)).toEqual(children);
});

it('A person who vouches for a planted session does not vouch for the definition that genuine ones run on', async () => {
  const { store, intrude, sessions, parts } = await open();
  const operator = operatorOver(parts, store);
  const started = await Promise.all(
    ['lead', 'planted'].map((agentId) => sessions.start({ agentId, workflowId: 'errands' })),
  );
  const [genuine = '', planted = ''] = started.map(({ value }) => value.sid);
  const other = intrude();
  for (const table of ['sessions', 'events', 'calls', 'commands', 'agents'])
    other.run(`UPDATE ${table} SET seal = NULL WHERE sid = ?`, [planted]);
  // No digest covers this field.
  other.run(`UPDATE definitions SET seal = NULL, body = json_set(body, '$.text', 'planted')`, []);
  const seals = (): readonly unknown[] => other.all('SELECT seal FROM definitions').map(({ seal }) => seal);
  await expect(operator.seal(planted)).rejects.toMatchObject({
    code: 'STATE',
    data: { reason: 'shared-definition', sid: planted, other: genuine },
  });
  expect(seals()).toEqual([null]);
  // A server that starts a session on the definition seals what it serves.
  await sessions.start({ agentId: 'lead', workflowId: 'errands' });
  expect(await operator.seal(planted)).toMatchObject({ how: 'vouched' });
  expect((await operator.verify(genuine)).problems).toEqual([]);
});
