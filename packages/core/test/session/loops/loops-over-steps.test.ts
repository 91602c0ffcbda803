import { describe, expect, it, test } from 'vitest';
import { messages } from '../../../src/messages/sessions.ts';
import type { ActivitySketch, Walk, DryRunOptions } from '../../support/sessions.ts';
import { codeOf, enforcements, graph, manifest, refusalOf, said, walk } from '../../support/sessions.ts';
import { accountForSteps } from '../../../src/session/outputs/step-account.ts';
import { begin, evolve } from '../../../src/session/evolve.ts';
import { isAnswerTo } from '../../../src/session/open-checkpoints.ts';
import type { SessionState } from '../../../src/session/session-state.ts';
import { statusOf } from '../../../src/session/status.ts';

type Loop = NonNullable<ActivitySketch['loops']>[number];

const loop = (fields: Partial<Loop>): Loop => ({
  id: 'each',
  name: 'Each',
  type: 'forEach',
  steps: [{ id: 'read' }, { id: 'note' }],
  ...fields,
});

const clauses = { type: 'forEach', over: 'clauses', variable: 'clause' } as const;

const workflow = (fields: Partial<Loop>, more: Partial<ActivitySketch> = {}) =>
  graph([{ id: 'one', loops: [loop(fields)], ...more, transitions: [{ to: 'two' }] }, { id: 'two' }]);

function atOne(fields: Partial<Loop>, options: DryRunOptions = {}, more: Partial<ActivitySketch> = {}): Walk {
  const session = walk(workflow(fields, more), { enforcement: 'strict', ...options });
  session.move();
  return session;
}

/** Returns the ids of the step instances, iteration by iteration. */
const iterations = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => [`each@${at}::read`, `each@${at}::note`]).flat();

/** Returns the steps that a manifest must name according to the status. */
function stepsDue(session: Walk, navigator = workflow(clauses)): readonly string[] | undefined {
  return statusOf(session.state, navigator).next.find((call) => call.kind === 'move')?.steps;
}

