import { describe, expect, it } from 'vitest';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, manifest, refusalOf, walk } from '../../support/sessions.ts';

const approve = {
  id: 'approve',
  name: 'Approve',
  message: 'Publish {file}?',
  approver: 'human',
  options: [{ id: 'yes', label: 'Yes' }],
} as const;
const passed = { checkpoint_id: 'approve', activity_id: 'review', reason: 'needs-person' };

describe.each(enforcements)(
  'a loop with iterations left in which a person may be asked: %s',
  (enforcement) => {
    const each = { id: 'each', name: 'Each', type: 'forEach', over: 'files', variable: 'file' } as const;
    const ask = {
      id: 'review',
      steps: [{ id: 'ask', checkpoint: 'approve' }],
      checkpoints: [approve],
    } as const;
    const conditional = { transitions: [{ to: 'deploy', condition: 'live == true' }, { to: 'file' }] };
    const decision = {
      decisions: [
        {
          id: 'where',
          name: 'Where',
          branches: [
            { id: 'live', label: 'Live', condition: 'live == true', transitionTo: 'deploy' },
            { id: 'other', label: 'Other', isDefault: true, transitionTo: 'file' },
          ],
        },
      ],
    };
    const hosts = [
      ['a transition', conditional],
      ['a decision', decision],
    ] as const;
    /**
     * Returns a session at the host of a loop over two files. The checkpoint was answered in the first `count`
     * iterations.
     */
    const inLoop = (host: object, members: readonly object[], count = 0) => {
      const all = [
        { id: 'host', loops: [{ ...each, activities: ['review'] }], ...host },
        ...members,
        { id: 'deploy', transitions: [{ to: 'end' }] },
        { id: 'file', transitions: [{ to: 'end' }] },
      ] as ActivitySketch[];
      const session = walk(graph(all), { enforcement, variables: { files: ['a', 'b'], live: true } });
      session.move('host');
      for (let iteration = 0; iteration < count; iteration += 1) {
        session.move('review', iteration === 0 ? {} : manifest('ask'));
        answer(session);
      }
      return session;
    };
    const answer = (session: Walk): void => {
      session.yield('approve');
      session.choose('yes', 'human');
    };
    const out = { kind: 'move', activityId: 'deploy', ...manifest('ask') } as const;
    const refused = { code: 'ILLEGAL_TRANSITION', data: { ...passed, activities: ['review'] } };

    it.each(hosts)('cannot be left before the first iteration by %s', (_, host) => {
      const session = inLoop(host, [ask]);
      expect(refusalOf(session, { ...out, manifest: [] })).toMatchObject(refused);
    });

    it.each(hosts)('cannot be left after the first iteration by %s', (_, host) => {
      const session = inLoop(host, [ask], 1);
      expect(refusalOf(session, out)).toMatchObject(refused);
      session.move('review', manifest('ask'));
      answer(session);
      expect(codeOf(session.do(out))).toBeUndefined();
      expect(session.state.current).toBe('deploy');
    });

    it('cannot be left if one of its activities leads to the checkpoint', () => {
      const work = { id: 'work', transitions: [{ to: 'review' }] };
      const review = { ...ask, transitions: [{ to: 'host' }] };
      const session = inLoop({ ...conditional, loops: [{ ...each, activities: ['work'] }] }, [work, review]);
      expect(refusalOf(session, { ...out, manifest: [] })).toMatchObject({
        ...refused,
        data: { ...passed, activities: ['work'] },
      });
    });

    it('cannot be left if the loop is inside another loop', () => {
      const outer = {
        id: 'outer',
        loops: [{ ...each, id: 'all', activities: ['host'] }],
        transitions: [{ to: 'file' }],
      };
      const session = inLoop(conditional, [ask, outer]);
      expect(refusalOf(session, { ...out, manifest: [] })).toMatchObject(refused);
    });

    it.each([0, 1])('cannot be left for a later loop, after %i iterations', (count) => {
      const loops = [
        { ...each, activities: ['review'] },
        { id: 'more', name: 'More', type: 'doWhile', maxIterations: 1, activities: ['wrap'] },
      ];
      const wrap = { id: 'wrap', transitions: [{ to: 'deploy' }] };
      const session = inLoop({ ...conditional, loops }, [ask, wrap], count);
      const toWrap = {
        kind: 'move',
        activityId: 'wrap',
        ...manifest(...(count === 0 ? [] : ['ask'])),
      } as const;
      expect(refusalOf(session, toWrap)).toMatchObject(refused);
      const first = inLoop({ ...conditional, loops: loops.toReversed() }, [ask, wrap]);
      expect(codeOf(first.move('wrap'))).toBeUndefined();
      const done = inLoop({ ...conditional, loops }, [ask, wrap], 2);
      expect(codeOf(done.do({ ...toWrap, ...manifest('ask') }))).toBeUndefined();
    });

    it('can be left by a transition of one of its activities', () => {
      const review = { ...ask, transitions: [{ to: 'deploy', condition: 'live == true' }, { to: 'host' }] };
      const session = inLoop(conditional, [review], 1);
      expect(codeOf(session.do(out))).toBeUndefined();
      expect(session.state.current).toBe('deploy');
    });

    it('can be left by an answer at the activity where the loop begins', () => {
      const options = [{ id: 'stop', label: 'Stop', effect: { transitionTo: 'deploy' } }];
      const stop = { id: 'stop', name: 'Stop', message: 'Stop?', options };
      const session = inLoop({ ...conditional, checkpoints: [stop] }, [ask]);
      session.yield('stop');
      session.choose('stop');
      expect(codeOf(session.move('deploy'))).toBeUndefined();
    });

    it('can be left for a later loop by an answer at the activity where both begin', () => {
      const options = [{ id: 'more', label: 'More', effect: { transitionTo: 'wrap' } }];
      const stop = { id: 'stop', name: 'Stop', message: 'Stop?', options };
      const loops = [
        { ...each, activities: ['review'] },
        { id: 'more', name: 'More', type: 'doWhile', maxIterations: 1, activities: ['wrap'] },
      ];
      const session = inLoop({ ...conditional, loops, checkpoints: [stop] }, [ask, { id: 'wrap' }]);
      session.yield('stop');
      session.choose('more');
      expect(codeOf(session.move('wrap'))).toBeUndefined();
      expect(session.state.loops).toEqual([{ activity: 'host', loop: 'more', rounds: 1 }]);
    });

    it('can be left if it asks nobody, even beside a loop that asks and is done', () => {
      const loops = [
        { ...each, activities: ['review'] },
        { ...each, id: 'tidy', activities: ['clean'] },
      ];
      const session = inLoop({ ...conditional, loops }, [ask, { id: 'clean' }], 2);
      expect(codeOf(session.do(out))).toBeUndefined();
      expect(session.state.current).toBe('deploy');
    });
  },
);
