import type { Json, Step } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../src/session/command.ts';
import type { SessionEvent } from '../../../src/session/session-event.ts';
import { workflow } from '../../support/step-workflows.ts';
import type { ActivitySketch, Walk } from '../../support/sessions.ts';
import { enforcements, graph, manifest, said, sequence, walk } from '../../support/sessions.ts';

/**
 * The result of leaving a loop. `legal`: accepted without a warning. `refused`: refused in a strict session, and accepted
 * with a warning in an advisory one. `held`: refused in both.
 *
 * @see docs/sessions.md#loops-over-steps
 */
type Verdict = 'legal' | 'refused' | 'held';

function verdictOf(each: (enforcement: 'advisory' | 'strict') => Decision<SessionEvent>): string {
  const [advisory = '', strict = ''] = enforcements.map((enforcement) => {
    const decision = each(enforcement);
    if (!decision.ok) return 'refused';
    return said(decision).length > 0 ? 'warned' : 'legal';
  });
  if (advisory === strict) return advisory === 'refused' ? 'held' : advisory;
  return `${advisory}, ${strict}` === 'warned, refused' ? 'refused' : `${advisory}, ${strict}`;
}

const body = [{ id: 'read' }, { id: 'note' }];
const files = { type: 'forEach', over: 'files', variable: 'file' } as const;
type Loop = NonNullable<ActivitySketch['loops']>[number];

function eachFile(more: Partial<Loop> = {}): Loop {
  const list = more.type === undefined ? files : {};
  return { id: 'each', name: 'Each', type: 'forEach', ...list, maxIterations: 9, steps: body, ...more };
}

/** Returns the ids of all steps in these iterations. */
function done(...iterations: readonly number[]): readonly string[] {
  return iterations.flatMap((at) => body.map(({ id }) => `each@${at}::${id}`));
}

describe('leaving a loop over the steps of an activity', () => {
  interface Attempt {
    readonly list?: Json;
    readonly steps?: readonly string[];
    readonly variables?: Readonly<Record<string, Json>>;
    readonly loop?: Partial<Loop>;
  }

  function leave({ list = ['a', 'b', 'c'], steps, variables, loop }: Attempt): string {
    return verdictOf((enforcement) => {
      const navigator = graph([
        { id: 'work', loops: [eachFile(loop)], transitions: [{ to: 'then' }] },
        { id: 'then' },
      ]);
      const session = walk(navigator, { enforcement, variables: { files: list, stop: false } });
      session.move();
      const decision = session.move('then', {
        ...(steps === undefined ? {} : manifest(...steps)),
        ...(variables === undefined ? {} : { variables }),
      });
      expect(session.state.current).toBe(decision.ok ? 'then' : 'work');
      return decision;
    });
  }

  test.each<[string, Attempt, Verdict]>([
    ['no manifest', {}, 'refused'],
    ['no iterations', { steps: [] }, 'refused'],
    ['the first iteration', { steps: done(0) }, 'refused'],
    ['all but the first', { steps: done(1, 2) }, 'refused'],
    ['all but one in the middle', { steps: done(0, 2) }, 'refused'],
    ['half of an iteration', { steps: [...done(0, 1), 'each@2::read'] }, 'refused'],
    ['the steps once, by their short ids', { steps: ['read', 'note'] }, 'refused'],
    [
      'the steps for each item, by their short ids',
      { steps: [0, 1, 2].flatMap(() => ['read', 'note']) },
      'legal',
    ],
    ['every iteration', { steps: done(0, 1, 2) }, 'legal'],
    ['the iterations out of order', { steps: done(2, 0, 1) }, 'legal'],
    [
      'the steps of an iteration out of order',
      { steps: [...done(0, 1), 'each@2::note', 'each@2::read'] },
      'refused',
    ],
    ['one iteration doubled', { steps: done(0, 0, 1, 2) }, 'refused'],
    ['one doubled in place of another', { steps: done(0, 1, 1) }, 'refused'],
    ['one more than there are items', { steps: done(0, 1, 2, 3) }, 'refused'],
    ['an iteration of another loop', { steps: [...done(0, 1, 2), 'other@0::read'] }, 'refused'],
    ['nothing of an empty list', { list: [], steps: [] }, 'legal'],
    ['an iteration of an empty list', { list: [], steps: done(0) }, 'refused'],
    ['no list', { list: 'a', steps: [] }, 'refused'],
    ['a list that the move shortens', { steps: done(0), variables: { files: ['a'] } }, 'refused'],
    ['a list that the move empties', { steps: [], variables: { files: [] } }, 'refused'],
    ['a list that the move unsets', { steps: [], variables: { files: null } }, 'refused'],
    [
      'a list that the move adds to',
      { steps: done(0, 1, 2), variables: { files: ['a', 'b', 'c', 'd'] } },
      'refused',
    ],
    [
      'a list that the move adds to, done',
      { steps: done(0, 1, 2, 3), variables: { files: ['a', 'b', 'c', 'd'] } },
      'legal',
    ],
    ['a list that the move empties, done', { steps: done(0, 1, 2), variables: { files: [] } }, 'legal'],
    ['a break that does not hold', { loop: { breakCondition: 'stop == true' }, steps: done(0) }, 'refused'],
    [
      'a break that the agent may make hold',
      { loop: { breakCondition: 'stop == true' }, steps: done(0), variables: { stop: true } },
      'legal',
    ],
    ['fewer than the loop may have', { loop: { maxIterations: 2 }, steps: done(0) }, 'refused'],
    ['as many as the loop may have', { loop: { maxIterations: 2 }, steps: done(0, 1) }, 'legal'],
    [
      'a while loop whose condition is true',
      { loop: { type: 'while', condition: 'stop == false' }, steps: done(0) },
      'refused',
    ],
    [
      'a while loop whose condition the move makes false',
      { loop: { type: 'while', condition: 'stop == false' }, steps: done(0), variables: { stop: true } },
      'legal',
    ],
    [
      'a doWhile loop that was not begun',
      { loop: { type: 'doWhile', condition: 'stop == true' }, steps: [] },
      'refused',
    ],
  ])('has the expected verdict with %s', (_, attempt, verdict) => {
    expect(leave(attempt)).toBe(verdict);
  });

  test.each(enforcements)('cannot follow a yield that shortens the list: %s', (enforcement) => {
    const question = { id: 'ok', name: 'Ok?', message: 'Ok?', options: [{ id: 'yes', label: 'Yes' }] };
    const navigator = graph([
      { id: 'work', loops: [eachFile()], checkpoints: [question], transitions: [{ to: 'then' }] },
      { id: 'then' },
    ]);
    const session = walk(navigator, { enforcement, variables: { files: ['a', 'b'] } });
    session.move();
    const asked = { kind: 'yield', checkpointId: 'ok', variables: { files: [] } } as const;
    expect(session.do(asked)).toMatchObject({ code: 'VARIABLE_PROTECTED' });
  });
});

