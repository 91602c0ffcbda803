import type { CheckpointsReply, SessionDetail, WaitingCheckpoint } from '@workflowlookup/console/contract';
import { expect, test } from 'vitest';
import { openService } from '../support/service.ts';
import { startAgent } from '../support/agent.ts';
import { openLocalBrowser } from '../support/browser.ts';

test('A checkpoint in the list has the beginning of long texts, and the page of its session has all of them', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.call('next_activity', { variables: { notes: 'x'.repeat(60_000), list: [1] } });
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const response = await browser.get(`/checkpoints/${agent.sid}`);
  const text = await response.text();
  expect(text.length).toBeLessThan(40_000);
  const { evidence } = JSON.parse(text) as WaitingCheckpoint;
  expect(evidence.variables).toMatchObject([
    { name: expect.any(String), to: expect.anything() },
    { name: expect.any(String), to: expect.anything() },
  ]);
  const session = await browser.read<SessionDetail>(`/sessions/${agent.sid}`);
  expect(session.variables).toMatchObject({ notes: 'x'.repeat(60_000) });
});

test('The list of checkpoints is short, whatever the checkpoints show', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.call('next_activity', { variables: { notes: 'x'.repeat(60_000) } });
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const response = await browser.get('/checkpoints');
  const text = await response.text();
  expect(text.length).toBeLessThan(2_000);
  const { checkpoints, waiting } = JSON.parse(text) as CheckpointsReply;
  expect(waiting).toBe(1);
  expect(checkpoints).toMatchObject([{ sid: agent.sid, id: 'confirm', revision: expect.any(Number) }]);
});
