import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { expect, test } from 'vitest';
import type { Answer } from '../support/bakery.ts';
import { openBakery } from '../support/bakery.ts';

test('A call records the length of the earlier replies to its agent, including refused calls', async () => {
  const store = createMemorySessionStore();
  const { call, operator } = await openBakery({}, { store });
  const answers: Answer[] = [];
  let token = '';
  const ask = async (name: string, args: object = {}): Promise<void> => {
    const answer = await call(name, { session_token: token, ...args });
    answers.push(answer);
    if (answer.token !== 'undefined') ({ token } = answer);
  };
  const started = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
  ({ token } = started);
  answers.push(started);
  await ask('next_activity', { activity_id: 'mix', include_activity: true });
  await ask('yield_checkpoint', { checkpoint_id: 'nothing' });
  expect(answers.at(-1)?.isError).toBe(true);
  await ask('resolve_operations', { operations: ['bakery/baking::preheat'] });
  await ask('get_activity');
  await ask('get_trace');
  expect(answers.at(-1)?.text).not.toContain('read');
  const read = async (): Promise<number> => {
    const calls = await store.calls(String(started.json['session_id']));
    return calls.reduce((sum, one) => sum + Number(one.call['read'] ?? 0), 0);
  };
  const lengths = answers.map(({ text }) => text.length);
  const all = lengths.reduce((sum, length) => sum + length, 0);
  // The reply to the last call is not recorded until the agent calls again.
  expect(await read()).toBe(all - (lengths.at(-1) ?? 0));
  await ask('get_workflow_status');
  expect(await read()).toBe(all);
  const { readTokens, agents } = await operator.insights();
  expect(readTokens).toMatchObject({ sessions: 1, total: Math.round(all / 4) });
  expect(agents).toMatchObject([{ agent: 'baker', refused: 1, readTokens: Math.round(all / 4) }]);
});

test('Read text counts for the agent that read it, even if another agent calls next', async () => {
  const { call, operator } = await openBakery();
  const first = await call('start_session', { agent_id: 'ann', workflow_id: 'bakery' });
  const second = await call('start_session', { agent_id: 'bob', session_token: first.token });
  await call('get_workflow_status', { session_token: second.token });
  const { agents } = await operator.insights();
  const tokens = Object.fromEntries(agents.map(({ agent, readTokens }) => [agent, readTokens]));
  expect(tokens).toEqual({ ann: 0, bob: Math.round(second.text.length / 4) });
});
