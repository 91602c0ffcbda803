import { expect, test } from 'vitest';
import type { Criteria, Finding, Step } from '@workflowlookup/schema';
import { checkCriteria } from '@workflowlookup/validation';

const step = (validationCriteria: Criteria): Step => ({
  id: 'one',
  title: 'One',
  prompt: 'Do it.',
  validationCriteria,
});

async function check(...steps: readonly Step[]): Promise<readonly Finding[]> {
  return checkCriteria({ id: 'checked', name: 'Checked', description: 'For a test.', steps });
}

test('finds nothing in sound criteria', async () => {
  const schema = {
    type: 'object',
    properties: { typo: { type: 'string' } },
    'x-note': 'ours',
    enum: [{ typo: 1 }],
  };
  expect(
    await check(step([{ type: 'schema', schema, message: 'm' }, 'a+', { not: { type: 'length', min: 1 } }])),
  ).toEqual([]);
});

test('finds what is unusable, in loops too, and says that the workflow is served', async () => {
  const bad: Criteria = [
    { type: 'contains', message: 'm' },
    { or: [{ type: 'regex', pattern: '(?=a)', message: 'm' }] },
    '[',
  ];
  const loop: Step = {
    type: 'loop',
    id: 'again',
    title: 'Again',
    loop: { type: 'for', count: 2, maxIterations: 2 },
    body: [step({ type: 'schema', schema: { type: 'bogus' }, message: 'm' })],
  };
  const findings = await check(step(bad), loop);
  expect(findings.map(({ pointer }) => pointer)).toEqual([
    '/steps/0/validationCriteria/0',
    '/steps/0/validationCriteria/1/or/0/pattern',
    '/steps/0/validationCriteria/2',
    '/steps/1/body/0/validationCriteria/schema/type',
  ]);
  expect(findings.every(({ severity, served }) => severity === 'error' && served === true)).toBe(true);
});

test('leaves conditions to the check of conditions', async () => {
  expect(await check(step({ type: 'contains', value: 'x', message: 'm', condition: { bogus: 1 } }))).toEqual(
    [],
  );
});

test('warns of keywords that no JSON Schema has', async () => {
  const schema = { propertys: {}, properties: { required: { requird: ['a'] } }, items: { nullable: true } };
  expect(await check(step([{ type: 'schema', schema, message: 'm' }]))).toEqual([
    {
      severity: 'warning',
      code: 'doubtful-criteria',
      pointer: '/steps/0/validationCriteria/0/schema/properties/required/requird',
      message: 'Unknown JSON Schema keyword "requird": it has no effect.',
      suggestion: 'Did you mean "required"?',
    },
    expect.objectContaining({ pointer: '/steps/0/validationCriteria/0/schema/items/nullable' }),
    expect.objectContaining({ pointer: '/steps/0/validationCriteria/0/schema/propertys' }),
  ]);
});

test('warns of a length that everything has', async () => {
  expect(await check(step({ not: { type: 'length' } }))).toMatchObject([
    {
      severity: 'warning',
      code: 'doubtful-criteria',
      pointer: '/steps/0/validationCriteria/not',
      message: 'A length rule without "min" and "max" passes every output.',
      suggestion: 'Add "min" or "max".',
    },
    { code: 'impossible-criteria' },
  ]);
});
