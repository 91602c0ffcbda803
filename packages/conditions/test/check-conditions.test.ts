import { expect, test } from 'vitest';
import type { Step } from '@workflowlookup/schema';
import { checkConditions } from '@workflowlookup/conditions';
import { messages } from '../src/messages.ts';

const step = (more: object): Step => ({ id: 'one', title: 'One', prompt: 'Do it.', ...more });
const check = (...steps: readonly Step[]): ReturnType<typeof checkConditions> =>
  checkConditions({ id: 'checked', name: 'Checked', description: 'For a test.', steps });

const bad = { var: 'a', like: 1 };
const rule = { type: 'contains', value: 'x', message: 'm', condition: bad } as const;

test('Valid conditions have no issues', () => {
  expect(check(step({ runCondition: 'a == 1', requireConfirmation: true }), step({}))).toEqual([]);
});

test('Every unusable condition is reported, wherever a step has one', () => {
  const findings = check(
    step({ runCondition: bad, requireConfirmation: { and: [{}, 'a =='] } }),
    step({ validationCriteria: [rule, { and: [[rule], { not: { or: [rule] } }] }, 'pattern'] }),
    step({ validationCriteria: rule }),
    {
      type: 'loop',
      id: 'again',
      title: 'Again',
      loop: { type: 'while', maxIterations: 2, condition: bad },
      runCondition: bad,
      body: [step({ runCondition: bad })],
    },
  );
  expect(findings.map(({ severity, pointer }) => `${severity} ${pointer}`)).toEqual([
    'error /steps/0/runCondition/like',
    'error /steps/0/requireConfirmation/and/1',
    'error /steps/1/validationCriteria/0/condition/like',
    'error /steps/1/validationCriteria/1/and/0/0/condition/like',
    'error /steps/1/validationCriteria/1/and/1/not/or/0/condition/like',
    'error /steps/2/validationCriteria/condition/like',
    'error /steps/3/runCondition/like',
    'error /steps/3/loop/condition/like',
    'error /steps/3/body/0/runCondition/like',
  ]);
  expect(findings[0]).toEqual({
    severity: 'error',
    code: 'broken-condition',
    pointer: '/steps/0/runCondition/like',
    message: messages.unknownOperator('like', '').message,
    suggestion: expect.any(String) as string,
  });
});

test('A step that can never run causes a warning', () => {
  expect(check(step({}), step({ runCondition: 'a == 1 && a == 2' }))).toEqual([
    {
      severity: 'warning',
      code: 'never-holds',
      pointer: '/steps/1/runCondition',
      ...messages.neverRuns,
    },
  ]);
});
