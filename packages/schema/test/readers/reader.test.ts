import { createReader, digestOf } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { definition, lines, loop, read, step } from '../support/definitions.ts';
import { messages } from '../../src/messages/workflow.ts';

test('A definition is read into a workflow with its digest', async () => {
  const reading = await read(definition());
  expect(reading).toEqual({
    id: 'a-flow',
    workflow: { kind: 'steps', id: 'a-flow', digest: digestOf(definition()), definition: definition() },
    issues: [],
  });
});

test('All fields of a step workflow are accepted', async () => {
  const condition = { and: [{ var: 'scope', equals: 'large' }, { not: { var: 'done' } }] };
  const rules = [
    { type: 'contains', value: 'a', message: 'm', condition, suggestion: 's' },
    { type: 'regex', pattern: 'a', flags: 'i', message: 'm' },
    { type: 'length', min: 1, max: 2, message: 'm' },
    { type: 'schema', schema: true, message: 'm' },
    '^text$',
    { or: [{ not: [{ and: ['a'] }] }] },
  ];
  const full = {
    $schema: 'https://workflowlookup.dev/schemas/step-workflow.schema.json',
    category: 'review',
    tags: ['a', 'b'],
    preconditions: ['Ready.'],
    clarificationPrompts: ['How?'],
    metaGuidance: ['Slowly.'],
    variables: [
      { name: 'scope', type: 'string', description: 'd', default: 'small', required: true, 'x-a': 1 },
    ],
    enforcement: 'strict',
    'x-team': { any: ['thing'] },
    steps: [
      step('plan', {
        agentRole: 'You are careful.',
        guidance: ['One.', 'Two.'],
        askForFiles: true,
        requireConfirmation: condition,
        approver: 'human',
        runCondition: "scope == 'large'",
        validationCriteria: rules,
        modelHint: 'strong',
        'x-note': 1,
      }),
      loop('each', [step('look')], { type: 'forEach', items: 'plan.files', itemVar: 'file', indexVar: 'at' }),
      loop('again', 'tidy', { type: 'while', condition, iterationVar: 'round' }),
      step('tidy', { requireConfirmation: true, validationCriteria: { not: '^x' } }),
    ],
  };
  expect(lines(await read(definition(full)))).toEqual([]);
});

test('A missing field of a rule is not reported, because the validation engine does that', async () => {
  const validationCriteria = ['contains', 'regex', 'schema'].map((type) => ({ type, message: 'm' }));
  expect(lines(await read(definition({ steps: [step('plan', { validationCriteria })] })))).toEqual([]);
});

test('A definition is deeply frozen', async () => {
  const { workflow } = await read(definition({ 'x-a': [{ b: [] }] }));
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every((child) => frozen(child)));
  expect(workflow?.id).toBe('a-flow');
  expect(frozen(workflow)).toBe(true);
});

test('The id is returned even for a definition that cannot be served', async () => {
  expect((await read({ id: 'team.flow' })).id).toBe('team.flow');
  expect((await read(definition({ steps: [] }))).id).toBe('a-flow');
  expect((await read({ id: 'Not An Id' })).id).toBeUndefined();
  expect((await read({ id: 'ab' })).id).toBeUndefined();
  expect((await read(['a-flow'])).id).toBeUndefined();
  expect(await read('{"id": "a-flow",')).not.toHaveProperty('id');
});

test('The given checks run in order if the shape of the definition is right', async () => {
  const reading = await read(definition(), [
    ({ id }) => [
      { severity: 'warning', code: 'x-test', pointer: '/steps/0/prompt', message: `first of ${id}` },
    ],
    () =>
      Promise.resolve([
        {
          severity: 'warning',
          code: 'x-test',
          pointer: '/steps/0/prompt',
          message: 'second',
          suggestion: 'Do.',
        },
      ]),
  ]);
  expect(lines(reading)).toEqual([
    'warning /steps/0/prompt 10:17 first of a-flow',
    'warning /steps/0/prompt 10:17 second',
  ]);
  expect(reading.issues[1]?.suggestion).toBe('Do.');
  expect(reading.workflow).toBeDefined();
});

test('The checks do not run if the shape of the definition is wrong', async () => {
  const reading = await read(definition({ steps: 5 }), [
    () => {
      throw new Error('was run');
    },
  ]);
  expect(reading.issues).toMatchObject([{ code: 'wrong-value', pointer: '/steps', line: 6, column: 12 }]);
});

test('A workflow is served if all its errors are marked as served', async () => {
  const served = { severity: 'error', code: 'x-test', pointer: '', message: 'm', served: true } as const;
  expect(await read(definition(), [() => [served]])).toMatchObject({
    workflow: {},
    issues: [{ served: true }],
  });
  const reading = await read(definition(), [
    () => [served, { severity: 'error', code: 'x-test', pointer: '', message: 'n' }],
  ]);
  expect(reading).not.toHaveProperty('workflow');
});

test('A finding with a pointer to a missing property is reported at the nearest object', async () => {
  const reading = await read(definition(), [
    () => [{ severity: 'warning', code: 'x-test', pointer: '/steps/0/loop/condition', message: 'm' }],
  ]);
  expect(lines(reading)).toEqual(['warning /steps/0/loop/condition 7:5 m']);
});

test('A hundred findings are listed, the most severe first, with a note if there are more', async () => {
  const warnings = Array.from(
    { length: 150 },
    () => ({ severity: 'warning', code: 'x-test', pointer: '', message: 'w' }) as const,
  );
  const many = await read(definition(), [() => warnings]);
  expect(many.issues).toHaveLength(101);
  expect(many.issues.at(-1)).toMatchObject({
    severity: 'warning',
    message: messages.moreProblems(),
  });
  expect(many.workflow).toBeDefined();
  const hidden = await read(definition(), [
    () => [...warnings, { severity: 'error', code: 'x-test', pointer: '', message: 'e' }],
  ]);
  expect(hidden.issues.filter(({ severity }) => severity === 'error')).toHaveLength(1);
  expect(hidden.workflow).toBeUndefined();
  const shape = await read(definition({ steps: Array.from({ length: 500 }, () => 1) }));
  expect(shape.issues).toHaveLength(101);
  expect(shape.workflow).toBeUndefined();
});

test('The reader works without options', async () => {
  const reading = await createReader()({ text: '{}', format: 'json' });
  expect(reading.issues).toMatchObject(
    ['id', 'name', 'description', 'steps'].map((name) => ({
      code: 'missing-property',
      pointer: '',
      message: expect.stringContaining(`'${name}'`) as string,
    })),
  );
});
