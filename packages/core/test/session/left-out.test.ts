import { describe, expect, it } from 'vitest';
import type { ActivitySketch } from './fixtures.ts';
import { codeOf, enforcements, graph, refusalOf, walk } from './fixtures.ts';

const approve = (more: object = {}) =>
  ({
    id: 'approve',
    name: 'Approve',
    message: 'Approve?',
    approver: 'human',
    options: [{ id: 'yes', label: 'Yes' }],
    ...more,
  }) as const;

const passing = {
  code: 'ILLEGAL_TRANSITION',
  data: { checkpoint_id: 'approve', activity_id: 'review', reason: 'needs-person' },
};

describe.each(enforcements)(
  'no move leaves out what decides whether a person is asked: %s',
  (enforcement) => {
    const actions = [{ action: 'set', target: 'risk', value: 'high' }] as const;
    const triage = approve({
      id: 'triage',
      approver: 'any',
      options: [{ id: 'high', label: 'High', effect: { setVariable: { risk: 'high' } } }],
    });
    const each = { id: 'each', name: 'Each', type: 'forEach', over: 'risk', variable: 'one' } as const;
    const stop = { id: 'ask', checkpoint: 'approve' };
    const isHigh = 'risk == "high"';
    const sets = {
      'an exit action': { exitActions: actions },
      'the action of a step': { steps: [{ id: 'look', actions }] },
      'an answer': { checkpoints: [triage] },
    };
    const asks = {
      'the checkpoint': { checkpoints: [approve({ condition: isHigh })], steps: [stop] },
      'its step': { checkpoints: [approve()], steps: [{ ...stop, condition: isHigh }] },
      'the loop around its step': { checkpoints: [approve()], loops: [{ ...each, steps: [stop] }] },
    };
    /** plan → build → docs → review → deploy; `build` decides whether `review` asks. */
    const risky = (build: object, review: object) => {
      const all = [
        { id: 'plan', transitions: [{ to: 'build' }] },
        { id: 'build', transitions: [{ to: 'docs' }], ...build },
        { id: 'docs', transitions: [{ to: 'review' }] },
        { id: 'review', required: true, transitions: [{ to: 'deploy' }], ...review },
        { id: 'deploy', transitions: [{ to: 'end' }] },
      ] as ActivitySketch[];
      const variables = [
        { name: 'risk', type: 'any', set_by: 'checkpoint', defaultValue: [] },
        { name: 'one', type: 'any' },
      ];
      const session = walk(graph(all, { variables } as object), { enforcement });
      session.move();
      return session;
    };

    it.each(Object.entries(sets))('set by %s', (_, build) => {
      for (const activityId of ['review', 'docs']) {
        const session = risky(build, asks['the checkpoint']);
        expect(refusalOf(session, { kind: 'move', activityId })).toMatchObject(passing);
      }
    });

    it.each(Object.entries(asks))('read by %s', (_, review) => {
      for (const activityId of ['review', 'docs']) {
        const session = risky(sets['an exit action'], review);
        expect(refusalOf(session, { kind: 'move', activityId })).toMatchObject(passing);
      }
    });

    it('from an activity that does not lead there', () => {
      const aside = { id: 'aside', transitions: [{ to: 'end' }] };
      const session = walk(
        graph([
          { id: 'choose', transitions: [{ to: 'build', condition: 'big == true' }, { to: 'aside' }] },
          aside,
          { id: 'build', ...sets['an exit action'], transitions: [{ to: 'review' }] },
          { id: 'review', ...asks['the checkpoint'], transitions: [{ to: 'deploy' }] },
          { id: 'deploy' },
        ]),
        { enforcement },
      );
      session.move();
      session.move('aside');
      expect(refusalOf(session, { kind: 'move', activityId: 'review' })).toMatchObject(passing);
    });

    it('but one that leaves out nothing of the kind is only warned about', () => {
      const isWarned = enforcement === 'advisory';
      const certain = { checkpoints: [approve()], steps: [stop] };
      expect(risky(sets['an exit action'], certain).move('review').ok).toBe(isWarned);
      expect(risky({}, asks['the checkpoint']).move('review').ok).toBe(isWarned);
      const done = risky(sets['an exit action'], asks['the checkpoint']);
      done.move('build');
      expect(done.move('review').ok).toBe(isWarned);
      expect(codeOf(done.move('deploy'))).toBe(isWarned ? 'CHECKPOINT_OPEN' : 'ILLEGAL_TRANSITION');
    });
  },
);