describe('a loop over a list', () => {
  const list = { variables: { clauses: ['a', 'b'] } };

  it.each(enforcements)('requires its steps in each iteration: %s', (enforcement) => {
    for (const given of [undefined, [], iterations(1), ['each@1::read', 'each@1::note'], ['read', 'note']]) {
      const session = atOne(clauses, { ...list, enforcement });
      const decision = session.move('two', given === undefined ? {} : manifest(...given));
      expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'MANIFEST_INVALID' : undefined);
      expect(said(decision).join()).toMatch(/each@[01]::note/);
    }
    const session = atOne(clauses, { ...list, enforcement });
    expect(said(session.move('two', manifest(...iterations(2))))).toEqual([]);
  });

  it('lists the required steps of each iteration', () => {
    expect(stepsDue(atOne(clauses, list))).toEqual(iterations(2));
    expect(stepsDue(atOne(clauses, { variables: { clauses: [] } }))).toEqual([]);
  });

  it('has no more iterations than its maximum or than its list has items', () => {
    const bounded = { ...clauses, maxIterations: 1 };
    expect(atOne(bounded, list).move('two', manifest(...iterations(1))).ok).toBe(true);
    expect(codeOf(atOne(bounded, list).move('two', manifest(...iterations(2))))).toBe('MANIFEST_INVALID');
    expect(codeOf(atOne(clauses, list).move('two', manifest(...iterations(3))))).toBe('MANIFEST_INVALID');
  });

  it('uses the items that an action of the workflow sets', () => {
    const steps = [{ id: 'find', actions: [{ action: 'set', target: 'clauses', value: ['x'] }] }] as const;
    const session = atOne(clauses, list, { steps });
    expect(stepsDue(session, workflow(clauses, { steps }))).toEqual(['find', ...iterations(1)]);
    expect(session.move('two', manifest('find', ...iterations(1))).ok).toBe(true);
  });

  it.each([
    ['a list that the move gives for the first time', {}, ['a'], 1],
    ['a list that the move adds to', { clauses: ['a'] }, ['a', 'b', 'c'], 3],
    ['a list of the same length that the move replaces', { clauses: ['a'] }, ['b'], 1],
    ['a list that the move empties: the work that was there stays', { clauses: ['a', 'b'] }, [], 2],
    ['a list that the move unsets', { clauses: ['a', 'b'] }, null, 2],
  ])('has as many iterations as %s', (_, variables, given, count) => {
    const asked = (named: number): boolean =>
      atOne(clauses, { variables }).move('two', {
        ...manifest(...iterations(named)),
        variables: { clauses: given },
      }).ok;
    expect([count - 1, count, count + 1].map(asked)).toEqual([false, true, false]);
  });

  it.each(enforcements)('has an unknown number of iterations without a list: %s', (enforcement) => {
    for (const variables of [{}, { clauses: 'a' }, { clauses: { a: 1 } }]) {
      const session = atOne(clauses, { variables, enforcement });
      const decision = session.move('two', manifest());
      expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'INVALID_STATE' : undefined);
      expect(said(decision)[0]).toContain("'clauses'");
      const again = atOne(clauses, { variables, enforcement: 'strict' });
      expect(statusOf(again.state, workflow(clauses)).obstacle).toContain("'clauses'");
      expect(again.move('two', { ...manifest(), variables: { clauses: [] } }).ok).toBe(true);
    }
  });

  it.each(enforcements)(
    'can be left out if its list is only the example of the workflow: %s',
    (enforcement) => {
      const variables = [{ name: 'clauses', type: 'array', defaultValue: ['a', 'b'] }] as const;
      const left = (more: object, move: Parameters<Walk['move']>[1] = {}): string | undefined => {
        const session = walk(graph([{ id: 'one', loops: [loop(clauses)] }], { variables, ...more }), {
          enforcement,
        });
        session.move();
        const decision = session.move('end', move);
        return decision.ok ? said(decision)[0] : codeOf(decision);
      };
      const isReported = expect.stringMatching(enforcement === 'strict' ? /^MANIFEST_INVALID$/ : /each@/);
      expect(left({})).toBeUndefined();
      expect(left({}, manifest())).toBeUndefined();
      expect(left({}, manifest('each@0::read'))).toEqual(isReported);
      expect(left({}, { variables: { clauses: ['a', 'b'] } })).toEqual(isReported);
      expect(left({ enforcement: 'strict' })).toBe('MANIFEST_INVALID');
    },
  );

  it.each(enforcements)('cannot be left out if its steps set variables: %s', (enforcement) => {
    const left = (required: boolean) => {
      const steps = [
        { id: 'read', required, actions: [{ action: 'set' as const, target: 'risk', value: 'high' }] },
      ];
      const variables = [
        { name: 'clauses', type: 'array', defaultValue: ['a'] },
        { name: 'risk', type: 'string', defaultValue: 'low' },
      ] as const;
      const one = { id: 'one', loops: [loop({ ...clauses, steps })], transitions: [{ to: 'two' }] };
      const session = walk(graph([one, { id: 'two' }], { variables }), { enforcement });
      session.move();
      const decision = session.move('two', manifest());
      return { decision, risk: session.state.variables['risk'] };
    };
    expect(codeOf(left(true).decision)).toBe(enforcement === 'strict' ? 'MANIFEST_INVALID' : undefined);
    expect(said(left(true).decision)[0]).toContain('each@0::read');
    expect(left(true).risk).toBe(enforcement === 'strict' ? 'low' : 'high');
    expect(said(left(false).decision)).toEqual([]);
    expect(left(false).risk).toBe('low');
  });

  it('accepts a list that the workflow does not declare', () => {
    const declaring = graph([{ id: 'one', loops: [loop(clauses)] }], {
      variables: [{ name: 'other', type: 'string' }],
    });
    const session = walk(declaring, { enforcement: 'strict' });
    session.move();
    expect(codeOf(session.move('end', { variables: { clauses: [], stranger: [] } }))).toBe('INVALID_INPUT');
    expect(codeOf(session.move('end', { variables: { clauses: 'a' } }))).toBe('INVALID_STATE');
    expect(session.move('end', { variables: { clauses: [] } }).ok).toBe(true);
  });

  it('requires at least one iteration if the author names no list', () => {
    expect(codeOf(atOne({}).move('two', manifest()))).toBe('MANIFEST_INVALID');
    expect(atOne({}).move('two', manifest(...iterations(2))).ok).toBe(true);
  });

  it('requires in each iteration only the steps whose conditions the item meets', () => {
    const steps = [{ id: 'read', when: 'clause == "b"' }];
    const only = { ...clauses, steps };
    expect(stepsDue(atOne(only, list), workflow(only))).toEqual(['each@1::read']);
    for (const id of ['each@1::read', 'read']) {
      expect(atOne(only, list).move('two', manifest(id)).ok).toBe(true);
    }
    expect(codeOf(atOne(only, list).move('two', manifest('each@0::read')))).toBe('MANIFEST_INVALID');
  });

  it('ends when its break condition is true, even within an iteration', () => {
    const broken = { ...clauses, breakCondition: 'stop == true' };
    const left = (ids: readonly string[]): string | undefined =>
      codeOf(atOne(broken, list).move('two', { ...manifest(...ids), variables: { stop: true } }));
    expect(left([])).toBeUndefined();
    expect(left(['each@0::read'])).toBeUndefined();
    expect(left(['each@0::read', 'each@0::note', 'each@1::read'])).toBeUndefined();
    expect(left(['each@0::note'])).toBe('MANIFEST_INVALID');
    expect(left(['each@0::read', 'each@1::read'])).toBe('MANIFEST_INVALID');
  });
});

