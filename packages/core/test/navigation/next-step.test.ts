import type { Context } from '@workflowlookup/conditions';
import { describe, expect, test } from 'vitest';
import type { NextStep } from '../../src/navigation/next-step.ts';
import { compileWorkflow } from '../../src/navigation/compile-workflow.ts';
import { nextStep, readProgress } from '../../src/navigation/next-step.ts';
import type { StepSketch } from '../support/step-workflows.ts';
import { workflow } from '../support/step-workflows.ts';
import { nextMessages } from '../../src/messages/lookup.ts';

function next(
  steps: readonly StepSketch[],
  completed: readonly string[] = [],
  context: Context = {},
): NextStep {
  const compiled = compileWorkflow(workflow(steps));
  return nextStep(compiled, readProgress(compiled, completed), context);
}

function idOf(found: NextStep): string | undefined {
  return found.kind === 'step' ? found.instanceId : undefined;
}

describe('the order of steps', () => {
  const steps = ['one', 'two', 'three'];

  test.each([
    { completed: [], expected: 'one' },
    { completed: ['one'], expected: 'two' },
    { completed: ['two', 'three'], expected: 'one' },
    { completed: ['one', 'one', 'two'], expected: 'three' },
    { completed: ['one', 'two', 'three'], expected: undefined },
  ])('continues after $completed with $expected', ({ completed, expected }) => {
    expect(idOf(next(steps, completed))).toBe(expected);
  });

  test('names each unknown completed id once, and ignores it', () => {
    const found = next(steps, ['zzz', 'one', 'zzz']);
    expect(idOf(found)).toBe('two');
    expect(found.warnings).toEqual([nextMessages.unknownStep('zzz')]);
  });
});

test('lists the first 20 unknown completed ids and counts the others', () => {
  const unknown = Array.from({ length: 25 }, (_, at) => `zzz-${at}`);
  const { warnings } = next(['one'], unknown);
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toBe(nextMessages.moreUnknown(5));
});

describe('conditions of steps', () => {
  const branch: StepSketch[] = [
    'start',
    { id: 'small', runCondition: { var: 'size', equals: 'small' } },
    { id: 'large', runCondition: 'size == "large"' },
    'end',
  ];

  test.each([
    { size: 'small', expected: 'small' },
    { size: ' Large ', expected: 'large' },
    { size: 'huge', expected: 'end' },
  ])('lead after start to $expected if size is $size', ({ size, expected }) => {
    expect(idOf(next(branch, ['start'], { size }))).toBe(expected);
  });

  test('lead back to a step that was skipped before its condition became true', () => {
    expect(idOf(next(branch, ['start', 'end'], { size: 'small' }))).toBe('small');
  });

  test('are reported at the end if only an unset variable kept their steps from running', () => {
    expect(next(branch, ['start', 'end'])).toMatchObject({
      kind: 'complete',
      undecided: [
        { stepId: 'small', variables: ['size'] },
        { stepId: 'large', variables: ['size'] },
      ],
    });
  });

  test('count as decided once the variable has another value', () => {
    expect(next(branch, ['start', 'end'], { size: 'huge' })).toMatchObject({
      kind: 'complete',
      undecided: [],
    });
  });
});

/** Completes each next step until there is none. `after` maps a step instance to the variables that it sets. */
function walk(steps: readonly StepSketch[], context: Context = {}, after: Record<string, Context> = {}) {
  const order: string[] = [];
  let known = context;
  for (;;) {
    const found = next(steps, order, known);
    if (found.kind !== 'step') return { order, last: found };
    order.push(found.instanceId);
    known = { ...known, ...after[found.instanceId] };
    if (order.length > 100) throw new Error('The session does not end');
  }
}

const loopOf = (loop: object, body: readonly StepSketch[] | string = ['body-a']): StepSketch =>
  ({
    id: 'the-loop',
    type: 'loop',
    loop: { maxIterations: 10, ...loop },
    body: typeof body === 'string' ? body : body.map((inner) => workflow([inner]).definition.steps[0]),
  }) as unknown as StepSketch;

