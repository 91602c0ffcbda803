import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileWorkflow } from '../../src/navigation/compile-workflow.ts';
import { nextStep, readProgress } from '../../src/navigation/next-step.ts';
import type { StepSketch } from '../support/step-workflows.ts';
import { workflow } from '../support/step-workflows.ts';

const condition = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom('a == 1', 'b == 1', 'a == 1 && b == 1', 'a != 1', 'exists b', 'currentIteration < 3'),
);

/** Steps, with loops up to two levels deep. They get unique ids afterwards. */
const { steps } = fc.letrec<{ steps: object[]; prompt: object; loop: object }>((tie) => ({
  steps: fc.array(fc.oneof({ depthSize: 'small', maxDepth: 2 }, tie('prompt'), tie('loop')), {
    minLength: 1,
    maxLength: 4,
  }),
  prompt: fc.record({ runCondition: condition }),
  loop: fc.record({
    type: fc.constant('loop'),
    runCondition: condition,
    loop: fc.oneof(
      fc.record({
        type: fc.constant('for'),
        count: fc.integer({ min: 1, max: 4 }),
        maxIterations: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({
        type: fc.constant('forEach'),
        items: fc.constant('items'),
        maxIterations: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({
        type: fc.constant('while'),
        condition: fc.constant('currentIteration < 3'),
        maxIterations: fc.integer({ min: 1, max: 3 }),
      }),
    ),
    body: tie('steps'),
  }),
}));

function named(sketches: readonly object[], prefix: string): StepSketch[] {
  return sketches.map((sketch, index) => {
    const { runCondition, body, ...rest } = sketch as { runCondition?: string; body?: object[] };
    const id = `${prefix}-${index}`;
    return {
      ...rest,
      id,
      title: id,
      ...(body === undefined ? { prompt: 'p' } : { body: named(body, id) }),
      ...(runCondition === undefined ? {} : { runCondition }),
    };
  });
}

const context = fc.record(
  { a: fc.constantFrom(1, 2), b: fc.constantFrom(1, 2), items: fc.constant(['x', 'y']) },
  { requiredKeys: ['items'] },
);

test('An agent that reports each step as completed never gets a step twice and always reaches the end', () => {
  fc.assert(
    fc.property(steps, context, (sketches, known) => {
      const compiled = compileWorkflow(workflow(named(sketches, 'step')));
      const done: string[] = [];
      for (;;) {
        const found = nextStep(compiled, readProgress(compiled, done), known);
        if (found.kind === 'complete') break;
        expect(found.kind).toBe('step');
        if (found.kind !== 'step') return;
        expect(done).not.toContain(found.instanceId);
        done.push(found.instanceId);
        expect(done.length).toBeLessThan(2000);
      }
      expect(readProgress(compiled, done).unknown).toEqual([]);
    }),
  );
});

test('The order of the completed ids does not matter', () => {
  fc.assert(
    fc.property(steps, context, fc.integer({ min: 0, max: 12 }), (sketches, known, length) => {
      const compiled = compileWorkflow(workflow(named(sketches, 'step')));
      const done: string[] = [];
      for (let at = 0; at < length; at += 1) {
        const found = nextStep(compiled, readProgress(compiled, done), known);
        if (found.kind !== 'step') break;
        done.push(found.instanceId);
      }
      const inOrder = nextStep(compiled, readProgress(compiled, done), known);
      const reversed = nextStep(compiled, readProgress(compiled, done.toReversed()), known);
      expect(reversed).toEqual(inOrder);
    }),
  );
});