describe('leaving a loop over activities with a loop over steps in it', () => {
  /** Returns a session in the first of two iterations, at the activity with the inner loop. */
  function inside(enforcement: 'advisory' | 'strict', more: Partial<ActivitySketch> = {}): Walk {
    const navigator = graph([
      {
        id: 'host',
        loops: [
          {
            id: 'units',
            name: 'Units',
            type: 'forEach',
            over: 'units',
            variable: 'unit',
            maxIterations: 9,
            activities: ['work'],
          },
        ],
        transitions: [{ to: 'then' }],
      },
      { id: 'work', loops: [eachFile()], ...more },
      { id: 'then' },
    ]);
    const session = walk(navigator, { enforcement, variables: { units: ['x', 'y'], files: ['a', 'b'] } });
    session.move();
    session.move('work');
    return session;
  }
  const sign = {
    id: 'sign',
    name: 'Sign',
    message: '{unit}?',
    approver: 'human',
    options: [{ id: 'yes', label: 'Yes' }],
  } as const;

  test.each<[string, (session: Walk) => Decision<SessionEvent>, Verdict]>([
    ['the inner loop, for the next iteration', (session) => session.move('work', manifest()), 'refused'],
    ['the inner loop with one iteration', (session) => session.move('work', manifest(...done(0))), 'refused'],
    ['the inner loop, done', (session) => session.move('work', manifest(...done(0, 1))), 'legal'],
    ['both loops in the first iteration', (session) => session.move('then', manifest()), 'refused'],
    [
      'the outer loop after one iteration',
      (session) => session.move('then', manifest(...done(0, 1))),
      'refused',
    ],
    ['the end after one iteration', (session) => session.move('end', manifest(...done(0, 1))), 'refused'],
    [
      'the second iteration with the steps of the first',
      (session) => {
        session.move('work', manifest(...done(0, 1)));
        return session.move('then', manifest());
      },
      'refused',
    ],
    [
      'both, done',
      (session) => {
        session.move('work', manifest(...done(0, 1)));
        return session.move('then', manifest(...done(0, 1)));
      },
      'legal',
    ],
  ])('has the expected verdict for %s', (_, attempt, verdict) => {
    expect(verdictOf((enforcement) => attempt(inside(enforcement)))).toBe(verdict);
  });

  test.each<[string, string]>([
    ['after one iteration', 'then'],
    ['for the end', 'end'],
  ])('is not possible %s if a person is asked in the loop', (_, target) => {
    const verdict = verdictOf((enforcement) => {
      const session = inside(enforcement, { checkpoints: [sign] });
      session.yield('sign');
      session.choose('yes', 'human');
      return session.move(target, manifest(...done(0, 1)));
    });
    expect(verdict).toBe('held');
  });
});

