import {
  findPosition,
  maxDefinitionBytes,
  maxDefinitionValues,
  readValue,
  readWorkflowTests,
} from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { definition, read, step } from './definitions.ts';
import { activity, checkpoint, flow, readFolder } from './folders.ts';
import { inFull } from './in-full.ts';

// What is said of values of the wrong shape by their places, of texts beyond the limits and of how many findings there
// are, word for word.

const longId = 'a'.repeat(64);

test.each<[what: string, more: object, told: readonly string[]]>([
  [
    'rules joined twice, beside other keys',
    { steps: [step('plan', { validationCriteria: { and: ['a'], or: ['b'], 'x-or': 1, order: 2 } })] },
    [
      "error wrong-value /steps/0/validationCriteria: 'validationCriteria' of step 'plan' must have exactly one of 'and', 'or', 'not', found 'and' and 'or'. Keep one, and nest the others inside it",
      "error unknown-property /steps/0/validationCriteria/order: Unknown property 'order' in 'validationCriteria' of step 'plan'. Use one of and, or, not, or begin the key with x- for notes of your own",
    ],
  ],
  [
    'an id where none is taken',
    { variables: [{ id: 'a', name: 5, type: 'string' }] },
    [
      "error unknown-property /variables/0/id: Unknown property 'id' in 'variables[0]'. Use one of name, type, description, default, required, set_by, or begin the key with x- for notes of your own",
      'error wrong-value /variables/0/name: \'variables[0].name\' must be text, found the number 5. Put it in quotes: "5"',
    ],
  ],
  [
    'a step whose id is just short enough to be quoted whole',
    { steps: [step(longId, { prompt: 5 })] },
    [
      `error wrong-value /steps/0/prompt: 'prompt' of step '${longId}' must be text, found the number 5. Put it in quotes: "5"`,
    ],
  ],
  [
    'a step whose id is too long for that',
    { steps: [step(`${longId}b`)] },
    [
      `error wrong-value /steps/0/id: 'id' of step '${longId}…' must be 3 to 64 characters long, found 65. Shorten it by 1 character`,
    ],
  ],
  [
    'options that belong to nobody',
    { options: [{ id: 'yes', label: 'a\u200Bb' }] },
    [
      "error unknown-property /options: Unknown property 'options'. Use one of $schema, id, name, description, version, category, tags, preconditions, clarificationPrompts, metaGuidance, variables, enforcement, steps, or begin the key with x- for notes of your own",
      "error hidden-character /options/0/label: Hidden character U+200B (zero-width character) in 'label' of option 'yes'. Remove it, or write what is meant in letters",
    ],
  ],
])('%s', async (_, more, told) => {
  expect((await read(definition(more))).issues.map(inFull)).toEqual(told);
});

test.each<[what: string, more: object, told: readonly string[]]>([
  [
    'an empty name',
    { name: '' },
    ["error wrong-value /name: 'name' must be at least 1 character long, found 0. Add 1 character"],
  ],
  [
    'a transition that leads nowhere',
    { transitions: [{}] },
    [
      "error missing-property /transitions/0: Missing required property 'to' in 'transitions[0]'. Add required 'to' field",
    ],
  ],
  [
    'an id with blanks, too long to be suggested whole',
    { steps: [{ id: `${longId} and more` }] },
    [
      `error wrong-value /steps/0/id: 'id' of step '${longId}…' must be letters, digits, dashes, dots and underscores, found the text "${longId}…". Use '${longId}'`,
    ],
  ],
  [
    'an activity where its id belongs',
    { loops: [{ id: 'rows', name: 'Rows', type: 'forEach', activities: [{ id: 'dig' }] }] },
    [
      "error wrong-value /loops/0/activities/0: Activity 'dig' must be text, found an object. Write text here",
    ],
  ],
  [
    'an option without a label',
    { checkpoints: [checkpoint('gate', { options: [{ id: 'yes' }] })] },
    [
      "error missing-property /checkpoints/0/options/0: Missing required property 'label' in option 'yes' of checkpoint 'gate'. Add required 'label' field",
    ],
  ],
  [
    'a decision of one branch, without a label',
    { decisions: [{ id: 'way', name: 'Way', branches: [{ id: 'left' }] }] },
    [
      "error wrong-value /decisions/0/branches: 'branches' of decision 'way' must have at least 2 items, found 1. Add items until there are 2",
      "error missing-property /decisions/0/branches/0: Missing required property 'label' in branch 'left' of decision 'way'. Add required 'label' field",
    ],
  ],
])('in an activity: %s', async (_, more, told) => {
  const file = 'activities/01-start.yaml';
  const { issuesByFile } = await readFolder(flow({ [file]: activity('start', more) }));
  expect((issuesByFile.get(file) ?? []).map(inFull)).toEqual(told);
});

