import { describe, expect, it } from 'vitest';
import type { ActivitySketch } from '../../support/sessions.ts';
import { enforcements, graph, refusalOf, walk } from '../../support/sessions.ts';

describe.each(enforcements)(
  'an activity that is reached from a loop, and has no transitions itself: %s',
  (enforcement) => {
    const each = { id: 'each', name: 'Each', type: 'forEach', over: 'files', variable: 'file' } as const;
    const yes = { id: 'yes', label: 'Yes' };
    const approve = {
      id: 'approve',
      name: 'Approve',
      message: 'Approve?',
      approver: 'human',
      options: [yes],
    } as const;
    const ask = { id: 'ask', steps: [{ id: 'sign', checkpoint: 'approve' }], checkpoints: [approve] };
    const loop = (activities: readonly string[], to: readonly string[] = ['ask']) => ({
      id: 'host',
      loops: [{ ...each, activities }],
      transitions: to.map((target) => ({ to: target })),
    });
    const leading = (id: string, to: string) => ({ id, transitions: [{ to }] });
    const start = (activities: readonly object[]) =>
      walk(graph([...activities, ask] as ActivitySketch[]), {
        enforcement,
        variables: { files: ['a', 'b'] },
      });
    /** Makes the first legal move each time, and returns each activity with its item. */
    const path = (activities: readonly object[]) => {
      const session = start(activities);
      const seen: unknown[] = [];
      for (let moves = 0; moves < 9 && session.state.current !== 'ask'; moves += 1) {
        session.move();
        seen.push([session.state.current, session.state.variables['file']]);
      }
      return seen;
    };

    it('leads to the next iteration', () => {
      expect(path([loop(['work']), leading('work', 'note'), { id: 'note' }])).toEqual([
        ['host', undefined],
        ['work', 'a'],
        ['note', 'a'],
        ['work', 'b'],
        ['note', 'b'],
        ['ask', 'b'],
      ]);
    });

    it('leads to the next activity of the loop', () => {
      const activities = [loop(['work', 'check']), leading('work', 'note'), { id: 'note' }, { id: 'check' }];
      const iteration = (item: string) => ['work', 'note', 'check'].map((id) => [id, item]);
      expect(path(activities)).toEqual([
        ['host', undefined],
        ...iteration('a'),
        ...iteration('b'),
        ['ask', 'b'],
      ]);
    });

    it('leads to the inner one of two loops', () => {
      const outer = {
        id: 'outer',
        loops: [{ id: 'all', name: 'All', type: 'doWhile', maxIterations: 1, activities: ['host'] }],
        transitions: [{ to: 'ask' }],
      };
      const activities = [outer, loop(['work'], []), leading('work', 'note'), { id: 'note' }];
      const iteration = (item: string) => ['work', 'note'].map((id) => [id, item]);
      expect(path(activities)).toEqual([
        ['outer', undefined],
        ['host', undefined],
        ...iteration('a'),
        ...iteration('b'),
        ['ask', 'b'],
      ]);
    });

    it('leads to an outer loop that has its own iterations, and then to the end', () => {
      const once = { type: 'forEach', over: 'files', maxIterations: 1 } as const;
      const option = (transitionTo: string) => ({
        id: transitionTo,
        label: transitionTo,
        effect: { transitionTo },
      });
      const choose = (...to: string[]) => [
        { id: 'where', name: 'Where', message: 'Where?', options: to.map((id) => option(id)) },
      ];
      const activities = [
        { id: 'start', checkpoints: choose('shared', 'ask') },
        { id: 'outer', loops: [{ ...once, id: 'all', name: 'All', activities: ['inner', 'shared'] }] },
        {
          id: 'inner',
          loops: [{ ...once, id: 'some', name: 'Some', activities: ['work', 'shared'] }],
          transitions: [{ to: 'shared' }],
        },
        { id: 'work' },
        { id: 'shared' },
      ];
      const session = start(activities);
      session.move();
      session.yield('where');
      session.choose('shared');
      for (let moves = 0; moves < 20 && session.state.status === 'active'; moves += 1) session.move();
      expect(session.state.status).toBe('completed');
    });

    it('does not lead to a loop that the session is not in', () => {
      const once = { id: 'all', name: 'All', type: 'forEach', over: 'files', maxIterations: 1 } as const;
      const never = { id: 'all', name: 'All', type: 'while', condition: 'again == true' } as const;
      const go = { id: 'go', label: 'Go', effect: { transitionTo: 'work' } };
      const activities = [
        { id: 'start', checkpoints: [{ id: 'where', name: 'Where', message: 'Where?', options: [go] }] },
        // Only 'work' leads to 'outer', so 'outer' belongs to the loop of 'other', which no session enters.
        { id: 'outer', loops: [{ ...never, activities: ['inner'] }] },
        { id: 'inner', loops: [{ ...once, activities: ['work'] }] },
        { id: 'other', loops: [{ ...never, activities: ['work'] }], transitions: [{ to: 'work' }] },
        { id: 'work' },
      ];
      const session = start(activities);
      session.move();
      session.yield('where');
      session.choose('go');
      const seen: unknown[] = [];
      for (let moves = 0; moves < 9 && session.state.status === 'active'; moves += 1) {
        session.move();
        seen.push(session.state.current);
      }
      expect(seen).toEqual(['work', 'work', undefined]);
    });

    it('does not end the session before a checkpoint for a person if the next activity is unclear', () => {
      const shared = [leading('work', 'note'), leading('check', 'note'), { id: 'note' }];
      const inNote = (to: readonly string[]) => {
        const session = start([loop(['work', 'check'], to), ...shared]);
        for (const _ of ['host', 'work', 'note']) session.move();
        return session;
      };
      expect(refusalOf(inNote(['ask']), { kind: 'move' })).toMatchObject({
        code: 'ILLEGAL_TRANSITION',
        data: { checkpoint_id: 'approve', activity_id: 'ask', reason: 'needs-person' },
      });
      const free = inNote(['end']);
      free.move();
      expect(free.state.status).toBe('completed');
    });
  },
);
