import { expect, test } from 'vitest';
import { openBakery } from '../support/bakery.ts';
import type { Bakery } from '../support/bakery.ts';

const begin = { agent_id: 'baker', workflow_id: 'bakery', include_activity: true };
const mixed = [
  { step_id: 'weigh', output: 'A kilo' },
  { step_id: 'ask', output: 'Yes' },
];

async function asked(bakery: Bakery, checkpoint = 'bake-now') {
  const started = await bakery.call('start_session', begin);
  const request = { session_token: started.token, checkpoint_id: checkpoint, include_checkpoint: true };
  return bakery.call('yield_checkpoint', request);
}

test('Asking the user costs one extra call, and the next call contains the answer', async () => {
  const bakery = await openBakery();
  const question = await asked(bakery);
  expect(question.text).toMatch(
    new RegExp(
      `^status: yielded\ncheckpoint_handle: ${question.token}\n[^]*\nanswered_by: user\nhow_to_answer: `,
    ),
  );
  expect(question.text).toContain('message: Bake with rye?');
  bakery.pass(5000);
  const request = { session_token: question.token, option_id: 'yes', step_manifest: mixed };
  const moved = await bakery.call('next_activity', { ...request, include_activity: true });
  expect(moved.text).toMatch(/^id: bake\n/m);
  const again = await bakery.call('next_activity', { ...request, include_activity: true });
  expect(again.token).toBe(moved.token);
  const { json } = await bakery.call('get_workflow_status', { session_token: moved.token });
  expect(json['last_checkpoint']).toMatchObject({
    checkpoint_id: 'bake-now',
    option_id: 'yes',
    answered_by: 'user',
    effect: { setVariable: { hot: true } },
  });
});

test('An answer inside another call is checked for its time, its option, and who may give it', async () => {
  const bakery = await openBakery();
  const question = await asked(bakery);
  const answer = (option: string, token = question.token) =>
    bakery.call('next_activity', { session_token: token, option_id: option, step_manifest: mixed });
  expect((await answer('yes')).meta['workflowlookup/error']).toMatchObject({ name: 'INVALID_STATE' });
  bakery.pass(5000);
  expect((await answer('perhaps')).meta['workflowlookup/error']).toMatchObject({ name: 'INVALID_STATE' });
  const taste = await asked(bakery, 'taste');
  bakery.pass(5000);
  const refused = await answer('good', taste.token);
  expect(refused.meta['workflowlookup/error']).toMatchObject({ name: 'HUMAN_REQUIRED' });
  const { json } = await bakery.call('get_workflow_status', { session_token: taste.token });
  expect(json['status']).toBe('blocked');
});

test('An answer stays if the move of the same call is refused, and the error has the token to continue with', async () => {
  const bakery = await openBakery({ enforcement: 'strict' });
  const question = await asked(bakery);
  bakery.pass(5000);
  const request = { session_token: question.token, option_id: 'yes' };
  const refused = await bakery.call('next_activity', { ...request, step_manifest: [] });
  expect(refused.meta['workflowlookup/error']).toMatchObject({ name: 'MANIFEST_INVALID' });
  expect(refused.token).not.toBe(question.token);
  const moved = await bakery.call('next_activity', { session_token: refused.token, step_manifest: mixed });
  expect(moved.json).toMatchObject({ activity_id: 'bake' });
  const repeated = await bakery.call('next_activity', { ...request, step_manifest: mixed });
  expect(repeated.json).toMatchObject({ activity_id: 'bake' });
});

test('An answer before the last steps returns the activity with its newly required steps', async () => {
  const bakery = await openBakery();
  const question = await asked(bakery);
  bakery.pass(5000);
  const answered = await bakery.call('respond_checkpoint', {
    checkpoint_handle: question.token,
    option_id: 'yes',
    include_activity: true,
  });
  expect(answered.text).toMatch(/^checkpoint_id: bake-now\nresolved: true\nresolved_option: yes\n/m);
  expect(answered.text).toMatch(/\nremaining\[1\]: weigh\n/);
  const given = answered.text.slice(answered.text.indexOf('\nanswered['));
  expect(given).toMatch(/answered_by[^]*\bask\b[^]*\buser\b[^]*true/);
});

test('A client that can ask its user does so immediately', async () => {
  const bakery = await openBakery();
  bakery.person = ({ message }) => {
    bakery.pass(5000);
    return message.includes('rye') ? 'no' : undefined;
  };
  const question = await asked(bakery);
  expect(question.json).toMatchObject({ checkpoint_id: 'bake-now', resolved_option: 'no' });
});

test('Every tool that requires a token names start_session if it gets the id of a session', async () => {
  const bakery = await openBakery();
  const started = await bakery.call('start_session', begin);
  const id = /session_id: ([0-9a-f]{20})/.exec(started.text)?.[1] ?? '';
  for (const tool of ['get_workflow_status', 'get_activity', 'next_activity']) {
    const refused = await bakery.call(tool, { session_token: id });
    expect(refused.isError).toBe(true);
    const call = /call start_session (\{.*\})\.$/.exec(refused.text)?.[1] ?? '{}';
    const resumed = await bakery.call('start_session', JSON.parse(call) as object);
    expect(resumed.text).toMatch(/^id: mix\n/m);
  }
});

test('Two calls return everything after an agent lost its context', async () => {
  const bakery = await openBakery();
  const started = await bakery.call('start_session', begin);
  const full = await bakery.call('get_activity', { session_token: started.token, full: true });
  expect(full.text).not.toContain('checkpoint_handle');
  const activity = /^id: mix\n[^]*/m;
  expect(activity.exec(full.text)?.[0]).toBe(activity.exec(started.text)?.[0]);
});

test('The words of the user are stored with the answer, and not presented as those of a person', async () => {
  const bakery = await openBakery();
  const question = await asked(bakery);
  bakery.pass(5000);
  const words = { option_id: 'yes', note: 'But not too hot' };
  const moved = await bakery.call('next_activity', {
    session_token: question.token,
    ...words,
    step_manifest: mixed,
  });
  const { json } = await bakery.call('get_workflow_status', { session_token: moved.token });
  expect(json['last_checkpoint']).toMatchObject({ answered_by: 'user', relayed_note: words.note });
  expect(json['last_checkpoint']).not.toHaveProperty('person_note');
  const stray = await bakery.call('next_activity', { session_token: moved.token, note: words.note });
  expect(stray.meta['workflowlookup/error']).toMatchObject({ name: 'INVALID_INPUT' });
});
