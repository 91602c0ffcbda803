import type { Workflow } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import type { SessionDiagram } from '../src/index.ts';
import { foldDiagram } from '../src/index.ts';
import { workflow as steps } from '../../core/test/fixtures.ts';
import type { House } from '../../core/test/session-engine/house.ts';
import { atFetch, fetched, openHouse } from '../../core/test/session-engine/house.ts';
import { activityWorkflow } from '../../core/test/session/fixtures.ts';
import { paintedSession } from './drawn-session.ts';

/** The picture of the one session of a house. */
async function pictureOf(house: House): Promise<SessionDiagram> {
  const { sessions } = await house.store.find({});
  return paintedSession(house.person('ana'), sessions[0]?.sid ?? '');
}

/** Nodes as `id state` with how often and why. */
function nodesOf({ nodes }: SessionDiagram): Readonly<Record<string, string>> {
  return Object.fromEntries(
    nodes.map(({ id, state, visits, why }) => [
      id,
      [state, ...(visits > 1 ? [`×${visits}`] : []), ...(why === undefined ? [] : [`(${why})`])].join(' '),
    ]),
  );
}

/** Edges that were taken, with how often where it was more than once. */
function takenIn({ edges }: SessionDiagram): readonly string[] {
  return edges.flatMap(({ id, taken }) => (taken === 0 ? [] : [taken === 1 ? id : `${id} ×${taken}`]));
}

/** A house with a session of a workflow that went through these activities. */
async function walked(
  workflow: Workflow,
  ...moves: readonly Partial<Parameters<House['sessions']['move']>[1]>[]
) {
  const house = openHouse([workflow]);
  let { token } = await house.sessions.start({ agentId: 'a', workflowId: workflow.id });
  for (const move of moves) ({ token } = await house.sessions.move(token, move));
  return { house, token, painted: await pictureOf(house) };
}

describe('the painted picture of a step workflow', () => {
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

  it('says what is done, skipped and why, and ahead, and counts rounds', async () => {
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

  it('says what it was when a session ended', async () => {
    const { painted } = await walked(fruit, { variables: { fruit: [] } }, did('plan'), did('serve'));
    expect(nodesOf(painted)).toMatchObject({
      'loop:each': "skipped (loop 'each' had no round)",
      'step:each/peel': "skipped (loop 'each' had no round)",
      'step:serve': 'done',
      end: 'done',
    });
  });

  it('draws a move that no edge stands for as a leap', async () => {
    const { painted } = await walked(
      steps(['first', 'second', 'third']),
      {},
      { ...did('first'), activityId: 'third' },
    );
    expect(takenIn(painted)).toEqual(['start>step:first', 'leap:step:first>step:third']);
  });

  it('shows that a confirmation waits, what was refused, and what was answered', async () => {
    const house = openHouse([steps([{ id: 'sign', requireConfirmation: true, approver: 'human' }, 'go'])]);
    const { token } = await house.sessions.start({ agentId: 'a', workflowId: 'flow' });
    const { token: atSign } = await house.sessions.move(token, {});
    const { token: waits } = await house.sessions.yield(atSign, 'confirm');
    expect(nodesOf(await pictureOf(house))).toMatchObject({ 'checkpoint:sign/confirm': 'current' });
    house.nowMs += 60_000;
    await house.sessions
      .answer(waits, { mode: { kind: 'option', option: 'confirm' } })
      .catch(() => undefined);
    expect(nodesOf(await pictureOf(house))['checkpoint:sign/confirm']).toMatch(/^refused \(HUMAN_REQUIRED: /);
    await house.person('ana').respond((await house.store.find({})).sessions[0]?.sid ?? '', {
      mode: { kind: 'option', option: 'confirm' },
    });
    const { token: resumed } = await house.sessions.resume(waits);
    await house.sessions.move(resumed, did('sign'));
    const painted = await pictureOf(house);
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

describe('the painted picture of an activity workflow', () => {
  it('follows steps, checkpoints and ways, and marks what an answer took out', async () => {
    const house = openHouse();
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    house.nowMs += 5000;
    const { token: answered } = await house.sessions.answer(token, {
      mode: { kind: 'option', option: 'yes' },
    });
    const { token: resumed } = await house.sessions.resume(answered);
    // No manifest accounts for the step yet, but the session has reached it.
    expect(nodesOf(await pictureOf(house))).toMatchObject({
      'step:fetch/buy': 'planned',
      'step:fetch/ask': 'current',
      'checkpoint:fetch/ask/bake-now': 'done',
    });
    await house.sessions.move(resumed, { manifest: fetched });
    const painted = await pictureOf(house);
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

  it('says which answer took an activity out, and what no way led to', async () => {
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
    const house = openHouse([asked]);
    const { token } = await house.sessions.start({ agentId: 'a', workflowId: 'graph' });
    const { token: inside } = await house.sessions.move(token, {});
    const { token: waits } = await house.sessions.yield(inside, 'how');
    house.nowMs += 5000;
    const { token: answered } = await house.sessions.answer(waits, {
      mode: { kind: 'option', option: 'short' },
    });
    const { token: resumed } = await house.sessions.resume(answered);
    await house.sessions.move(resumed, { manifest: [{ step_id: 'put', output: 'Put' }] });
    const painted = await pictureOf(house);
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
    const { house, token } = await walked(sentBack, {}, did('think'), did('make'));
    const { token: waits } = await house.sessions.yield(token, 'well');
    await house.person('ana').respond((await house.store.find({})).sessions[0]?.sid ?? '', {
      mode: { kind: 'option', option: 'no' },
    });
    const { token: resumed } = await house.sessions.resume(waits);
    await house.sessions.move(resumed, did('ask'));
    expect(nodesOf(await pictureOf(house))).toMatchObject({
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

  it('counts the rounds of a loop over activities', async () => {
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
