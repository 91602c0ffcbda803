import { expect, test } from 'vitest';
import { openBakery } from '../support/bakery.ts';

const mixed = [
  { step_id: 'weigh', output: 'A kilo' },
  { step_id: 'ask', output: 'Asked' },
];
const notDone = [{ step_id: 'watch', activity_id: 'bake', reason: 'No oven' }];

test('A step that was not done is in the status, at every later checkpoint, and at the end', async () => {
  const { call } = await openBakery();
  const started = await call('start_session', {
    agent_id: 'baker',
    workflow_id: 'bakery',
    include_activity: true,
  });
  const request = { session_token: started.token, step_manifest: mixed, variables: { hot: true } };
  const baking = await call('next_activity', request);
  const left = { session_token: baking.token, step_manifest: [{ step_id: 'watch', not_done: 'No oven' }] };
  const back = await call('next_activity', { ...left, variables: { flour: 'burnt' } });
  const status = await call('get_workflow_status', { session_token: back.token });
  expect(status.json).toMatchObject({ current_activity: 'mix', not_done: notDone });
  const asked = await call('yield_checkpoint', { session_token: back.token, checkpoint_id: 'taste' });
  const { text } = await call('present_checkpoint', { checkpoint_handle: asked.token });
  expect(text).toMatch(/^not_done\[1\]\{step_id,activity_id,reason\}:\n {2}watch,bake,No oven$/m);
});

test('The end lists steps that were not done, and calls that refuse one say why', async () => {
  const { call } = await openBakery();
  const started = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
  const mixing = await call('next_activity', { session_token: started.token });
  const request = { session_token: mixing.token, variables: { hot: true } };
  const refused = await call('next_activity', {
    ...request,
    step_manifest: [{ step_id: 'weigh', not_done: 'No scale' }],
  });
  expect(refused.meta['workflowlookup/error']).toMatchObject({
    name: 'MANIFEST_INVALID',
    data: { step_id: 'weigh', activity_id: 'mix', may_be_missing: [] },
  });
  const baking = await call('next_activity', { ...request, step_manifest: mixed });
  const end = await call('next_activity', {
    session_token: baking.token,
    step_manifest: [{ step_id: 'watch', not_done: 'No oven' }],
  });
  expect(end.json).toMatchObject({ status: 'completed', not_done: notDone });
});
