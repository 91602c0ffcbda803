import {
  maxDefinitionBytes,
  maxDefinitionValues,
  readValue,
  readWorkflowTests,
} from '@workflowlookup/schema';
import { createPositions } from '../../src/text/parse-text.ts';
import { describe, expect, test } from 'vitest';
import { definition, read, step } from '../support/definitions.ts';
import { activity, checkpoint, flow, readFolder } from '../support/folders.ts';
import { summarizeIssue } from '../support/summarize-issue.ts';

// The exact issues for values of the wrong shape, for texts beyond the limits, and for more findings than are listed.

const longId = 'a'.repeat(64);

test.each<[what: string, more: object, expected: readonly string[]]>([
  [
    'rules joined twice, beside other keys',
    { steps: [step('plan', { validationCriteria: { and: ['a'], or: ['b'], 'x-or': 1, order: 2 } })] },
    [
      'error wrong-value /steps/0/validationCriteria',
      'error unknown-property /steps/0/validationCriteria/order',
    ],
  ],
  [
    'an id where none is allowed',
    { variables: [{ id: 'a', name: 5, type: 'string' }] },
    ['error unknown-property /variables/0/id', 'error wrong-value /variables/0/name'],
  ],
  [
    'a step whose id is just short enough to be quoted whole',
    { steps: [step(longId, { prompt: 5 })] },
    ['error wrong-value /steps/0/prompt'],
  ],
  [
    'a step whose id is too long for that',
    { steps: [step(`${longId}b`)] },
    ['error wrong-value /steps/0/id'],
  ],
  [
    'options at the wrong place',
    { options: [{ id: 'yes', label: 'a\u200Bb' }] },
    ['error unknown-property /options', 'error hidden-character /options/0/label'],
  ],
])('The shape of a step workflow is checked: %s', async (_, more, expected) => {
  expect((await read(definition(more))).issues.map(summarizeIssue)).toEqual(expected);
});

test.each<[what: string, more: object, expected: readonly string[]]>([
  ['an empty name', { name: '' }, ['error wrong-value /name']],
  ['a transition that leads nowhere', { transitions: [{}] }, ['error missing-property /transitions/0']],
  [
    'an id with blanks, too long to be suggested whole',
    { steps: [{ id: `${longId} and more` }] },
    ['error wrong-value /steps/0/id'],
  ],
  [
    'an activity instead of its id',
    { loops: [{ id: 'rows', name: 'Rows', type: 'forEach', activities: [{ id: 'dig' }] }] },
    ['error wrong-value /loops/0/activities/0'],
  ],
  [
    'an option without a label',
    { checkpoints: [checkpoint('gate', { options: [{ id: 'yes' }] })] },
    ['error missing-property /checkpoints/0/options/0'],
  ],
  [
    'a decision of one branch, without a label',
    { decisions: [{ id: 'way', name: 'Way', branches: [{ id: 'left' }] }] },
    ['error wrong-value /decisions/0/branches', 'error missing-property /decisions/0/branches/0'],
  ],
])('The shape of an activity is checked: %s', async (_, more, expected) => {
  const file = 'activities/01-start.yaml';
  const { issuesByFile } = await readFolder(flow({ [file]: activity('start', more) }));
  expect((issuesByFile.get(file) ?? []).map(summarizeIssue)).toEqual(expected);
});

test('A file of tests without tests is an error', async () => {
  const { issues } = await readWorkflowTests({ text: '{}', format: 'json' });
  expect(issues.map(summarizeIssue)).toEqual(['error missing-property']);
});

describe('a text at the limits', () => {
  const quoted = (text: string) => `"${text}"`;
  const large = 'error beyond-limits';

  test.each<[what: string, text: string, expected: readonly string[]]>([
    ['has the maximum number of bytes', quoted('a'.repeat(maxDefinitionBytes - 2)), []],
    ['has one byte more', quoted('a'.repeat(maxDefinitionBytes - 1)), [large]],
    ['has more bytes than characters', quoted('é'.repeat(maxDefinitionBytes / 2)), [large]],
    ['has too many values', `[${'1,'.repeat(maxDefinitionValues)}1]`, ['error beyond-limits']],
    ['is nested too deep', '['.repeat(65) + ']'.repeat(65), ['error beyond-limits']],
  ])('is accepted or refused in the expected way if it %s', async (_, text, expected) => {
    expect((await readValue({ text, format: 'json' })).issues.map(summarizeIssue)).toEqual(expected);
  });
});

test('The position in a text that cannot be parsed is its start', async () => {
  expect((await createPositions({ text: 'tea', format: 'json' }))('/steps')).toEqual({ line: 1, column: 1 });
});

describe('the limit of a hundred findings', () => {
  const numbers = (length: number) => Array.from({ length }, (_, at) => at);
  const unknown = Object.fromEntries(numbers(60).map((at) => [`row ${at}`, at]));
  const found = { severity: 'error', code: 'x-own', pointer: '', message: 'As it is', served: true } as const;

  test.each<[what: string, more: object, expected: readonly (number | string)[]]>([
    ['are a hundred', { tags: numbers(100) }, [100]],
    ['are more than a hundred', { tags: numbers(101) }, [101, 'error unlisted']],
    [
      'are counted together, whatever they are about',
      { tags: numbers(60), ...unknown },
      [101, 'error unlisted'],
    ],
  ])('is reported correctly if the findings %s', async (_, more, expected) => {
    const { issues } = await read(definition(more));
    expect([issues.length, ...issues.filter(({ code }) => code === 'unlisted').map(summarizeIssue)]).toEqual(
      expected,
    );
  });

  test('does not prevent a workflow from being served if none of the findings does', async () => {
    const { workflow, issues } = await read(definition(), [() => numbers(101).map(() => found)]);
    expect(workflow?.id).toBe('a-flow');
    expect(issues.map(summarizeIssue).at(-1)).toBe('error! unlisted');
  });

  test('leaves suggestions for the listed findings, and none after them', async () => {
    const leading = (to: readonly string[]) => ({ transitions: to.map((id) => ({ to: id })) });
    const { issuesByFile } = await readFolder(
      flow({
        'activities/01-start.yaml': activity('start', leading(numbers(100).map(() => 'strat'))),
        'activities/02-then.yaml': activity('then', leading(['strat'])),
      }),
    );
    const suggestions = ['01-start', '02-then'].map((name) =>
      (issuesByFile.get(`activities/${name}.yaml`) ?? [])
        .filter(({ code }) => code === 'unknown-activity')
        .map(({ suggestion }) => suggestion),
    );
    expect(suggestions).toEqual([
      numbers(100).map(() => "Did you mean 'start'?"),
      ["Add a file 'activities/NN-strat', or correct the name, or write 'end' to complete the session"],
    ]);
  });
});