describe('leaving a loop of a step workflow', () => {
  const [read, note] = [
    { id: 'read', title: 'Read', prompt: 'Read.' },
    { id: 'note', title: 'Note', prompt: 'Note.' },
  ];
  function loopOf(id: string, items: string, inner: readonly object[]): Step {
    return {
      id,
      title: id,
      type: 'loop',
      loop: { type: 'forEach', items, itemVar: `${id}-item`, maxIterations: 9 },
      body: inner,
    } as unknown as Step;
  }
  const flat = ['list', loopOf('each', 'files', [read, note]), 'report'] as const;
  const nested = ['list', loopOf('units', 'units', [loopOf('each', 'files', [read])]), 'report'] as const;
  const asking = [
    'list',
    loopOf('each', 'files', [{ ...read, requireConfirmation: true, approver: 'human' }]),
    'report',
  ] as const;

  interface Attempt {
    readonly steps?: Parameters<typeof workflow>[0];
    readonly list?: Json;
    /** The steps to which the session moves first, in order. */
    readonly before?: readonly string[];
    readonly to: string;
    readonly variables?: Readonly<Record<string, Json>>;
    /** The steps that the manifest of the last move names. Default: the current step. */
    readonly named?: readonly string[];
  }

  function leave({
    steps = flat,
    list = ['a', 'b'],
    before = [],
    to,
    variables = {},
    named,
  }: Attempt): string {
    return verdictOf((enforcement) => {
      const session = walk(sequence(workflow(steps)), {
        enforcement,
        variables: { files: list, units: ['x', 'y'] },
      });
      session.move();
      for (const id of before) {
        expect(said(session.move(id, manifest(session.state.current ?? '')))).toEqual([]);
      }
      const { current = '' } = session.state;
      return session.move(to, { ...manifest(...(named ?? [current])), variables });
    });
  }
  const all = ['each@0::read', 'each@0::note', 'each@1::read', 'each@1::note'];

  test.each<[string, Attempt, Verdict]>([
    ['no iterations', { to: 'report' }, 'refused'],
    ['the end instead', { to: 'end' }, 'refused'],
    ['half of an iteration', { before: all.slice(0, 1), to: 'report' }, 'refused'],
    ['the first iteration', { before: all.slice(0, 2), to: 'report' }, 'refused'],
    ['all iterations', { before: all, to: 'report' }, 'legal'],
    ['the second iteration first', { to: 'each@1::read' }, 'refused'],
    ['the steps of an iteration out of order', { to: 'each@0::note' }, 'refused'],
    ['an iteration doubled', { before: all.slice(0, 2), to: 'each@0::read' }, 'refused'],
    ['an iteration without its work', { before: all.slice(0, 1), to: 'each@0::note', named: [] }, 'refused'],
    [
      'the work of another iteration',
      { before: all.slice(0, 3), to: 'each@1::note', named: ['each@0::read'] },
      'refused',
    ],
    ['an iteration that no item has', { before: all, to: 'each@2::read' }, 'refused'],
    ['nothing of an empty list', { list: [], to: 'report' }, 'legal'],
    ['an iteration of an empty list', { list: [], to: 'each@0::read' }, 'refused'],
    ['a list that the move before the loop empties', { to: 'report', variables: { files: [] } }, 'legal'],
    [
      'a list that is shortened in the loop',
      { before: all.slice(0, 1), to: 'each@0::note', variables: { files: ['a'] } },
      'held',
    ],
    [
      'a list that is emptied in the loop',
      { before: all.slice(0, 2), to: 'report', variables: { files: [] } },
      'held',
    ],
    [
      'a list that the last step adds to',
      { before: all, to: 'report', variables: { files: ['a', 'b', 'c'] } },
      'refused',
    ],
    ['the added item', { before: all, to: 'each@2::read', variables: { files: ['a', 'b', 'c'] } }, 'legal'],
    [
      'an inner loop',
      { steps: nested, before: ['units@0::each@0::read'], to: 'units@1::each@0::read' },
      'refused',
    ],
    ['both loops', { steps: nested, before: ['units@0::each@0::read'], to: 'report' }, 'refused'],
    [
      'the outer loop',
      { steps: nested, before: ['units@0::each@0::read', 'units@0::each@1::read'], to: 'report' },
      'refused',
    ],
    [
      'the inner loop, done',
      {
        steps: nested,
        before: ['units@0::each@0::read', 'units@0::each@1::read'],
        to: 'units@1::each@0::read',
      },
      'legal',
    ],
    ['a loop in which a person is asked', { steps: asking, to: 'report' }, 'held'],
    [
      'an iteration in which a person is asked',
      { steps: asking, before: ['each@0::read'], to: 'each@1::read' },
      'held',
    ],
  ])('has the expected verdict with %s', (_, attempt, verdict) => {
    expect(leave(attempt)).toBe(verdict);
  });
});
