import type { Activity, ActivityWorkflowDefinition, Step } from '@workflowlookup/schema';
import fc from 'fast-check';

/** An activity workflow as its author writes it. */
export interface GraphSketch {
  readonly activities: readonly Activity[];
  readonly more: Partial<ActivityWorkflowDefinition>;
}

const ids = ['a0', 'a1', 'a2', 'a3', 'a4'];
const values = [0, 1, 2];

/** Comparisons of a variable. `d` has no default value, so conditions that read it can be undecided. */
const test = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('==', '!='), fc.constantFrom(...values)),
  fc.tuple(fc.constant('d'), fc.constant('=='), fc.constantFrom(...values)),
);
const condition = test.map((parts) => parts.join(' '));

/** Generates an object with this property, or in half of the cases an empty one. */
function maybe<T, K extends string>(
  key: K,
  value: fc.Arbitrary<T>,
): fc.Arbitrary<{ readonly [key in K]?: T }> {
  return fc.oneof(
    fc.constant({}),
    value.map((it) => ({ [key]: it }) as { readonly [key in K]: T }),
  );
}

function together(...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> {
  return fc.tuple(...parts).map((fields) => Object.assign({}, ...fields));
}

const setting = fc.record({
  action: fc.constant('set'),
  target: fc.constantFrom('a', 'b'),
  value: fc.constantFrom(...values),
});
const actions = fc.array(together(setting, maybe('condition', condition)), { maxLength: 1 });

const step = (id: string) =>
  together(
    fc.constant({ id }),
    maybe('when', condition),
    maybe('checkpoint', fc.constantFrom('g0', 'g1')),
    maybe('actions', actions),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ required: false }) },
    ),
  );

const effect = (later: readonly string[]) =>
  together(
    maybe('setVariable', fc.record({ b: fc.constantFrom(...values), m: fc.boolean() }, { requiredKeys: [] })),
    ...(later.length === 0
      ? []
      : [
          maybe('transitionTo', fc.constantFrom(...later)),
          maybe('skipActivities', fc.array(fc.constantFrom(...later), { maxLength: 1 })),
        ]),
  );

const checkpoint = (id: string, later: readonly string[]) =>
  together(
    fc.tuple(effect(later), effect(later)).map(([one, two]) => ({
      id,
      name: id,
      message: id,
      options: [
        { id: 'o0', label: 'o0', effect: one },
        { id: 'o1', label: 'o1', effect: two },
      ],
    })),
    maybe('condition', condition),
    maybe('blocking', fc.boolean()),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ approver: 'human' }) },
    ),
    maybe('defaultOption', fc.constantFrom('o0', 'o1')),
    maybe('autoAdvanceMs', fc.constant(4000)),
  );

const branch = (id: string, later: readonly string[]) =>
  together(
    fc.constant({ id, label: id }),
    maybe('transitionTo', fc.constantFrom(...later, 'end')),
    fc.oneof(
      condition.map((it) => ({ condition: it })),
      fc.constant({ isDefault: true }),
    ),
  );

const transition = (later: readonly string[]) =>
  together(
    fc.constantFrom(...later, 'end').map((to) => ({ to })),
    fc.oneof(
      condition.map((it) => ({ condition: it })),
      fc.constant({}),
      fc.constant({ isDefault: true }),
    ),
  );

const loop = (later: readonly string[]) =>
  together(
    fc.record({
      id: fc.constant('again'),
      name: fc.constant('Again'),
      type: fc.constantFrom('forEach', 'while', 'doWhile'),
      activities: fc.uniqueArray(fc.constantFrom(...later), { minLength: 1, maxLength: 2 }),
      maxIterations: fc.integer({ min: 1, max: 3 }),
    }),
    maybe('over', fc.constant('items')),
    maybe('variable', fc.constant('item')),
    maybe('condition', condition),
    maybe('breakCondition', condition),
  );

