import { expect, test } from 'vitest';
import { broken } from '../support/argument-messages.ts';
import { openBakery } from '../support/bakery.ts';

const long = 'x'.repeat(200_000);

test.each([
  ['next_activity', 'activity_id', { activity_id: long }],
  ['next_activity', 'step_manifest.0.step_id', { step_manifest: [{ step_id: long, output: 'Done' }] }],
  ['yield_checkpoint', 'checkpoint_id', { checkpoint_id: long }],
  ['respond_checkpoint', 'option_id', { option_id: long }],
  ['get_skill', 'step_id', { step_id: long }],
  ['get_resource', 'resource_id', { resource_id: long }],
  ['resolve_operations', 'operations.0', { operations: [long] }],
  ['start_session', 'workflow_id', { agent_id: 'baker', workflow_id: long }],
])('%s does not repeat a long id in its error', async (name, field, args) => {
  const { call } = await openBakery();
  const { token } = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
  const sessionToken = name === 'start_session' ? {} : { session_token: token };
  const { isError, text } = await call(name, { ...sessionToken, ...args });
  expect(isError).toBe(true);
  expect(text).toContain(broken(field, long, 'maxLength', { limit: 256 }));
  expect(text.length).toBeLessThan(200);
});

test.each([
  ['transition_condition', { transition_condition: long }],
  [
    'activity_manifest.0.transition_condition',
    { activity_manifest: [{ activity_id: 'mix', outcome: 'Done', transition_condition: long }] },
  ],
])(
  'next_activity does not store a condition in %s that is longer than a definition allows',
  async (field, args) => {
    const { call } = await openBakery();
    const { token } = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
    const { isError, text } = await call('next_activity', { session_token: token, ...args });
    expect(isError).toBe(true);
    expect(text).toContain(broken(field, long, 'maxLength', { limit: 10_000 }));
    const long10 = await call('next_activity', {
      session_token: token,
      transition_condition: 'x'.repeat(10_000),
    });
    expect(long10.isError).toBe(false);
  },
);

test('The trace keeps the beginning of a long error', async () => {
  const { call } = await openBakery();
  const { token } = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
  const entered = await call('next_activity', { session_token: token });
  const step_manifest = Array.from({ length: 900 }, (_, at) => ({
    step_id: `unknown-${at}`,
    output: 'Done',
  }));
  await call('next_activity', { session_token: entered.token, step_manifest });
  const { text } = await call('get_trace', { session_token: entered.token });
  expect(text).toContain('unknown-1');
  expect(text.length).toBeLessThan(4000);
});
