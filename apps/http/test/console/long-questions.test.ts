import type { CheckpointsReply, SessionDetail } from '@workflowlookup/console/contract';
import { expect, test } from 'vitest';
import { shortenQuestion } from '../../src/console/api/session-routes.ts';
import { openService } from '../service.ts';
import { startAgent } from './agent.ts';
import { openLocalBrowser } from './browser.ts';

test('the list of questions has the beginning of what is long, and the page of a run has all of it', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.call('next_activity', { variables: { notes: 'x'.repeat(60_000), list: [1] } });
  await agent.stopAtGate();
  const browser = await openLocalBrowser(service);
  const response = await browser.get('/gates');
  const text = await response.text();
  expect(text.length).toBeLessThan(20_000);
  const [gate] = (JSON.parse(text) as CheckpointsReply).gates;
  expect(gate?.isShortened).toBeUndefined();
  expect(gate?.evidence.variables).toMatchObject([
    { name: expect.any(String), to: expect.anything() },
    { name: expect.any(String), to: expect.anything() },
  ]);
  const run = await browser.read<SessionDetail>(`/runs/${agent.sid}`);
  expect(run.variables).toMatchObject({ notes: 'x'.repeat(60_000) });
});

test('a question with a long text, many options or a long value is cut off in the list; another one is as it is', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.stopAtGate();
  const browser = await openLocalBrowser(service);
  const { question } = await browser.read<SessionDetail>(`/runs/${agent.sid}`);
  if (question === undefined) throw new Error('a question was asked');
  expect(shortenQuestion(question)).toBe(question);
  const long = 'x'.repeat(1_000_000);
  const value = { name: 'notes', value: long, by: 'agent', isFromWorkflow: false } as const;
  const { options } = question.parts;
  for (const changed of [
    { ...question, checkpoint: { ...question.checkpoint, message: long } },
    { ...question, parts: { ...question.parts, message: [long] } },
    { ...question, parts: { ...question.parts, message: Array.from({ length: 100_000 }, () => 'abc') } },
    {
      ...question,
      parts: { ...question.parts, options: Array.from({ length: 9_000 }, () => options).flat() },
    },
    { ...question, values: [value] },
    { ...question, values: [{ ...value, value: Array.from({ length: 30_000 }, () => 1) }] },
  ]) {
    const shown = shortenQuestion(changed);
    expect(shown).not.toBe(changed);
    expect(JSON.stringify(shown).length).toBeLessThan(30_000);
    expect(shown.revision).toBe(question.revision);
  }
});