/** Generates an activity. Its transitions lead only to later activities, so only loops lead back and every session ends. */
const activity = (id: string, later: readonly string[]) =>
  together(
    fc.constant({ id, version: '1.0.0', name: id }),
    fc.tuple(step('s0'), step('s1')).chain((both) => fc.subarray(both).map((steps) => ({ steps }))),
    fc.tuple(checkpoint('g0', later), checkpoint('g1', later)).map((checkpoints) => ({ checkpoints })),
    maybe('transitions', fc.array(transition(later), { maxLength: 3 })),
    fc
      .tuple(branch('b0', later), branch('b1', later))
      .chain((branches) =>
        fc.oneof(
          { weight: 3, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: fc.constant({ decisions: [{ id: 'choice', name: 'Choice', branches }] }) },
        ),
      ),
    ...(later.length === 0 ? [] : [maybe('loops', fc.tuple(loop(later)))]),
    maybe('entryActions', actions),
    maybe('exitActions', actions),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ required: true }) },
    ),
  );

const mode = fc.record({
  id: fc.constant('quick'),
  name: fc.constant('Quick'),
  activationVariable: fc.constant('m'),
  skipActivities: fc.subarray(ids.slice(1)),
  defaults: fc.record({ a: fc.constantFrom(...values) }, { requiredKeys: [] }),
});

const variables = [
  { name: 'a', type: 'number', defaultValue: 0 },
  { name: 'b', type: 'number', defaultValue: 0 },
  { name: 'd', type: 'number' },
  { name: 'm', type: 'boolean', defaultValue: false },
  { name: 'items', type: 'array', defaultValue: ['x', 'y'] },
  { name: 'item', type: 'string' },
] as const;

/** Activity workflows with up to five activities, which use every feature of the format that affects where a session goes. */
export const graphSketch: fc.Arbitrary<GraphSketch> = fc
  .tuple(
    fc.integer({ min: 1, max: ids.length }).chain((count) => {
      const all = ids.slice(0, count);
      return fc.tuple(...all.map((id, at) => activity(id, all.slice(at + 1))));
    }),
    fc.array(mode, { maxLength: 1 }),
  )
  .map(([activities, modes]) => ({ activities: activities as Activity[], more: { variables, modes } }));

const stepCondition = fc.oneof(condition, fc.constant('currentIteration < 3'));

const { steps } = fc.letrec<{ steps: object[]; prompt: object; loop: object }>((tie) => ({
  steps: fc.array(fc.oneof({ depthSize: 'small', maxDepth: 2 }, tie('prompt'), tie('loop')), {
    minLength: 1,
    maxLength: 3,
  }),
  prompt: together(
    maybe('runCondition', stepCondition),
    maybe('requireConfirmation', fc.oneof(fc.boolean(), stepCondition)),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ approver: 'human' }) },
    ),
  ),
  loop: together(
    fc.record({ type: fc.constant('loop'), body: tie('steps') }),
    maybe('runCondition', condition),
    fc
      .oneof(
        fc.record({ type: fc.constant('for'), count: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ type: fc.constant('forEach'), items: fc.constantFrom('items', 'missing') }),
        fc.record({ type: fc.constantFrom('while', 'until'), condition: stepCondition }),
      )
      .chain((spec) =>
        fc.integer({ min: 1, max: 3 }).map((maxIterations) => ({ loop: { ...spec, maxIterations } })),
      ),
  ),
}));

function named(sketches: readonly object[], prefix: string): Step[] {
  return sketches.map((sketch, at) => {
    const id = `${prefix}-${at}`;
    const { body } = sketch as { body?: object[] };
    return {
      title: id,
      ...(body === undefined ? { prompt: id } : {}),
      ...sketch,
      id,
      ...(body && { body: named(body, id) }),
    } as Step;
  });
}

/** The steps of step workflows, with loops up to two levels deep. */
export const stepSketches: fc.Arbitrary<readonly Step[]> = steps.map((sketches) => named(sketches, 's'));
