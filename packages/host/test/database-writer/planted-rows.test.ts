import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '@workflowlookup/core';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { keys, operatorOver, partsOver } from './scene.ts';

it('Rows that somebody without the keys plants below a session never reach an agent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planted-rows-'));
  const file = join(folder, 'sessions.db');
  const store = createSqliteSessionStore({ file, keys: () => keys, delayMs: 1 });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const parts = partsOver(store);
  const sessions = createSessions(parts);
  const { token } = await sessions.start({ agentId: 'lead', workflowId: 'errands' });
  const parentToken = (await sessions.move(token, {})).token;
  const child = await sessions.start({ agentId: 'worker', workflowId: 'errands-child', parentToken });
  const parent = (await store.find({ workflowId: 'errands' })).sessions[0]?.sid ?? '';
  const other = otherConnection(file);
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
});
