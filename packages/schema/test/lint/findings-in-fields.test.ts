import { describe, expect, test } from 'vitest';
import { definition, read, readYaml, step } from '../support/definitions.ts';
import { activity, flow, readFolder, workflow } from '../support/folders.ts';

const withStep = (more: object, variables?: object): object =>
  definition({ steps: [step('plan', more)], ...(variables === undefined ? {} : { variables }) });

async function codesIn(more: object, variables?: object): Promise<readonly string[]> {
  const { issues } = await read(withStep(more, variables));
  return issues.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);
}

const fields = [{ id: 'goal' }, { id: 'risks', type: 'list' }];

describe('the fields of a step', () => {
  test('have no problem if they are correct', async () => {
    const more = {
      fields: [
        ...fields,
        { id: 'runs', type: 'number', min: 1, max: 3, required: false, example: 2 },
        { id: 'size', type: 'choice', options: ['small', 'large'] },
        { id: 'plan', type: 'object', properties: { goal: { description: 'Why' }, done: 'boolean' } },
        { id: 'slices', type: 'list', items: { name: 'text', risk: { type: 'choice', options: ['low'] } } },
      ],
      sets: { goals: 'goal', risks: 'risks' },
      validationCriteria: { type: 'length', field: 'goal', min: 3, message: 'Too short' },
      prompt: 'Say what {{goals}} and {{risks}} are.',
    };
    const variables = [
      { name: 'goals', type: 'string' },
      { name: 'risks', type: 'array' },
    ];
    expect(await codesIn(more, variables)).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      'two of the same id',
      { fields: [...fields, { id: 'goal' }] },
      'error duplicate-id /steps/0/fields/2/id',
    ],
    [
      'a choice without options',
      { fields: [{ id: 'a', type: 'choice' }] },
      'error missing-property /steps/0/fields/0',
    ],
    [
      'options of a text',
      { fields: [{ id: 'a', options: ['x'] }] },
      'error wrong-value /steps/0/fields/0/options',
    ],
    [
      'bounds of another type',
      { fields: [{ id: 'a', type: 'list', min_length: 3 }] },
      'error wrong-value /steps/0/fields/0/min_length',
    ],
    [
      'bounds that nothing meets',
      { fields: [{ id: 'a', min_length: 9, max_length: 3 }] },
      'error wrong-value /steps/0/fields/0/min_length',
    ],
    [
      'a mistake in a list',
      { fields: [{ id: 'a', type: 'list', items: { b: { type: 'choice' } } }] },
      'error missing-property /steps/0/fields/0/items/b',
    ],
    ['an unknown type', { fields: [{ id: 'a', type: 'texts' }] }, 'error wrong-value /steps/0/fields/0/type'],
    ['sets without fields', { sets: { goal: 'goal' } }, 'error unknown-field /steps/0/sets'],
    [
      'sets of an unknown field',
      { fields, sets: { goal: 'gaol' } },
      'error unknown-field /steps/0/sets/goal',
    ],
    [
      'a rule about an unknown field',
      { fields, validationCriteria: [{ type: 'length', field: 'gaol', min: 3, message: 'm' }] },
      'error unknown-field /steps/0/validationCriteria/0/field',
    ],
    [
      'a rule about a field of a step without fields',
      { validationCriteria: { not: { type: 'length', field: 'goal', min: 3, message: 'm' } } },
      'error unknown-field /steps/0/validationCriteria/not/field',
    ],
  ])('are reported: %s', async (_name, more, expected) => {
    expect(await codesIn(more)).toContain(expected);
  });

  test('are reported if they set variables that they cannot set', async () => {
    const more = { fields, sets: { gaol: 'goal', risks: 'risks', owned: 'goal' } };
    const variables = [
      { name: 'goal', type: 'string' },
      { name: 'risks', type: 'string' },
      { name: 'owned', type: 'string', set_by: ['other-step'] },
    ];
    expect(await codesIn(more, variables)).toEqual(
      expect.arrayContaining([
        'error unknown-variable /steps/0/sets/gaol',
        'error wrong-value /steps/0/sets/risks',
        'error unknown-setter /steps/0/sets/owned',
      ]),
    );
  });

  test('have problems with the line and column in the text', async () => {
    const { issues } = await readYaml(
      'id: a-flow\nname: A flow\ndescription: For tests.\nversion: 1.0.0\nsteps:\n  - id: plan\n    title: Plan\n    prompt: Plan.\n    fields: [{ id: goal }]\n    sets: { goals: gaol }\n',
    );
    expect(issues).toMatchObject([{ code: 'unknown-field', line: 10, column: 20 }]);
  });
});

test('are checked in activities, even in loops', async () => {
  const { issuesByFile } = await readFolder(
    flow({
      'workflow.yaml': workflow({ variables: [{ name: 'done', type: 'boolean', set_by: 'checkpoint' }] }),
      'activities/01-start.yaml': activity('start', {
        steps: [{ id: 'ask', fields: [{ id: 'a', type: 'boolean' }], sets: { done: 'a' } }],
        loops: [
          {
            id: 'each',
            name: 'Each',
            type: 'while',
            condition: 'done == false',
            steps: [{ id: 'try', fields: [{ id: 'b' }], sets: { done: 'c' } }],
          },
        ],
      }),
    }),
  );
  expect(
    issuesByFile.get('activities/01-start.yaml')?.map(({ code, pointer }) => `${code} ${pointer}`),
  ).toEqual(
    expect.arrayContaining(['unknown-setter /steps/0/sets/done', 'unknown-field /loops/0/steps/0/sets/done']),
  );
});