describe('a loop', () => {
  test.each([
    { name: 'for a number', loop: { type: 'for', count: 3 }, context: {}, iterations: 3 },
    { name: 'for a variable', loop: { type: 'for', count: 'n' }, context: { n: 2 }, iterations: 2 },
    { name: 'for a numeric string', loop: { type: 'for', count: 'n' }, context: { n: ' 2 ' }, iterations: 2 },
    {
      name: 'for a dotted variable',
      loop: { type: 'for', count: 'plan.n' },
      context: { plan: { n: 1 } },
      iterations: 1,
    },
    { name: 'for zero', loop: { type: 'for', count: 'n' }, context: { n: 0 }, iterations: 0 },
    {
      name: 'forEach',
      loop: { type: 'forEach', items: 'files' },
      context: { files: ['a', 'b'] },
      iterations: 2,
    },
    {
      name: 'forEach of nothing',
      loop: { type: 'forEach', items: 'files' },
      context: { files: [] },
      iterations: 0,
    },
    {
      name: 'while on its iteration',
      loop: { type: 'while', condition: { var: 'currentIteration', lt: 4 } },
      context: {},
      iterations: 3,
    },
    {
      name: 'until on its index',
      loop: { type: 'until', condition: { var: 'currentIndex', gte: 2 } },
      context: {},
      iterations: 2,
    },
    {
      name: 'while already false',
      loop: { type: 'while', condition: 'go == true' },
      context: { go: false },
      iterations: 0,
    },
  ])('has $iterations iterations ($name)', ({ loop, context, iterations }) => {
    const { order, last } = walk(['init', loopOf(loop), 'final'], context);
    const inside = Array.from({ length: iterations }, (_, index) => `the-loop@${index}::body-a`);
    expect(order).toEqual(['init', ...inside, 'final']);
    expect(last).toMatchObject({ kind: 'complete', warnings: [] });
  });

  test('checks a while condition at the start of an iteration, not in the middle', () => {
    const steps = [loopOf({ type: 'while', condition: 'go == true' }, ['body-a', 'body-b']), 'final'];
    const { order } = walk(steps, { go: true }, { 'the-loop@0::body-a': { go: false } });
    expect(order).toEqual(['the-loop@0::body-a', 'the-loop@0::body-b', 'final']);
  });

  test('adds iterations if its list grows', () => {
    const steps = [loopOf({ type: 'forEach', items: 'files' })];
    const { order } = walk(steps, { files: ['a'] }, { 'the-loop@0::body-a': { files: ['a', 'b'] } });
    expect(order).toEqual(['the-loop@0::body-a', 'the-loop@1::body-a']);
  });

  test('does not start again if its list shrinks', () => {
    const steps = [loopOf({ type: 'forEach', items: 'files' }), 'final'];
    const done = ['the-loop@0::body-a', 'the-loop@1::body-a', 'the-loop@2::body-a'];
    expect(idOf(next(steps, done, { files: ['a', 'b'] }))).toBe('final');
  });

  test.each([
    { name: 'for', loop: { type: 'for', count: 5 }, context: {}, wanted: 5 },
    {
      name: 'forEach',
      loop: { type: 'forEach', items: 'xs' },
      context: { xs: [1, 2, 3] },
      wanted: 3,
    },
    {
      name: 'while',
      loop: { type: 'while', condition: 'go == true' },
      context: { go: true },
      wanted: undefined,
    },
  ])('ends at maxIterations with a warning ($name)', ({ loop, context, wanted }) => {
    const { order, last } = walk([loopOf({ ...loop, maxIterations: 2 }), 'final'], context);
    expect(order).toEqual(['the-loop@0::body-a', 'the-loop@1::body-a', 'final']);
    expect(last.warnings).toEqual([nextMessages.loopCutShort('the-loop', 2, wanted)]);
  });

  test.each([
    { loop: { type: 'for', count: 'n' }, context: {}, found: 'nothing' },
    { loop: { type: 'for', count: 'n' }, context: { n: 'many' }, found: 'a string' },
    { loop: { type: 'for', count: 'n' }, context: { n: -1 }, found: 'a number' },
    { loop: { type: 'for', count: 'n' }, context: { n: 1.5 }, found: 'a number' },
    { loop: { type: 'forEach', items: 'n' }, context: { n: 'a,b' }, found: 'a string' },
    { loop: { type: 'forEach', items: 'n' }, context: { n: { a: 1 } }, found: 'an object' },
  ])('of the type $loop.type is stuck if its variable is $found', ({ loop, context, found }) => {
    expect(next([loopOf(loop)], [], context)).toMatchObject({
      kind: 'stuck',
      loopId: 'the-loop',
      bound: { variable: 'n', found },
    });
  });

  test('does not need its variable while an earlier step is required', () => {
    expect(idOf(next(['init', loopOf({ type: 'for', count: 'n' })]))).toBe('init');
  });

  test('contains a step that it names as its body, wherever the step is defined', () => {
    const { order } = walk(['body-z', loopOf({ type: 'for', count: 2 }, 'body-z'), 'final']);
    expect(order).toEqual(['the-loop@0::body-z', 'the-loop@1::body-z', 'final']);
  });

  test('can contain another loop, with ids that name both iterations and access to the outer variable', () => {
    const inner = {
      id: 'inner',
      type: 'loop',
      title: 't',
      loop: { type: 'forEach', items: 'mod.files', maxIterations: 5 },
      body: [{ id: 'leaf', title: 't', prompt: 'p' }],
    };
    const outer = loopOf({ type: 'forEach', items: 'mods', itemVar: 'mod' }, [
      'open',
      inner as unknown as StepSketch,
      'shut',
    ]);
    const { order } = walk([outer], { mods: [{ files: ['a', 'b'] }, { files: [] }] });
    expect(order).toEqual([
      'the-loop@0::open',
      'the-loop@0::inner@0::leaf',
      'the-loop@0::inner@1::leaf',
      'the-loop@0::shut',
      'the-loop@1::open',
      'the-loop@1::shut',
    ]);
  });

  test('takes the id of its step without an iteration as iteration 0', () => {
    expect(idOf(next([loopOf({ type: 'for', count: 2 })], ['body-a']))).toBe('the-loop@1::body-a');
  });

  test('is over when its own id is completed', () => {
    expect(idOf(next([loopOf({ type: 'for', count: 2 }), 'final'], ['the-loop@0::body-a', 'the-loop']))).toBe(
      'final',
    );
  });

  test('returns to a step whose condition became true only in the open iteration', () => {
    const steps = [
      loopOf({ type: 'for', count: 2 }, [{ id: 'extra', runCondition: 'more == true' }, 'body-a']),
    ];
    expect(idOf(next(steps, ['the-loop@0::body-a'], { more: true }))).toBe('the-loop@0::extra');
    expect(idOf(next(steps, ['the-loop@0::body-a', 'the-loop@1::body-a'], { more: true }))).toBe(
      'the-loop@1::extra',
    );
  });

  test('is reported with its iteration, index and item', () => {
    const found = next([loopOf({ type: 'forEach', items: 'files' })], ['the-loop@0::body-a'], {
      files: ['a', 'b', 'c'],
    });
    expect(found).toMatchObject({ loop: { id: 'the-loop', iteration: 2, index: 1, total: 3, item: 'b' } });
  });

  test.each([
    'the-loop@99::body-a',
    'other@0::body-a',
    'the-loop@0::init',
    'the-loop@x::body-a',
    'init@0::body-a',
  ])('does not accept the instance id %s', (id) => {
    const found = next(['init', loopOf({ type: 'for', count: 2 })], [id]);
    expect(found.warnings).toHaveLength(1);
  });

  test('stops with an error instead of hanging if nested loops skip all their steps', () => {
    const nest = (depth: number): object => ({
      id: `level-${depth}`,
      type: 'loop',
      title: 't',
      loop: { type: 'for', count: 1000, maxIterations: 1000 },
      body: [
        depth === 0
          ? { id: 'leaf', title: 't', prompt: 'p', runCondition: 'never == true' }
          : nest(depth - 1),
      ],
    });
    expect(next([nest(5) as unknown as StepSketch])).toMatchObject({ kind: 'exhausted' });
  });
});