describe('a large number of variables', () => {
  /** Counts how often the variables are traversed for a loop with this number of iterations. */
  const traversals = (count: number, condition?: string): number => {
    let seen = 0;
    const variables = new Proxy(
      { clauses: Array.from({ length: count }, (_, at) => `clause ${at}`) },
      {
        ownKeys(target) {
          seen += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    const steps = ['read', 'note'].map((id) => (condition === undefined ? { id } : { id, condition }));
    const place = workflow({ ...clauses, maxIterations: 1000, steps }).place('one', { variables });
    expect(accountForSteps(place, manifest(...iterations(count)).manifest).required).toHaveLength(2 * count);
    return seen;
  };

  it('is traversed once for all iterations', () => {
    expect(traversals(500)).toBe(traversals(1));
  });

  it('is traversed once for each iteration if the steps have conditions', () => {
    const condition = 'clause != "none"';
    expect(traversals(500, condition)).toBe(traversals(1, condition) + 499);
  });
});

describe('a loop with a condition', () => {
  const red = { type: 'while', condition: 'tests == "red"' } as const;
  const variables = { tests: 'red' };

  it('requires iterations until its condition is false with the variables of the move', () => {
    expect(codeOf(atOne(red, { variables }).move('two', manifest()))).toBe('MANIFEST_INVALID');
    expect(codeOf(atOne(red, { variables }).move('two', manifest(...iterations(2))))).toBe(
      'MANIFEST_INVALID',
    );
    const green = { ...manifest(...iterations(2)), variables: { tests: 'green' } };
    expect(atOne(red, { variables }).move('two', green).ok).toBe(true);
  });

  it('names only the next missing iteration', () => {
    const refusal = atOne(red, { variables }).move('two', manifest(...iterations(1)));
    expect(said(refusal)[0]).toContain(messages.missingSteps(['each@1::read', 'each@1::note']));
  });

  it('ends at its maximum of iterations', () => {
    const bounded = { ...red, maxIterations: 2 };
    expect(stepsDue(atOne(bounded, { variables }), workflow(bounded))).toEqual(iterations(2));
    expect(atOne(bounded, { variables }).move('two', manifest(...iterations(2))).ok).toBe(true);
  });

  it('ends when an action of its steps makes the condition false', () => {
    const steps = [{ id: 'read', actions: [{ action: 'set', target: 'tests', value: 'green' }] }] as const;
    const ending = { ...red, steps };
    expect(stepsDue(atOne(ending, { variables }), workflow(ending))).toEqual(['each@0::read']);
    expect(atOne(ending, { variables }).move('two', manifest('each@0::read')).ok).toBe(true);
  });

  it('requires every started iteration to be complete', () => {
    const green = { variables: { tests: 'green' } };
    expect(codeOf(atOne(red, { variables }).move('two', { ...manifest('read'), ...green }))).toBe(
      'MANIFEST_INVALID',
    );
    expect(
      codeOf(
        atOne(red, { variables }).move('two', { ...manifest('each@1::read', 'each@1::note'), ...green }),
      ),
    ).toBe('MANIFEST_INVALID');
  });

  it('has at least one iteration if it is a doWhile loop', () => {
    const once = { ...red, type: 'doWhile' } as const;
    expect(codeOf(atOne(once).move('two', manifest()))).toBe('MANIFEST_INVALID');
    expect(atOne(once).move('two', manifest(...iterations(1))).ok).toBe(true);
  });
});

test('Criteria see the item of an iteration, and not a variable whose name reads like a path into it', () => {
  const seen: unknown[] = [];
  const steps = [{ id: 'read', validationCriteria: ['x'] }];
  const session = atOne(
    { type: 'forEach', over: 'files', variable: 'file', steps },
    {
      variables: { files: [{ risky: true }], 'file.risky': false },
      judge(_step, _output, variables) {
        seen.push(variables);
        return undefined;
      },
    },
  );
  session.move('two', manifest('each@0::read'));
  expect(seen).toEqual([{ files: [{ risky: true }], file: { risky: true } }]);
});

test('A checkpoint for a person in a loop is asked in each iteration, in strict and advisory sessions', () => {
  const checkpoint = {
    id: 'sign',
    name: 'Sign',
    message: 'Sign {clause}?',
    approver: 'human',
    options: [{ id: 'yes', label: 'Yes' }],
  } as const;
  const steps = [{ id: 'read', checkpoint: 'sign' }];
  for (const enforcement of enforcements) {
    const session = atOne(
      { ...clauses, steps },
      { enforcement, variables: { clauses: ['a', 'b'] } },
      { checkpoints: [checkpoint] },
    );
    for (const ids of [[], ['each@0::read'], ['each@0::read', 'each@1::read']]) {
      const refusal = refusalOf(session, { kind: 'move', activityId: 'two', ...manifest(...ids) });
      expect(refusal).toMatchObject({ code: 'CHECKPOINT_OPEN', data: { checkpoint_id: 'sign' } });
    }
    session.yield('sign');
    session.choose('yes', 'human');
    expect(codeOf(session.move('two', manifest('each@0::read', 'each@1::read')))).toBe('CHECKPOINT_OPEN');
    session.yield('sign');
    session.choose('yes', 'human');
    expect(session.move('two', manifest('each@0::read', 'each@1::read')).ok).toBe(true);
  }
});

describe('a checkpoint for a person in a loop', () => {
  const checkpoint = {
    id: 'approve',
    name: 'Approve',
    message: 'Change {file.name}?',
    approver: 'human',
    options: [{ id: 'yes', label: 'Yes' }],
  } as const;
  const note = { ...checkpoint, id: 'note', message: 'Note?', approver: 'any' } as const;
  const files = { type: 'forEach', over: 'files', variable: 'file' } as const;
  const asking = (enforcement: (typeof enforcements)[number], variables: object, more: object = {}): Walk =>
    atOne(
      { ...files, steps: [{ id: 'ask', checkpoint: 'approve' }] },
      { enforcement, variables: { ...variables } },
      { checkpoints: [{ ...checkpoint, ...more }, note] },
    );

  it.each(enforcements)(
    'cannot be avoided by a yield that empties or replaces the list: %s',
    (enforcement) => {
      for (const given of [[], null, ['x', 'b'], ['a']]) {
        const session = asking(enforcement, { files: ['a', 'b'] });
        const variables = { files: given };
        const command = { kind: 'yield', checkpointId: 'note', variables } as const;
        expect(refusalOf(session, command)).toMatchObject({
          code: 'VARIABLE_PROTECTED',
          data: { variable: 'files', rule: 'loop', loop: 'each', activity_id: 'one' },
        });
        expect(session.do({ ...command, variables: { files: ['a', 'b', 'c'] } }).ok).toBe(true);
      }
    },
  );

  it('cannot be avoided by a variable whose name reads like a path into the item', () => {
    const variables = { files: [{ risky: true }], 'file.risky': false };
    const session = asking('strict', variables, { condition: 'file.risky == true' });
    expect(codeOf(session.move('two', manifest('each@0::ask')))).toBe('CHECKPOINT_OPEN');
  });

  it.each(enforcements)('cannot be avoided by a missing list: %s', (enforcement) => {
    const session = asking(enforcement, {});
    expect(refusalOf(session, { kind: 'move', activityId: 'two', ...manifest() })).toMatchObject({
      code: 'INVALID_STATE',
      data: { checkpoint_id: 'approve' },
    });
    expect(session.move('two', { ...manifest(), variables: { files: [] } }).ok).toBe(true);
  });

  it('applies to the old items if a move replaces them with as many others', () => {
    const steps = [{ id: 'test', when: 'file.kind == "code"' }];
    const session = atOne({ ...files, steps }, { variables: { files: [{ kind: 'code' }] } });
    const variables = { files: [{ kind: 'doc' }] };
    expect(codeOf(session.move('two', { ...manifest(), variables }))).toBe('MANIFEST_INVALID');
  });
});

describe('an answer to a checkpoint in a loop', () => {
  const checkpoint = {
    id: 'ok',
    name: 'Ok',
    message: 'Apply {change.name}?',
    approver: 'human',
    options: [
      { id: 'yes', label: 'Yes', effect: { setVariable: { chosen: true } } },
      { id: 'no', label: 'No' },
    ],
  } as const;
  const each = { type: 'forEach', over: 'changes', variable: 'change' } as const;
  const low = { name: 'fix typo', risk: 'low' };
  const high = { name: 'drop table', risk: 'high' };
  const done = manifest('each@0::do', 'each@1::do');

  const asking = (
    enforcement: (typeof enforcements)[number],
    { variables = {}, step = {}, fields = {}, more = {} }: Record<string, object>,
  ): Walk =>
    atOne(
      { ...each, steps: [{ id: 'do', checkpoint: 'ok', ...step }], ...fields },
      { enforcement, variables: { ...variables } },
      { checkpoints: [{ ...checkpoint, ...more }] },
    );
  const answer = (session: Walk, variables: object = {}, option = 'yes'): void => {
    const asked = session.do({ kind: 'yield', checkpointId: 'ok', variables: { ...variables } });
    expect(codeOf(asked)).toBeUndefined();
    expect(codeOf(session.choose(option, 'human'))).toBeUndefined();
  };
  const iterationsAnswered = ({ state }: Walk): readonly unknown[] =>
    state.answered.map(({ iteration }) => iteration);

  describe.each(enforcements)('%s', (enforcement) => {
    const condition = {
      or: [
        { var: 'change.risk', equals: 'high' },
        { var: 'cautious', equals: true },
      ],
    };

    it.each([
      ['step', { step: { condition } }, ['each@1::do']],
      ['checkpoint', { more: { condition } }, ['each@0::do', 'each@1::do']],
    ])('counts for its iteration, even if the condition of the %s changes later', (_, where, ids) => {
      const session = asking(enforcement, { ...where, variables: { changes: [low, high] } });
      answer(session, { cautious: true });
      const move = { ...manifest(...ids), variables: { cautious: false } };
      expect(codeOf(session.move('two', move))).toBe('CHECKPOINT_OPEN');
      answer(session, { cautious: false });
      expect(iterationsAnswered(session)).toEqual(['each@0', 'each@1']);
      expect(session.move('two', manifest(...ids)).ok).toBe(true);
    });

    it('does not count for an item that is added later', () => {
      const session = asking(enforcement, { more: { message: 'Next?' }, variables: { changes: [low] } });
      answer(session);
      answer(session);
      expect(iterationsAnswered(session)).toEqual(['each@0', 'each@0']);
      const move = { ...done, variables: { changes: [low, high] } };
      expect(codeOf(session.move('two', move))).toBe('CHECKPOINT_OPEN');
    });

    it('cannot be requested before there is an item', () => {
      for (const changes of [null, []]) {
        const session = asking(enforcement, { variables: { changes } });
        expect(refusalOf(session, { kind: 'yield', checkpointId: 'ok' })).toMatchObject({
          code: 'INVALID_STATE',
          data: { checkpoint_id: 'ok', reason: 'no-iteration' },
        });
        answer(session, { changes: [high] });
        expect(session.move('two', manifest('each@0::do')).ok).toBe(true);
      }
    });

    it('is about the right item even if the step is optional', () => {
      const steps = [{ id: 'look' }, { id: 'do', required: false, checkpoint: 'ok' }];
      const variables = { changes: [low, high], change: low };
      const session = asking(enforcement, { fields: { steps }, variables });
      const all = manifest('each@0::look', 'each@1::look', 'each@1::do');
      answer(session);
      expect(session.journal.at(-1)?.event).toMatchObject({ decided: { shown: ['change.name', 'changes'] } });
      expect(codeOf(session.move('two', all))).toBe('CHECKPOINT_OPEN');
      answer(session, {}, 'no');
      expect(iterationsAnswered(session)).toEqual(['each@0', 'each@1']);
      expect(session.state.variables['chosen']).toBe(true);
      expect(session.move('two', all).ok).toBe(true);
    });

    it('counts for the iterations in order if no list says how many there are', () => {
      const step = { id: 'do', checkpoint: 'ok' };
      const more = { message: 'Again?' };
      for (const fields of [
        { over: undefined },
        { type: 'while', over: undefined, condition: 'red == true' },
        { type: 'doWhile', over: undefined, condition: 'red == true' },
      ]) {
        const session = asking(enforcement, { fields: { ...fields, steps: [step] }, more });
        answer(session);
        expect(codeOf(session.move('two', done))).toBe('CHECKPOINT_OPEN');
        answer(session);
        expect(iterationsAnswered(session)).toEqual(['each@0', 'each@1']);
        expect(session.move('two', done).ok).toBe(true);
      }
    });

    it('freezes what its checkpoint showed while other iterations are asked', () => {
      const more = { message: 'Apply {change.name} to {target}?' };
      const variables = { changes: [low, high], target: 'staging' };
      const session = asking(enforcement, { more, variables });
      const again = { kind: 'yield', checkpointId: 'ok', variables: { target: 'production' } } as const;
      answer(session);
      expect(refusalOf(session, again)).toMatchObject({
        code: 'VARIABLE_PROTECTED',
        data: { variable: 'target', rule: 'frozen', reason: 'other-iteration' },
      });
      answer(session, { changes: [low, high, high], target: 'staging' });
      expect(session.state.variables).toMatchObject({ changes: { length: 3 }, target: 'staging' });
      const alone = asking(enforcement, { more, variables: { ...variables, changes: [low] } });
      answer(alone);
      expect(codeOf(alone.do(again))).toBeUndefined();
    });

    it.each([
      ['{change.name} to {plan.env}', 'plan.env'],
      ['{change.name} of {plan}', 'plan'],
    ])(
      'freezes what its checkpoint showed, even if the list of the loop is in the same variable: %s',
      (shown, variable) => {
        const plan = { env: 'staging', changes: [low, high] };
        const session = asking(enforcement, {
          fields: { over: 'plan.changes' },
          more: { message: `Apply ${shown}?` },
          variables: { plan },
        });
        answer(session);
        const changed = { plan: { ...plan, env: 'production' } };
        expect(refusalOf(session, { kind: 'yield', checkpointId: 'ok', variables: changed })).toMatchObject({
          code: 'VARIABLE_PROTECTED',
          data: { variable, rule: 'frozen', reason: 'other-iteration' },
        });
        answer(session, { plan: { ...plan, changes: [low, high, high] } });
        expect(session.state.variables).toMatchObject({ plan: { env: 'staging', changes: { length: 3 } } });
      },
    );

    it('freezes the list of another loop that its checkpoint showed', () => {
      const session = atOne(
        {},
        { enforcement, variables: { changes: [low, high], hosts: ['staging'] } },
        {
          loops: [
            loop({ ...each, steps: [{ id: 'do', checkpoint: 'ok' }] }),
            loop({ id: 'note', type: 'forEach', over: 'hosts', steps: [{ id: 'note' }] }),
          ],
          checkpoints: [{ ...checkpoint, message: 'Apply {change.name} to {hosts}?' }],
        },
      );
      answer(session);
      const variables = { hosts: ['staging', 'production'] };
      expect(refusalOf(session, { kind: 'yield', checkpointId: 'ok', variables })).toMatchObject({
        code: 'VARIABLE_PROTECTED',
        data: { variable: 'hosts', rule: 'frozen', reason: 'other-iteration' },
      });
    });

    it('counts in order if the journal does not record the iteration', () => {
      const variables = { changes: [low, high] };
      const fields = { ...each, steps: [{ id: 'do', checkpoint: 'ok' }] };
      const navigator = workflow(fields, { checkpoints: [checkpoint] });
      const session = asking(enforcement, { variables });
      answer(session);
      const one = walk(navigator, {}, statesWithoutIterations(session).at(-1));
      expect(codeOf(one.move('two', done))).toBe('CHECKPOINT_OPEN');
      answer(one);
      expect(iterationsAnswered(one)).toEqual([undefined, 'each@1']);
      expect(one.move('two', done).ok).toBe(true);
      answer(session);
      const states = statesWithoutIterations(session);
      expect(
        session.journal.flatMap(({ event }, at) => {
          const before = states[at - 1];
          return event.type !== 'checkpoint-answered' || before === undefined
            ? []
            : isAnswerTo(event, before, navigator);
        }),
      ).toEqual([true, true]);
      const both = walk(navigator, {}, states.at(-1));
      expect(iterationsAnswered(both)).toEqual([undefined, undefined]);
      expect(both.move('two', done).ok).toBe(true);
    });
  });
});

/** Returns the states of a session as an older version computes them, which does not record the iteration of an answer. */
function statesWithoutIterations({ journal }: Walk): readonly SessionState[] {
  const [first, ...rest] = journal;
  if (first?.event.type !== 'session-started')
    throw new Error('The journal must begin with session-started.');
  const states = [begin('sid', { at: first.at, event: first.event })];
  for (const { at, event } of rest) {
    const { iteration: _iteration, ...older } = event as typeof event & { iteration?: unknown };
    states.push(evolve(states.at(-1) as SessionState, { at, event: older }));
  }
  return states;
}
