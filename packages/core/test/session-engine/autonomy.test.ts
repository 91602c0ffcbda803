import type { Checkpoint } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import { workflow as steps } from '../support/step-workflows.ts';
import { activityWorkflow } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';
import { openTestServer } from '../support/test-server.ts';

const plan: Checkpoint = {
  id: 'plan',
  name: 'Plan',
  message: 'Build this?',
  reversible: true,
  defaultOption: 'yes',
  options: [
    { id: 'yes', label: 'Yes', effect: { setVariable: { go: true }, transitionTo: 'build' } },
    { id: 'no', label: 'No', effect: { transitionTo: 'end' } },
  ],
};

const reversible = { policy: { autonomy: 'reversible' as const } };

function server(more: Partial<Checkpoint> = {}, policy: object = reversible): TestServer {
  return openTestServer(
    [
      activityWorkflow([
        {
          id: 'draft',
          steps: [{ id: 'write' }, { id: 'ask', checkpoint: 'plan' }],
          checkpoints: [{ ...plan, ...more }],
          transitions: [{ to: 'build' }],
        },
        { id: 'build', transitions: [{ to: 'draft', condition: 'again == true' }, { to: 'end' }] },
      ]),
    ],
    policy,
  );
}

async function yielded({ sessions }: Pick<TestServer, 'sessions'>, workflowId = 'graph') {
  const started = await sessions.start({ agentId: 'solo', workflowId, includeActivity: true });
  return sessions.yield(started.token, workflowId === 'graph' ? 'plan' : 'confirm');
}

describe('with the autonomy "reversible", a reversible checkpoint', () => {
  it('gets its default answer with all effects, and is listed for review until somebody answers it', async () => {
    const own = server();
    const { value, token } = await yielded(own);
    expect(value.taken).toMatchObject({
      answer: { kind: 'option', option: 'yes' },
      effect: { transitionTo: 'build' },
    });
    const taken = [{ checkpoint: 'plan', activity: 'draft', option: 'yes', revision: 4 }];
    const status = await own.sessions.status(token);
    expect(status.value).toMatchObject({
      status: 'active',
      taken,
      lastAnswer: { answeredBy: 'server', effect: { setVariable: { go: true } } },
    });
    const sid = (await own.store.find({})).sessions[0]?.sid ?? '';
    const events = await own.store.events(sid);
    expect(events.at(-1)?.data).toMatchObject({
      type: 'checkpoint-answered',
      by: 'agent',
      origin: { channel: 'autonomy' },
    });
    const manifest = [
      { step_id: 'write', output: 'Written' },
      { step_id: 'ask', output: 'yes' },
    ];
    const moved = await own.sessions.move(token, { manifest });
    expect(moved).toMatchObject({ warnings: [], value: { activity: 'build' } });
    // A stricter server asks the next time, and the answer removes the checkpoint from the list.
    const strict = own.sessionsFor({ policy: { autonomy: 'ask' } });
    const back = await strict.move(moved.token, { variables: { again: true } });
    const asked = await strict.yield(back.token, 'plan');
    expect(asked.value).not.toHaveProperty('taken');
    expect((await strict.present(asked.token)).value).toMatchObject({ answeredBy: 'user', taken });
    own.nowMs += 5000;
    const answered = await strict.answer(asked.token, { mode: { kind: 'option', option: 'yes' } });
    expect((await strict.status(answered.token)).value).not.toHaveProperty('taken');
  });

  it('returns the same result if the call is repeated', async () => {
    const own = server();
    const started = await own.sessions.start({ agentId: 'solo', workflowId: 'graph', includeActivity: true });
    const first = await own.sessions.yield(started.token, 'plan');
    const again = await own.sessions.yield(started.token, 'plan');
    expect(again.value).toEqual(first.value);
    expect(again.token).toBe(first.token);
  });

  it.each([
    ['has an approver', { approver: 'human' as const }, reversible],
    ['has no default option', { defaultOption: undefined as never }, reversible],
    ['is not marked as reversible', { reversible: false }, reversible],
    ['has a condition that is false', { condition: 'go == true' }, reversible],
    [
      'needs a person because of the policy of the server',
      {},
      { policy: { autonomy: 'reversible', gates: 'human' } },
    ],
    ['is on a server with autonomy "ask"', {}, {}],
  ])('is asked if it %s', async (_why, more, policy) => {
    const own = server(more, policy);
    const { value, token } = await yielded(own);
    expect(value).toEqual({ checkpoint: 'plan', isAlone: true });
    expect((await own.sessions.status(token)).value.status).toBe('blocked');
  });

  it.each([
    ['is answered by the server', {}, 'server'],
    ['is answered by the user if the default option needs a note', { note: 'required' as const }, 'user'],
    ['is answered by the user if the default option is irreversible', { irreversible: true }, 'user'],
  ])('is shown in the activity with the note that it %s', async (_what, more, decider) => {
    const { sessions } = server({ options: plan.options.map((option) => ({ ...option, ...more })) });
    const { value } = await sessions.start({ agentId: 'solo', workflowId: 'graph', includeActivity: true });
    expect(value.arrival).toMatchObject({ activity: { body: expect.stringContaining(`plan: ${decider}`) } });
  });

  it('needs an answer if the session started on a server with autonomy "ask"', async () => {
    const own = server({}, {});
    const started = await own.sessions.start({ agentId: 'solo', workflowId: 'graph', includeActivity: true });
    const lax = own.sessionsFor(reversible);
    const { value } = await lax.yield(started.token, 'plan');
    expect(value).not.toHaveProperty('taken');
  });

  it('can’t get its default answer from the calls of an agent', async () => {
    const own = server({}, {});
    const { token } = await yielded(own);
    own.nowMs += 5000;
    await expect(own.sessions.answer(token, { mode: { kind: 'by-policy' } })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });

  it('can be the confirmation of a step', async () => {
    const own = openTestServer(
      [steps([{ id: 'draft', requireConfirmation: true, reversible: true }, { id: 'send' }])],
      reversible,
    );
    const { value, token } = await yielded(own, 'flow');
    expect(value.taken).toMatchObject({ answer: { option: 'confirm' } });
    const moved = await own.sessions.move(token, { manifest: [{ step_id: 'draft', output: 'Done' }] });
    expect(moved).toMatchObject({ warnings: [], value: { activity: 'send' } });
  });
});

it('a checkpoint that the agent decides has no minimum response time', async () => {
  const own = server({ approver: 'agent', reversible: false }, {});
  const { token } = await yielded(own);
  expect((await own.sessions.present(token)).value.answeredBy).toBe('agent');
  expect((await own.sessions.status(token)).value.next[1]).toMatchObject({ kind: 'answer', by: 'agent' });
  const { value } = await own.sessions.answer(token, { mode: { kind: 'option', option: 'no' } });
  expect(value.answer).toEqual({ kind: 'option', option: 'no' });
});
