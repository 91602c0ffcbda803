import { expect, test } from 'vitest';
import { openBakery } from '../support/bakery.ts';

const start = { agent_id: 'baker', workflow_id: 'bakery', include_activity: true };
const mixed = [
  { step_id: 'weigh', output: 'A kilo' },
  { step_id: 'ask', output: 'Asked' },
];

test('A session takes one call for each activity, and one more', async () => {
  const bakery = await openBakery();
  const started = await bakery.call('start_session', start);
  const [head = '', body = '', ...rest] = started.text.split('\n---\n');
  expect(head).toMatch(
    new RegExp(`^session_token: ${started.token}\nsession_id: [0-9a-f]{20}\nworkflow:\n  id: bakery\n`),
  );
  expect(started.text.match(/^session_token: /gm)).toHaveLength(1);
  expect(body).toMatch(/^id: mix\n[^]*\nremaining\[2\]: weigh,ask\nanswered_by:\n {2}"bake-now": user$/);
  expect(rest).toEqual([]);
  const request = { session_token: started.token, step_manifest: mixed, variables: { hot: true } };
  const moved = await bakery.call('next_activity', { ...request, include_activity: true });
  expect(moved.meta).toMatchObject({ session_token: moved.token, trace_token: expect.any(String) });
  const again = await bakery.call('get_activity', { session_token: moved.token });
  const activity = /^id: bake\n[^]*/m;
  expect(activity.exec(moved.text)?.[0]).toBe(activity.exec(again.text)?.[0]);

  const end = await bakery.call('next_activity', {
    session_token: moved.token,
    step_manifest: [{ step_id: 'watch', output: 'Brown' }],
    include_activity: true,
  });
  expect(end.json).toEqual({ status: 'completed', session_token: end.token });
});

test('The answers do not include the activity without the option', async () => {
  const bakery = await openBakery();
  const { include_activity: _none, ...plain } = start;
  const started = await bakery.call('start_session', { ...plain, include_activity: false });
  expect(Object.keys(started.json)).toEqual(['session_id', 'workflow', 'session_token']);
  const moved = await bakery.call('next_activity', { session_token: started.token });
  expect(moved.json).toEqual({ activity_id: 'mix', name: 'Mix the dough', session_token: moved.token });
  const baking = await bakery.call('next_activity', { session_token: moved.token, variables: { hot: true } });
  const watched = [{ step_id: 'watch', output: 'Brown' }];
  const end = await bakery.call('next_activity', { session_token: baking.token, step_manifest: watched });
  expect(end.json).toMatchObject({ status: 'completed', completed_activities: ['mix', 'bake'] });
});

test('Resuming names the next call at a checkpoint, and returns the activity after its answer', async () => {
  const bakery = await openBakery();
  const { token } = await bakery.call('start_session', start);
  const stopped = await bakery.call('yield_checkpoint', { session_token: token, checkpoint_id: 'bake-now' });
  const { json } = await bakery.call('start_session', { ...start, session_token: token });
  expect(json).toMatchObject({
    inherited: true,
    workflow: { id: 'bakery', digest: expect.any(String) },
    status: 'blocked',
    next: [{ tool: 'present_checkpoint' }, { tool: 'respond_checkpoint' }],
  });
  bakery.pass(5000);
  const answered = await bakery.call('respond_checkpoint', {
    session_token: stopped.token,
    option_id: 'yes',
  });
  const resumed = await bakery.call('resume_checkpoint', {
    session_token: answered.token,
    include_activity: true,
  });
  expect(resumed.text).toMatch(new RegExp(`^session_token: ${resumed.token}\nstatus: resumed\nid: mix\n`));
});
