import { describe, expect, it } from 'vitest';
import { workflow as steps } from '../support/step-workflows.ts';
import type { TestServer } from '../support/test-server.ts';
import { atFetch, fetchManifest, openTestServer } from '../support/test-server.ts';
import { operatorMessages } from '../../src/messages/operator.ts';
import { activityWorkflow } from '../support/sessions.ts';

async function sidIn({ store }: TestServer): Promise<string> {
  const { sessions } = await store.find({});
  return sessions[0]?.sid ?? '';
}

/** Starts a session of a workflow and makes these moves. */
async function moved(
  server: TestServer,
  workflowId: string,
  ...moves: readonly Parameters<TestServer['sessions']['move']>[1][]
): Promise<string> {
  let { token } = await server.sessions.start({ agentId: 'a', workflowId });
  for (const move of moves) ({ token } = await server.sessions.move(token, move));
  return sidIn(server);
}

describe('the task of a step workflow', () => {
  const greeting = steps(
    [
      {
        id: 'greet',
        title: 'Greet',
        prompt: 'Greet {{name}}.',
        requireConfirmation: true,
        validationCriteria: [{ type: 'contains', value: 'Hello', message: 'Say hello' }],
      },
    ],
    { variables: [{ name: 'name', type: 'string', default: 'Ana' }] },
  );

  it('is to enter the first step of a new session', async () => {
    const server = openTestServer([greeting]);
    const task = await server.person('ana').task(await moved(server, 'flow'));
    expect(task).toMatchObject({ status: 'active', steps: [], next: [{ kind: 'move', activity: 'greet' }] });
    expect(task).not.toHaveProperty('activity');
  });

  it('has the prompt, the criteria of the output and the checkpoint, with variables filled in', async () => {
    const server = openTestServer([greeting]);
    const sid = await moved(server, 'flow', { variables: { name: 'Ben' } });
    expect(await server.person('ana').task(sid)).toMatchObject({
      sid,
      workflow: { id: 'flow', title: 'Flow' },
      activity: { id: 'greet', name: 'Greet' },
      steps: [
        {
          id: 'greet',
          text: expect.stringContaining('Greet Ben.'),
          criteria: ['Say hello'],
          isDue: true,
          checkpoint: 'confirm',
        },
      ],
      checkpoints: [],
      variables: [{ name: 'name', type: 'string', value: 'Ben' }],
    });
  });

  it('checks an output like a move does, and changes nothing', async () => {
    const server = openTestServer([greeting]);
    const sid = await moved(server, 'flow', {});
    const ana = server.person('ana');
    expect(await ana.judge(sid, { step: 'greet', output: 'Hello, Ana' })).toMatchObject({ valid: true });
    expect(await ana.judge(sid, { step: 'greet', output: 'Go away' })).toMatchObject({
      valid: false,
      issues: ['Say hello'],
    });
    expect(await ana.judge(sid, { step: 'greet', output: ' ' })).toMatchObject({
      valid: false,
      issues: [operatorMessages.emptyOutput()],
    });
    await expect(ana.judge(sid, { step: 'leave', output: 'x' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    expect((await ana.history(sid)).session.revision).toBe(2);
  });
});

describe('the task of an activity workflow', () => {
  it('names the required steps, and the checkpoint of each step until it is answered', async () => {
    const server = openTestServer();
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const sid = await sidIn(server);
    const ana = server.person('ana');
    expect(await ana.task(sid)).toMatchObject({
      status: 'blocked',
      steps: [{ id: 'buy' }, { id: 'ask', checkpoint: 'bake-now' }],
    });
    await ana.respond(sid, { mode: { kind: 'option', option: 'yes' } });
    expect((await ana.task(sid)).steps[1]).not.toHaveProperty('checkpoint');
    const { token: resumed } = await server.sessions.resume(token);
    await server.sessions.move(resumed, { manifest: fetchManifest });
    expect(await ana.task(sid)).toMatchObject({ activity: { id: 'bake' }, steps: [{ id: 'knead' }] });
  });

  it('separates optional from required steps, and names the iterations of a loop', async () => {
    const packing = activityWorkflow(
      [
        {
          id: 'pack',
          name: 'Pack {where}',
          description: 'Everything for {where}.',
          steps: [{ id: 'iron', required: false }, { id: 'fold' }, { id: 'dry', when: 'wet == true' }],
          loops: [
            {
              id: 'each',
              name: 'Each',
              type: 'forEach',
              variable: 'item',
              over: 'items',
              steps: [{ id: 'put', name: 'Put it in' }],
            },
          ],
          checkpoints: [
            {
              id: 'sign',
              name: 'Sign',
              message: 'Sign?',
              approver: 'human',
              options: [{ id: 'ok', label: 'OK' }],
            },
            { id: 'chat', name: 'Chat', message: 'Chat?', options: [{ id: 'ok', label: 'OK' }] },
          ],
        },
      ],
      {
        variables: [
          { name: 'where', type: 'string', defaultValue: 'Rome' },
          { name: 'items', type: 'array', defaultValue: ['hat', 'shoes'] },
        ],
      },
    );
    const server = openTestServer([packing]);
    const task = await server.person('ana').task(await moved(server, 'graph', {}));
    expect(task.activity).toMatchObject({ id: 'pack', text: 'Everything for Rome.' });
    expect(task.steps.map(({ id, isDue }) => `${id} ${isDue ? 'due' : 'may'}`)).toEqual([
      'iron may',
      'fold due',
      'each@0::put due',
      'each@1::put due',
    ]);
    expect(task.checkpoints).toEqual(['sign']);
  });

  it('is empty once the session has ended', async () => {
    const server = openTestServer();
    await atFetch(server);
    const sid = await sidIn(server);
    const ana = server.person('ana');
    await ana.abandon(sid);
    expect(await ana.task(sid)).toMatchObject({
      status: 'completed',
      outcome: 'abandoned',
      steps: [],
      next: [],
    });
  });
});