test('a file of tests without any', async () => {
  const { issues } = await readWorkflowTests({ text: '{}', format: 'json' });
  expect(issues.map(inFull)).toEqual([
    "error missing-property : Missing required property 'tests'. Add required 'tests' field",
  ]);
});

describe('a text beyond the limits', () => {
  const quoted = (text: string) => `"${text}"`;
  const large = `error beyond-limits : The text has more than ${maxDefinitionBytes} bytes, the most a definition may have. Move long material out of the workflow, or split it`;

  test.each<[what: string, text: string, told: readonly string[]]>([
    ['has not as many bytes as it may', quoted('a'.repeat(maxDefinitionBytes - 2)), []],
    ['has one byte more', quoted('a'.repeat(maxDefinitionBytes - 1)), [large]],
    ['has more bytes than characters', quoted('é'.repeat(maxDefinitionBytes / 2)), [large]],
    [
      'has too many values',
      `[${'1,'.repeat(maxDefinitionValues)}1]`,
      [
        `error beyond-limits : More than ${maxDefinitionValues} values, the most a definition may have. Split the workflow`,
      ],
    ],
    [
      'is nested too deep',
      '['.repeat(65) + ']'.repeat(65),
      [
        'error beyond-limits : Nested deeper than 64 levels, the most a definition may have. Flatten the document',
      ],
    ],
  ])('%s', async (_, text, told) => {
    expect((await readValue({ text, format: 'json' })).issues.map(inFull)).toEqual(told);
  });
});

test('a place in a text that can not be read is its start', async () => {
  expect(await findPosition({ text: 'tea', format: 'json' }, '/steps')).toEqual({ line: 1, column: 1 });
});

describe('a hundred findings', () => {
  const numbers = (length: number) => Array.from({ length }, (_, at) => at);
  const unknown = Object.fromEntries(numbers(60).map((at) => [`row ${at}`, at]));
  const found = { severity: 'error', code: 'x-own', pointer: '', message: 'As it is', served: true } as const;

  test.each<[what: string, more: object, told: readonly (number | string)[]]>([
    ['are all listed', { tags: numbers(100) }, [100]],
    [
      'stand for more',
      { tags: numbers(101) },
      [101, 'error unlisted : More than 100 problems: the others are not listed.'],
    ],
    [
      'are counted together, whatever they are about',
      { tags: numbers(60), ...unknown },
      [101, 'error unlisted : More than 100 problems: the others are not listed.'],
    ],
  ])('%s', async (_, more, told) => {
    const { issues } = await read(definition(more));
    expect([issues.length, ...issues.filter(({ code }) => code === 'unlisted').map(inFull)]).toEqual(told);
  });

  test('and more keep nothing from being served where none of them does', async () => {
    const { workflow, issues } = await read(definition(), [() => numbers(101).map(() => found)]);
    expect(workflow?.id).toBe('a-flow');
    expect(issues.map(inFull).at(-1)).toBe(
      'error! unlisted : More than 100 problems: the others are not listed.',
    );
  });

  test('have a suggestion each, and what comes after them has none', async () => {
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
      ["Add a file 'activities/NN-strat', or correct the name, or write 'end' where nothing follows"],
    ]);
  });
});
