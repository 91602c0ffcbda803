import { join } from 'node:path';
import type { CheckpointsReply, SessionDetail, SessionsReply } from '@workflowlookup/console/contract';
import Database from 'libsql';
import { expect, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { openService, openServiceWith } from '../support/service.ts';
import { startAgent } from '../support/agent.ts';
import { openLocalBrowser } from '../support/browser.ts';

/** Runs SQL on the row of a session, directly in the database of the server. */
function damage({ state }: TestService, sql: string, sid: string): void {
  const db = new Database(join(state, 'sessions.db'));
  db.prepare(sql).run(sid);
  db.close();
}

test('A session with a changed journal is shown up to the change, with a broken chain', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  damage(
    service,
    `UPDATE events SET data = json_set(data, '$.x', 1) WHERE sid = ? AND revision = 3`,
    agent.sid,
  );
  const browser = await openLocalBrowser(service);
  const session = await browser.read<SessionDetail>(`/sessions/${agent.sid}`);
  expect(session.history.chain).toEqual({ ok: false, brokenAt: 3 });
  expect(session.outputs).toEqual([]);
  const kept = await browser.get(`/sessions/${agent.sid}/export`);
  expect([kept.status, await kept.json()]).toEqual([
    500,
    { code: 'STORE_DAMAGED', message: expect.stringContaining('Event 3') as string },
  ]);
});

test('A session with missing data is verified once for its export, which has no seal', async () => {
  const inspected: string[] = [];
  const service = openServiceWith({
    host: {
      wrapStore: (store) => ({
        ...store,
        inspect(sid: string) {
          inspected.push(sid);
          return store.inspect?.(sid);
        },
      }),
    },
  });
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const lastLine = async (): Promise<unknown> => {
    const lines = await (await browser.get(`/sessions/${agent.sid}/export`)).text();
    return JSON.parse(lines.trimEnd().split('\n').at(-1) ?? '');
  };
  expect(await lastLine()).toHaveProperty('seal');
  damage(service, 'DELETE FROM calls WHERE sid = ?', agent.sid);
  inspected.length = 0;
  expect(await lastLine()).not.toHaveProperty('seal');
  expect(inspected).toEqual([agent.sid]);
});

test('A damaged session does not prevent others from being shown', async () => {
  const service = openService();
  const [broken, sound] = [await startAgent(service), await startAgent(service)];
  await broken.stopAtCheckpoint();
  damage(service, `UPDATE sessions SET state = '{' WHERE sid = ?`, broken.sid);
  damage(service, 'DELETE FROM events WHERE revision = 1 AND sid = ?', broken.sid);
  const browser = await openLocalBrowser(service);
  const { sessions } = await browser.read<SessionsReply>('/sessions');
  expect(sessions).toMatchObject([
    { sid: broken.sid, title: 'review-flow', problem: expect.any(String) },
    { sid: sound.sid, title: 'Review' },
  ]);
  expect((await browser.read<CheckpointsReply>('/checkpoints')).checkpoints).toEqual([]);
  expect((await browser.get(`/sessions/${broken.sid}`)).status).toBe(500);
});
