import { describe, expect, test } from 'vitest';
import { remedies } from '../../../src/messages/sessions.ts';
import type { ActivityWorkflowDefinition } from '@workflowlookup/schema';
import type { ActivitySketch } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, manifest, refusalOf, walk } from '../../support/sessions.ts';
import { option } from '../../support/permit-workflow.ts';

describe.each(enforcements)(
  'a variable shown by a checkpoint that may not be asked again: %s',
  (enforcement) => {
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
          variables: [
            reserved('files'),
            { name: 'head', type: 'string' },
            { name: 'again', type: 'boolean' },
          ],
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
    /** Starts a session in which a person approves `good`, and moves to the activity that the answer opens. */
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

    test('stays frozen until the session cannot return to the activity that the answer opened', () => {
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
      'can be changed before the next iteration of a loop over %j, because it asks again',
      (activities) => {
        const repeated = {
          id: 'repeated',
          name: 'Repeated',
          type: 'while' as const,
          condition: 'again == true',
        };
        const host = { id: 'host', loops: [{ ...repeated, maxIterations: 9, activities }] };
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
  },
);

test.each(enforcements)(
  'A checkpoint counts as possibly not asked again if a mode of another answer could skip it: %s',
  (enforcement) => {
    const flow = (defaults: Record<string, boolean>): ReturnType<typeof codeOf> => {
      const ok = {
        id: 'ok',
        name: 'OK',
        message: 'Deploy {head}?',
        approver: 'human' as const,
        condition: 'isNeeded == true',
        options: [option('yes')],
      };
      const pace = { id: 'pace', name: 'Pace', message: 'How?', options: [option('fast', { fast: true })] };
      const both = { id: 'both', name: 'Both', activationVariable: 'fast', defaults: { small: true } };
      const small = { id: 'small', name: 'Small', activationVariable: 'small', defaults };
      const session = walk(
        graph(
          [
            { id: 'ask', checkpoints: [ok, pace], transitions: [{ to: 'deploy' }] },
            { id: 'deploy', transitions: [{ to: 'ask' }] },
          ],
          {
            variables: [
              { name: 'head', type: 'string', defaultValue: 'good' },
              { name: 'isNeeded', type: 'boolean', defaultValue: true, set_by: 'checkpoint' },
            ],
            modes: [both, small],
          },
        ),
        { enforcement },
      );
      session.move();
      session.yield('ok');
      session.choose('yes', 'human');
      session.move();
      return codeOf(session.move('ask', { variables: { head: 'evil' } }));
    };
    expect(flow({ isNeeded: false })).toBe('VARIABLE_PROTECTED');
    expect(flow({ other: false })).toBeUndefined();
  },
);

describe.each(enforcements)(
  'a variable shown by the checkpoint of approved work that is not done yet: %s',
  (enforcement) => {
    const ask = (message: string): ActivitySketch => ({
      id: 'ask',
      steps: [{ id: 'stop', checkpoint: 'ok' }],
      checkpoints: [{ id: 'ok', name: 'OK', message, approver: 'human', options: [option('yes')] }],
    });
    /** Starts a session in which a person approves `staging`, and moves to the activity that the answer opens. */
    function approved(
      [first, ...others]: readonly ActivitySketch[],
      more: Partial<ActivityWorkflowDefinition> = {},
    ) {
      const session = walk(graph([first ?? ask(''), ...others], more), {
        enforcement,
        variables: { env: 'staging', files: ['a', 'b'] },
      });
      session.move();
      session.yield('ok');
      session.choose('yes', 'human');
      session.move(undefined, manifest('stop'));
      return session;
    }
    const each = { id: 'each', name: 'Each', type: 'forEach' as const, over: 'files', variable: 'file' };
    const inLoop: readonly ActivitySketch[] = [
      {
        ...ask('Deploy {files} to {env} as {version}?'),
        loops: [{ ...each, activities: ['build', 'deploy'] }],
        transitions: [{ to: 'report' }],
      },
      { id: 'build' },
      { id: 'deploy' },
      { id: 'report', transitions: [{ to: 'end' }] },
    ];
    const env = (value: string) => ({ variables: { env: value } });

    test('stays frozen if a transition leads to the same activity', () => {
      const session = approved([
        { ...ask('Deploy {version} to {env}?'), transitions: [{ to: 'deploy' }] },
        { id: 'deploy', transitions: [{ to: 'deploy', condition: 'retry == true' }, { to: 'report' }] },
        { id: 'report', transitions: [{ to: 'end' }] },
      ]);
      for (const _ of ['first', 'second']) {
        for (const evil of [{ env: 'prod' }, { version: '2' }])
          expect(codeOf(session.move('deploy', { variables: { retry: true, ...evil } }))).toBe(
            'VARIABLE_PROTECTED',
          );
        expect(codeOf(session.move('deploy', { variables: { retry: true } }))).toBeUndefined();
        expect(session.state).toMatchObject({ current: 'deploy', frozen: [{ opened: 'deploy' }] });
      }
      session.move('report', { variables: { retry: false } });
      expect(session.state.frozen).toEqual([]);
    });

    test('stays frozen until the session leaves the loop of its activity', () => {
      const session = approved(inLoop);
      for (const at of ['build', 'deploy', 'build', 'deploy']) {
        expect(session.state.current).toBe(at);
        expect(codeOf(session.move(undefined, env('prod')))).toBe('VARIABLE_PROTECTED');
        expect(codeOf(session.move())).toBeUndefined();
      }
      expect(session.state).toMatchObject({ current: 'report', frozen: [] });
      expect(codeOf(session.move(undefined, env('prod')))).toBeUndefined();
    });

    test('stays frozen in an iteration whose end leads back to the checkpoint', () => {
      const [host, , , report] = inLoop;
      const session = approved([
        host,
        { id: 'build', transitions: [{ to: 'deploy' }] },
        { id: 'deploy', transitions: [{ to: 'ask' }] },
        report,
      ] as readonly ActivitySketch[]);
      expect(codeOf(session.move('deploy', env('prod')))).toBe('VARIABLE_PROTECTED');
      session.move('deploy');
      expect(codeOf(session.move('ask', env('prod')))).toBeUndefined();
      expect(codeOf(session.move(undefined, manifest('stop')))).toBe('CHECKPOINT_OPEN');
    });

    const host = { id: 'host', loops: [{ ...each, activities: ['build', 'deploy'] }] };
    const afterwards: readonly ActivitySketch[] = [
      { ...ask('Deploy {files} to {env} as {version}?'), transitions: [{ to: 'host' }] },
      { ...host, transitions: [{ to: 'report' }] },
      ...inLoop.slice(1),
    ];

    test('stays frozen until the session leaves the loop of the activity that the answer opened', () => {
      const session = approved(afterwards);
      session.move();
      expect(codeOf(session.move(undefined, { variables: { version: '1' } }))).toBeUndefined();
      for (const at of ['deploy', 'build', 'deploy']) {
        expect(session.state).toMatchObject({ current: at, frozen: [{ opened: at, openedFirst: 'host' }] });
        for (const evil of [env('prod'), { variables: { version: '2' } }])
          expect(codeOf(session.move(undefined, evil))).toBe('VARIABLE_PROTECTED');
        expect(codeOf(session.move())).toBeUndefined();
      }
      expect(session.state).toMatchObject({ current: 'report', frozen: [] });
    });

    test('stays frozen on a detour that leads back to the approved activity and not to the checkpoint', () => {
      const session = approved([
        { ...ask('Deploy {version} to {env}?'), transitions: [{ to: 'deploy' }] },
        { id: 'deploy', transitions: [{ to: 'check' }] },
        { id: 'check', transitions: [{ to: 'deploy', condition: 'retry == true' }, { to: 'report' }] },
        { id: 'report', transitions: [{ to: 'end' }] },
      ]);
      session.move('check', { variables: { version: '1' } });
      expect(session.state).toMatchObject({
        variables: { version: '1' },
        frozen: [{ opened: 'check', openedFirst: 'deploy' }],
      });
      const refusal = refusalOf(session, {
        kind: 'move',
        activityId: 'deploy',
        variables: { retry: true, env: 'prod' },
      });
      expect(refusal).toMatchObject({
        code: 'VARIABLE_PROTECTED',
        data: { variable: 'env', rule: 'frozen' },
      });
      expect(refusal?.message).toContain(remedies.nameInSetBy('env', 'check'));
      expect(codeOf(session.move('deploy', { variables: { retry: true } }))).toBeUndefined();
      session.move('check');
      session.move('report', { variables: { retry: false } });
      expect(session.state).toMatchObject({ current: 'report', frozen: [] });
    });

    test('can be set once in the loop if it had no value, and always by the activity that set_by names', () => {
      const session = approved(inLoop);
      const version = (value: string) => ({ variables: { version: value } });
      expect(codeOf(session.move(undefined, version('1')))).toBeUndefined();
      expect(codeOf(session.move(undefined, version('2')))).toBe('VARIABLE_PROTECTED');
      const declared = ['env', 'version', 'file'].map((name) => ({ name, type: 'string' as const }));
      const files = { name: 'files', type: 'array' as const };
      const variables = [
        ...declared.slice(1),
        files,
        { name: 'env', type: 'string' as const, set_by: 'build' },
      ];
      expect(codeOf(approved(inLoop, { variables }).move(undefined, env('prod')))).toBeUndefined();
    });
  },
);
