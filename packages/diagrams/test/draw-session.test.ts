import type { Workflow } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import type { SessionDiagram } from '../src/index.ts';
import { foldDiagram } from '../src/index.ts';
import { workflow as steps } from '../../core/test/support/step-workflows.ts';
import type { TestServer } from '../../core/test/support/test-server.ts';
import { atFetch, fetchManifest, openTestServer } from '../../core/test/support/test-server.ts';
import { activityWorkflow } from '../../core/test/support/sessions.ts';
import { paintedSession } from './drawn-session.ts';

/** Draws the only session of a server. */
async function pictureOf(server: TestServer): Promise<SessionDiagram> {
  const { sessions } = await server.store.find({});
  return paintedSession(server.person('ana'), sessions[0]?.sid ?? '');
}

/** Returns the state of each node, with the number of visits if there are several, and the reason if there is one. */
function nodesOf({ nodes }: SessionDiagram): Readonly<Record<string, string>> {
  return Object.fromEntries(
    nodes.map(({ id, state, visits, why }) => [
      id,
      [state, ...(visits > 1 ? [`×${visits}`] : []), ...(why === undefined ? [] : [`(${why})`])].join(' '),
    ]),
  );
}

/** Returns the edges that were taken, with the number if they were taken several times. */
function takenIn({ edges }: SessionDiagram): readonly string[] {
  return edges.flatMap(({ id, taken }) => (taken === 0 ? [] : [taken === 1 ? id : `${id} ×${taken}`]));
}

/** Opens a server with a session of a workflow that went through these activities. */
async function walked(
  workflow: Workflow,
  ...moves: readonly Partial<Parameters<TestServer['sessions']['move']>[1]>[]
) {
  const server = openTestServer([workflow]);
  let { token } = await server.sessions.start({ agentId: 'a', workflowId: workflow.id });
  for (const move of moves) ({ token } = await server.sessions.move(token, move));
  return { server, token, painted: await pictureOf(server) };
}

