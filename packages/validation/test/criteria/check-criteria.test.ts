import { expect, test } from 'vitest';
import { compilePattern } from '@workflowlookup/conditions';
import type { Criteria, Finding, Step } from '@workflowlookup/schema';
import { checkCriteria } from '@workflowlookup/validation';
import type { Message } from '../../src/messages.ts';
import { messages } from '../../src/messages.ts';

const step = (validationCriteria: Criteria): Step => ({
  id: 'one',
  title: 'One',
  prompt: 'Do it.',
  validationCriteria,
});

async function check(...steps: readonly Step[]): Promise<readonly Finding[]> {
  return checkCriteria({ id: 'checked', name: 'Checked', description: 'For a test.', steps });
}

test('Valid criteria have no issues', async () => {
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

test('Unusable criteria are reported, even in loops, and the workflow is served', async () => {
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

test('A step without criteria has no issues', async () => {
  expect(await check({ id: 'one', title: 'One', prompt: 'Do it.' })).toEqual([]);
});

test('Broken criteria are reported once as broken, and not as impossible', async () => {
  const both = { type: 'length', min: 5, max: 2, bogus: 1 };
  expect((await check(step(both as Criteria))).map(({ code }) => code)).toEqual(['broken-criteria']);
  const torn: Criteria = { type: 'schema', schema: { pattern: '[' }, message: 'm' };
  expect((await check(step(torn))).map(({ code }) => code)).toEqual(['broken-criteria']);
});

test('Conditions are left to the check of conditions', async () => {
  expect(await check(step({ type: 'contains', value: 'x', message: 'm', condition: { bogus: 1 } }))).toEqual(
    [],
  );
});

test('Keywords that JSON Schema does not have cause a warning', async () => {
  const schema = { propertys: {}, properties: { required: { requird: ['a'] } }, items: { nullable: true } };
  expect(await check(step([{ type: 'schema', schema, message: 'm' }]))).toEqual([
    {
      severity: 'warning',
      code: 'doubtful-criteria',
      pointer: '/steps/0/validationCriteria/0/schema/properties/required/requird',
      ...messages.unknownKeyword('requird', 'required'),
    },
    expect.objectContaining({ pointer: '/steps/0/validationCriteria/0/schema/items/nullable' }),
    expect.objectContaining({ pointer: '/steps/0/validationCriteria/0/schema/propertys' }),
  ]);
});

test('A length that every text has causes a warning', async () => {
  expect(await check(step({ not: { type: 'length' } }))).toMatchObject([
    {
      severity: 'warning',
      code: 'doubtful-criteria',
      pointer: '/steps/0/validationCriteria/not',
      ...messages.lengthWithoutBounds,
    },
    { code: 'impossible-criteria' },
  ]);
});

test.each<[criteria: object, pointer: string, expected: Message]>([
  [{ type: 'exact' }, '/type', messages.unknownRuleType('exact', ['contains', 'regex', 'length', 'schema'])],
  [{ type: 'contains', value: 'x', max: 3 }, '/max', messages.unknownField('max', 'contains', undefined)],
  [
    { type: 'contains', value: 'x', sugestion: 's' },
    '/sugestion',
    messages.unknownField('sugestion', 'contains', 'suggestion'),
  ],
  [{ type: 'length', min: 1, message: 1 }, '/message', messages.notText('message', 1)],
  [{ type: 'length', min: 0.5 }, '/min', messages.badBound('min', 0.5)],
  [{ type: 'regex' }, '', messages.noPattern(undefined)],
  [{ type: 'regex', pattern: 'a', flags: [] }, '/flags', messages.badFlags([])],
  [{ type: 'regex', pattern: 'a', flags: 'q' }, '/flags', messages.badPattern(badFlag('q'))],
  [{ type: 'contains', value: null }, '/value', messages.containsNothing(null)],
  [{ type: 'schema', schema: 5 }, '/schema', messages.noSchema(5)],
  ...[
    5,
    'json-schema.org/draft-04/schema',
    'json-schema.org/http://draft-07/schema',
    'json-schema.org#/draft-07/schema',
  ].map(($schema): [object, string, Message] => [
    { type: 'schema', schema: { $schema } },
    '/schema/$schema',
    messages.unknownDialect($schema),
  ]),
])('Criteria with the value %j are an error at %j', async (criteria, pointer, expected) => {
  expect(await check(step(criteria as Criteria))).toEqual([
    {
      severity: 'error',
      code: 'broken-criteria',
      served: true,
      pointer: `/steps/0/validationCriteria${pointer}`,
      ...expected,
    },
  ]);
});

function badFlag(flags: string): string {
  const compiled = compilePattern('a', flags);
  return compiled.ok ? '' : compiled.message;
}

test('Warnings are reported at their rule, at any depth', async () => {
  const empty = { type: 'length', message: 'm' } as const;
  const criteria: Criteria = [
    { and: [{ or: [{ not: empty }, { type: 'length', max: 1, message: 'm' }] }] },
    { type: 'schema', schema: { minLenght: 1, qqqqqq: 1 }, message: 'm' },
    { type: 'schema', schema: true, message: 'm' },
  ];
  const found = await check(step(criteria));
  const doubts = found.filter(({ code }) => code === 'doubtful-criteria');
  const base = '/steps/0/validationCriteria';
  expect(doubts).toMatchObject([
    { pointer: `${base}/0/and/0/or/0/not`, ...messages.lengthWithoutBounds },
    { pointer: `${base}/1/schema/minLenght`, ...messages.unknownKeyword('minLenght', 'minLength') },
    { pointer: `${base}/1/schema/qqqqqq`, ...messages.unknownKeyword('qqqqqq', undefined) },
  ]);
});
