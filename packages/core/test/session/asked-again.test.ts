import { describe, expect, test } from 'vitest';
import type { ActivityWorkflowDefinition } from '@workflowlookup/schema';
import type { ActivitySketch } from './fixtures.ts';
import { codeOf, enforcements, graph, manifest, walk } from './fixtures.ts';
import { option } from './permit-workflow.ts';

describe.each(enforcements)('a question that may not come again: %s', (enforcement) => {
  const ok = {
    id: 'ok',
    name: 'OK',
    message: 'Merge {head}?',
    approver: 'human' as const,
    options: [option('yes', { approved: true }), option('no', { approved: false })],
  };
  const stop = { id: 'stop', checkpoint: 'ok' };
  const ask: ActivitySketch = {
    id: 'ask',
    steps: [stop],
    checkpoints: [ok],
    transitions: [{ to: 'deploy' }],
  };
  const deploy: ActivitySketch = {
    id: 'deploy',
    transitions: [{ to: 'prepare', condition: 'again == true' }, { to: 'end' }],
  };
  const prepare: ActivitySketch = { id: 'prepare', transitions: [{ to: 'ask' }] };
  const asking = (...options: object[]) => ({
    steps: [{ id: 'p', checkpoint: 'other' }],
    checkpoints: [{ id: 'other', name: 'Other', message: '?', options: options as never }],
  });
  const quick = { id: 'quick', name: 'Quick', activationVariable: 'isQuick', skipActivities: ['ask'] };
  const each = { id: 'each', name: 'Each', type: 'forEach' as const, over: 'files', variable: 'file' };
  const reserved = (name: string) => ({ name, type: 'array' as const, set_by: 'checkpoint' });
  type Flow = readonly [activities: readonly ActivitySketch[], more?: Partial<ActivityWorkflowDefinition>];
  const flows: Record<string, Flow> = {
    'its step is optional': [[{ ...ask, steps: [{ ...stop, required: false }] }, deploy, prepare]],
    'its step has a condition that another answer decides': [
      [
        { ...ask, steps: [{ ...stop, when: 'review != false' }] },
        deploy,
        { ...prepare, ...asking(option('once', { review: false })) },
      ],
    ],
    'it has a condition': [
      [{ ...ask, checkpoints: [{ ...ok, condition: 'review != false' }] }, deploy, prepare],
    ],
    'it is asked in a loop over steps, whose list an action empties': [
      [
        {
          ...ask,
          steps: [],
          loops: [{ ...each, steps: [stop] }],
          exitActions: [{ action: 'set', target: 'files', value: [] }],
        },
        deploy,
        prepare,
      ],
      {
        variables: [reserved('files'), { name: 'head', type: 'string' }, { name: 'again', type: 'boolean' }],
      },
    ],
    'an answer may skip its activity': [
      [ask, deploy, { ...prepare, ...asking({ ...option('small'), effect: { skipActivities: ['ask'] } }) }],
    ],
    'a mode skips its activity': [
      [ask, deploy, { ...prepare, ...asking(option('quick', { isQuick: true })) }],
      { modes: [quick] },
    ],
    'an answer may lead past it': [[ask, deploy, { ...prepare, ...asking(option('retry', {}, 'deploy')) }]],
    'a transition leads past it': [
      [
        ask,
        deploy,
        { ...prepare, transitions: [{ to: 'deploy', condition: 'isSmall == true' }, { to: 'ask' }] },
      ],
    ],
  };
  const head = (value: string) => ({ variables: { again: true, head: value } });
  /** A session in which a person approved `good`, at the activity that the answer opened. */
  function approved([activities, more]: Flow) {
    const session = walk(graph(activities, more), {
      enforcement,
      variables: { head: 'good', files: ['a'] },
    });
    session.move();
    session.yield('ok');
    session.choose('yes', 'human');
    session.move('deploy', manifest(activities[0]?.loops === undefined ? 'stop' : 'each@0::stop'));
    expect(session.state.current).toBe('deploy');
    return session;
  }

  test.each(Object.entries(flows))('stays frozen: %s', (_, flow) => {
    const session = approved(flow);
    expect(codeOf(session.move('prepare', head('evil')))).toBe('VARIABLE_PROTECTED');
    expect(codeOf(session.move('prepare', head('good')))).toBeUndefined();
    expect(session.state.frozen).toMatchObject([{ opened: 'prepare', openedFirst: 'deploy' }]);
  });

  test('stays frozen until the activity that the answer opened is out of reach', () => {
    const fork: ActivitySketch = {
      id: 'fork',
      transitions: [{ to: 'deploy', condition: 'isSmall == true' }, { to: 'check' }],
    };
    const check: ActivitySketch = { id: 'check', transitions: [{ to: 'ask' }] };
    const session = approved([[ask, deploy, { ...prepare, transitions: [{ to: 'fork' }] }, fork, check]]);
    session.move('prepare', head('good'));
    expect(codeOf(session.move('fork', head('evil')))).toBe('VARIABLE_PROTECTED');
    session.move('fork');
    expect(codeOf(session.move('check', head('better')))).toBeUndefined();
    expect(session.state).toMatchObject({ variables: { head: 'better' }, frozen: [] });
  });

  test.each([[['ask', 'deploy', 'prepare']], [['prepare', 'ask', 'deploy']]])(
    'is changed before another round of a loop over %j asks again',
    (activities) => {
      const rounds = { id: 'rounds', name: 'Rounds', type: 'while' as const, condition: 'again == true' };
      const host = { id: 'host', loops: [{ ...rounds, maxIterations: 9, activities }] };
      const members = [{ ...ask, transitions: [] }, { id: 'deploy' }, { id: 'prepare' }];
      const session = walk(graph([{ ...host, transitions: [{ to: 'end' }] }, ...members]), {
        enforcement,
        variables: { head: 'good', again: true },
      });
      while (session.state.current !== 'ask') session.move();
      session.yield('ok');
      session.choose('yes', 'human');
      session.move(undefined, manifest('stop'));
      expect(session.state.current).toBe('deploy');
      expect(codeOf(session.move(undefined, head('better')))).toBeUndefined();
    },
  );
});