describe('the diagram of a session of a step workflow', () => {
  const fruit = steps([
    'plan',
    { id: 'wash', runCondition: 'dirty == true' },
    {
      id: 'each',
      type: 'loop',
      loop: { type: 'forEach', items: 'fruit', maxIterations: 5 },
      body: [{ id: 'peel', title: 'Peel', prompt: 'Peel.' }],
    },
    'serve',
  ]);
  const two = { variables: { fruit: ['apple', 'pear'] } };
  const did = (id: string): object => ({ manifest: [{ step_id: id, output: 'Done' }] });

  it('shows what is done, skipped (and why) and ahead, and counts iterations', async () => {
    const { painted } = await walked(fruit, two, did('plan'), did('peel'));
    expect(nodesOf(painted)).toEqual({
      start: 'done',
      'step:plan': 'done',
      'choice:wash': 'done',
      'step:wash': 'skipped (its condition was false: dirty == true)',
      'loop:each': 'current ×2',
      'round:each': 'done ×2',
      'step:each/peel': 'current ×2',
      'step:serve': 'planned',
      end: 'planned',
    });
    expect(takenIn(painted)).toEqual([
      'start>step:plan',
      'step:plan>choice:wash',
      'choice:wash>round:each',
      'round:each>step:each/peel ×2',
      'step:each/peel>round:each',
    ]);
  });

  it('shows how it was when the session ended', async () => {
    const { painted } = await walked(fruit, { variables: { fruit: [] } }, did('plan'), did('serve'));
    expect(nodesOf(painted)).toMatchObject({
      'loop:each': "skipped (loop 'each' had no iteration)",
      'step:each/peel': "skipped (loop 'each' had no iteration)",
      'step:serve': 'done',
      end: 'done',
    });
  });

  it('shows a move without an edge as a jump', async () => {
    const { painted } = await walked(
      steps(['first', 'second', 'third']),
      {},
      { ...did('first'), activityId: 'third' },
    );
    expect(takenIn(painted)).toEqual(['start>step:first', 'leap:step:first>step:third']);
  });

  it('shows a waiting confirmation, refused outputs, and answers', async () => {
    const server = openTestServer([
      steps([{ id: 'sign', requireConfirmation: true, approver: 'human' }, 'go']),
    ]);
    const { token } = await server.sessions.start({ agentId: 'a', workflowId: 'flow' });
    const { token: atSign } = await server.sessions.move(token, {});
    const { token: waits } = await server.sessions.yield(atSign, 'confirm');
    expect(nodesOf(await pictureOf(server))).toMatchObject({ 'checkpoint:sign/confirm': 'current' });
    server.nowMs += 60_000;
    await server.sessions
      .answer(waits, { mode: { kind: 'option', option: 'confirm' } })
      .catch(() => undefined);
    expect(nodesOf(await pictureOf(server))['checkpoint:sign/confirm']).toMatch(
      /^refused \(HUMAN_REQUIRED: /,
    );
    await server.person('ana').respond((await server.store.find({})).sessions[0]?.sid ?? '', {
      mode: { kind: 'option', option: 'confirm' },
    });
    const { token: resumed } = await server.sessions.resume(waits);
    await server.sessions.move(resumed, did('sign'));
    const painted = await pictureOf(server);
    expect(painted.nodes.find(({ kind }) => kind === 'checkpoint')).toMatchObject({
      state: 'done',
      answers: ['confirm'],
    });
    expect(takenIn(painted)).toEqual([
      'start>step:sign',
      'step:sign>checkpoint:sign/confirm',
      'checkpoint:sign/confirm>step:go',
    ]);
  });
});

describe('the diagram of a session of an activity workflow', () => {
  it('follows steps, checkpoints and transitions, and marks what an answer skipped', async () => {
    const server = openTestServer();
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    server.nowMs += 5000;
    const { token: answered } = await server.sessions.answer(token, {
      mode: { kind: 'option', option: 'yes' },
    });
    const { token: resumed } = await server.sessions.resume(answered);
    // No manifest accounts for the step yet, but the session has reached it.
    expect(nodesOf(await pictureOf(server))).toMatchObject({
      'step:fetch/buy': 'planned',
      'step:fetch/ask': 'current',
      'checkpoint:fetch/ask/bake-now': 'done',
    });
    await server.sessions.move(resumed, { manifest: fetchManifest });
    const painted = await pictureOf(server);
    expect(nodesOf(painted)).toMatchObject({
      'activity:fetch': 'done',
      'step:fetch/buy': 'done',
      'checkpoint:fetch/ask/bake-now': 'done',
      'activity:bake': 'current',
      'step:bake/knead': 'planned',
    });
    expect(new Set(takenIn(painted))).toEqual(
      new Set([
        'start>step:fetch/buy',
        'step:fetch/buy>step:fetch/ask',
        'step:fetch/ask>checkpoint:fetch/ask/bake-now',
        'checkpoint:fetch/ask/bake-now>exit:fetch',
        'exit:fetch>step:bake/knead',
      ]),
    );
    expect(takenIn(foldDiagram(painted))).toEqual(['start>step:fetch/buy', 'exit:fetch>step:bake/knead']);
  });

  it('names the answer that skipped an activity, and marks activities that no transition led to', async () => {
    const asked = activityWorkflow([
      {
        id: 'ask',
        steps: [{ id: 'put', checkpoint: 'how' }],
        checkpoints: [
          {
            id: 'how',
            name: 'How?',
            message: 'How?',
            options: [
              { id: 'short', label: 'Short', effect: { transitionTo: 'last', skipActivities: ['long'] } },
              { id: 'long', label: 'Long' },
            ],
          },
        ],
        transitions: [
          { to: 'long', isDefault: true },
          { to: 'other', condition: 'odd == true' },
        ],
      },
      { id: 'long', transitions: [{ to: 'last' }] },
      { id: 'other', transitions: [{ to: 'last' }] },
      { id: 'last' },
    ]);
    const server = openTestServer([asked]);
    const { token } = await server.sessions.start({ agentId: 'a', workflowId: 'graph' });
    const { token: inside } = await server.sessions.move(token, {});
    const { token: waits } = await server.sessions.yield(inside, 'how');
    server.nowMs += 5000;
    const { token: answered } = await server.sessions.answer(waits, {
      mode: { kind: 'option', option: 'short' },
    });
    const { token: resumed } = await server.sessions.resume(answered);
    await server.sessions.move(resumed, { manifest: [{ step_id: 'put', output: 'Put' }] });
    const painted = await pictureOf(server);
    expect(nodesOf(painted)).toMatchObject({
      'activity:long': "skipped (the answer 'short' to checkpoint 'how' skipped it)",
      'exit:long': "skipped (the answer 'short' to checkpoint 'how' skipped it)",
      'activity:other': 'skipped (no transition that was taken leads to it)',
      'activity:last': 'current',
    });
    expect(painted.edges.find(({ kind, taken }) => kind === 'answer' && taken > 0)).toBeDefined();
    expect(painted.edges.filter(({ from, taken }) => from === 'exit:ask' && taken > 0)).toMatchObject([
      { kind: 'answer', by: 'How?', label: 'Short', skips: ['long'] },
    ]);
  });

  it('shows what has to be done again after the session was sent back', async () => {
    const checkpoint = {
      id: 'well',
      name: 'Well?',
      message: 'Well?',
      options: [
        { id: 'yes', label: 'Yes', effect: { transitionTo: 'ship' } },
        { id: 'no', label: 'No', effect: { transitionTo: 'build' } },
      ],
    };
    const sentBack = activityWorkflow([
      { id: 'plan', steps: [{ id: 'think' }], transitions: [{ to: 'build' }] },
      { id: 'build', steps: [{ id: 'make' }], transitions: [{ to: 'gate' }] },
      { id: 'gate', steps: [{ id: 'ask', checkpoint: 'well' }], checkpoints: [checkpoint] },
      { id: 'ship' },
    ]);
    const did = (id: string): object => ({ manifest: [{ step_id: id, output: 'Done' }] });
    const { server, token } = await walked(sentBack, {}, did('think'), did('make'));
    const { token: waits } = await server.sessions.yield(token, 'well');
    await server.person('ana').respond((await server.store.find({})).sessions[0]?.sid ?? '', {
      mode: { kind: 'option', option: 'no' },
    });
    const { token: resumed } = await server.sessions.resume(waits);
    await server.sessions.move(resumed, did('ask'));
    expect(nodesOf(await pictureOf(server))).toMatchObject({
      'activity:plan': 'done',
      'step:plan/think': 'done',
      'activity:build': 'current ×2',
      'step:build/make': 'planned',
      'activity:gate': 'planned',
      'step:gate/ask': 'planned',
      'checkpoint:gate/ask/well': 'planned',
      'exit:gate': 'planned',
      'activity:ship': 'planned',
    });
  });

  it('counts the iterations of a loop over activities', async () => {
    const tour = activityWorkflow(
      [
        {
          id: 'head',
          loops: [
            {
              id: 'all',
              name: 'All',
              type: 'forEach',
              variable: 'one',
              over: 'many',
              activities: ['visit', 'note'],
            },
          ],
          transitions: [{ to: 'end', isDefault: true }],
        },
        { id: 'visit', steps: [{ id: 'go' }] },
        { id: 'note' },
      ],
      { variables: [{ name: 'many', type: 'array', defaultValue: ['x', 'y'] }] },
    );
    const went = { manifest: [{ step_id: 'go', output: 'Went' }] };
    const { painted } = await walked(tour, {}, {}, went, {}, went, {});
    expect(nodesOf(painted)).toMatchObject({
      'activity:head': 'done',
      'round:head/all': 'done ×2',
      'activity:visit': 'done ×2',
      'step:visit/go': 'done ×2',
      'activity:note': 'done ×2',
      end: 'done',
    });
    expect(painted.edges.filter(({ kind }) => kind === 'leap')).toEqual([]);
  });
});
