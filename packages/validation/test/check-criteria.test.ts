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

test('finds nothing in a step without criteria', async () => {
  expect(await check({ id: 'one', title: 'One', prompt: 'Do it.' })).toEqual([]);
});

test('says of broken criteria once what is broken, and not that they are impossible', async () => {
  const both = { type: 'length', min: 5, max: 2, bogus: 1 };
  expect((await check(step(both as Criteria))).map(({ code }) => code)).toEqual(['broken-criteria']);
  const torn: Criteria = { type: 'schema', schema: { pattern: '[' }, message: 'm' };
  expect((await check(step(torn))).map(({ code }) => code)).toEqual(['broken-criteria']);
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

test.each<[criteria: Criteria | object, pointer: string, message: string, suggestion: string]>([
  [
    { type: 'exact' },
    '/type',
    'Unknown type of rule "exact".',
    'Use one of contains, regex, length, schema.',
  ],
  [
    { type: 'contains', value: 'x', max: 3 },
    '/max',
    'Unknown field "max" in a "contains" rule.',
    'Remove it.',
  ],
  [
    { type: 'contains', value: 'x', sugestion: 's' },
    '/sugestion',
    'Unknown field "sugestion" in a "contains" rule.',
    'Did you mean "suggestion"?',
  ],
  [{ type: 'length', min: 1, message: 1 }, '/message', '"message" is a string, found 1.', 'Write a string.'],
  [
    { type: 'length', min: 0.5 },
    '/min',
    '"min" is a whole number of characters, found 0.5.',
    'Write a whole number, 0 or more.',
  ],
  [
    { type: 'regex' },
    '',
    'A regex rule needs a string "pattern", found nothing.',
    'Add "pattern" with a pattern in RE2 syntax.',
  ],
  [
    { type: 'regex', pattern: 'a', flags: [] },
    '/flags',
    '"flags" is a string, found a list.',
    'Write flags out of imsug.',
  ],
  [
    { type: 'regex', pattern: 'a', flags: 'q' },
    '/flags',
    'Unknown flag "q": the flags are i, m, s, u and g.',
    'Write a pattern in RE2 syntax, with flags out of imsug.',
  ],
  [
    { type: 'contains', value: null },
    '/value',
    'A contains rule needs a string "value", found null.',
    'Add "value" with the text to look for.',
  ],
  [
    { type: 'schema', schema: 5 },
    '/schema',
    'A schema rule needs a JSON Schema "schema", found 5.',
    'Add "schema" with a JSON Schema.',
  ],
  ...[
    5,
    'json-schema.org/draft-04/schema',
    'json-schema.org/http://draft-07/schema',
    'json-schema.org#/draft-07/schema',
  ].map(($schema): [object, string, string, string] => [
    { type: 'schema', schema: { $schema } },
    '/schema/$schema',
    `The dialect ${JSON.stringify($schema)} of JSON Schema is not supported.`,
    'Use draft-07, 2019-09 or 2020-12, or leave "$schema" out.',
  ]),
])('criteria that are %j are an error at %j', async (criteria, pointer, message, suggestion) => {
  expect(await check(step(criteria as Criteria))).toEqual([
    {
      severity: 'error',
      code: 'broken-criteria',
      served: true,
      pointer: `/steps/0/validationCriteria${pointer}`,
      message,
      suggestion,
    },
  ]);
});

test('doubts stand where the rule stands, at any depth', async () => {
  const empty = { type: 'length', message: 'm' } as const;
  const criteria: Criteria = [
    { and: [{ or: [{ not: empty }, { type: 'length', max: 1, message: 'm' }] }] },
    { type: 'schema', schema: { minLenght: 1, qqqqqq: 1 }, message: 'm' },
    { type: 'schema', schema: true, message: 'm' },
  ];
  const found = await check(step(criteria));
  const doubts = found.filter(({ code }) => code === 'doubtful-criteria');
  expect(doubts.map(({ pointer, suggestion }) => `${pointer} ${suggestion}`)).toEqual([
    '/steps/0/validationCriteria/0/and/0/or/0/not Add "min" or "max".',
    '/steps/0/validationCriteria/1/schema/minLenght Did you mean "minLength"?',
    '/steps/0/validationCriteria/1/schema/qqqqqq Remove it.',
  ]);
});
