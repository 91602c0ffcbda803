import { expect, test } from 'vitest';
import { definition, loop, read, step } from '../support/definitions.ts';

const inStep = (more: object) => definition({ steps: [step('plan', more)] });
const inCriteria = (validationCriteria: unknown) => inStep({ validationCriteria });
const inLoop = (more: object) => definition({ steps: [loop('again', [step('plan')], more)] });
const without = (key: string) =>
  Object.fromEntries(Object.entries(definition()).filter(([name]) => name !== key));

type Row = readonly [document: unknown, pointer: string, message: string, suggestion: string];

const rows: readonly Row[] = [
  [
    without('description'),
    '',
    "Missing required property 'description'",
    "Add required 'description' field with a meaningful description",
  ],
  [
    without('steps'),
    '',
    "Missing required property 'steps'",
    "Add required 'steps' array with at least one step object",
  ],
  [null, '', 'The document must be an object, found null', 'Write an object here'],
  [
    definition({ metaGuidence: [] }),
    '/metaGuidence',
    "Unknown property 'metaGuidence', close to 'metaGuidance'",
    "Did you mean 'metaGuidance'?",
  ],
  [
    inStep({ colour: 1 }),
    '/steps/0/colour',
    "Unknown property 'colour' in step 'plan'",
    'Use one of type, id, title, prompt, agentRole, guidance, askForFiles, requireConfirmation, approver, reversible, may_be_missing, runCondition, fields, sets, validationCriteria, evidence, modelHint, or start the key with x- for your own notes',
  ],
  [
    definition({ __proto: 1, 'a/b~c': 1, steps: 1 }),
    '/__proto',
    "Unknown property '__proto'",
    'Use one of $schema, id, name, description, version, category, tags, preconditions, clarificationPrompts, metaGuidance, variables, session_title, session_outcomes, enforcement, steps, or start the key with x- for your own notes',
  ],
  [
    definition({ id: 'My Flow' }),
    '/id',
    `'id' must be lowercase letters, digits and dashes, with at most one dot after a namespace, found the text "My Flow"`,
    "Use 'my-flow'",
  ],
  [
    definition({ id: 'abc\n' }),
    '/id',
    `'id' must be lowercase letters, digits and dashes, with at most one dot after a namespace, found the text "abc\\n"`,
    "Use 'abc'",
  ],
  [definition({ id: 'a' }), '/id', "'id' must be 3 to 64 characters long, found 1", 'Add 2 characters'],
  [
    definition({ name: 'n'.repeat(129) }),
    '/name',
    "'name' must be 1 to 128 characters long, found 129",
    'Shorten it by 1 character',
  ],
  [
    definition({ version: '1.0' }),
    '/version',
    `'version' must be a semantic version (major.minor.patch, such as 1.0.0), found the text "1.0"`,
    'Write a semantic version (major.minor.patch, such as 1.0.0)',
  ],
  [
    definition({ version: 1 }),
    '/version',
    "'version' must be text, found the number 1",
    'Put it in quotes: "1"',
  ],
  [
    definition({ enforcement: 'strikt' }),
    '/enforcement',
    `'enforcement' must be 'advisory' or 'strict', found the text "strikt"`,
    "Did you mean 'strict'?",
  ],
  [
    definition({ tags: 'a' }),
    '/tags',
    `'tags' must be a list, found the text "a"`,
    'Write a list, even for one item: ["…"]',
  ],
  [
    definition({ tags: ['a', 'b', 'a'] }),
    '/tags/2',
    "'tags' must not contain duplicates, found item 1 again as item 3",
    'Remove one of the two',
  ],
  [
    definition({ variables: [{ name: '1st', type: 'string' }] }),
    '/variables/0/name',
    `'variables[0].name' must be letters, digits and underscores, not starting with a digit, found the text "1st"`,
    'Write letters, digits and underscores, not starting with a digit',
  ],
  [
    definition({ variables: [{ name: 'a' }] }),
    '/variables/0',
    "Missing required property 'type' in 'variables[0]'",
    "Add required 'type' field: 'string', 'number', 'boolean', 'array' or 'object'",
  ],
  [
    definition({ steps: [] }),
    '/steps',
    "'steps' must have at least one item, found none",
    'Add at least one item',
  ],
  [
    definition({ steps: [5] }),
    '/steps/0',
    "'steps[0]' must be an object, found the number 5",
    'Write an object here',
  ],
  [
    definition({ steps: [{ title: 't', prompt: 'p' }] }),
    '/steps/0',
    "Missing required property 'id' in 'steps[0]'",
    "Add required 'id' field with 3 to 64 lowercase letters, digits and dashes",
  ],
  [
    inStep({ prompt: undefined }),
    '/steps/0',
    "Missing required property 'prompt' in step 'plan'",
    "Add required 'prompt' field with the instructions for the agent",
  ],
  [
    inStep({ id: 'a.plan' }),
    '/steps/0/id',
    `'id' of step 'a.plan' must be lowercase letters, digits and dashes, found the text "a.plan"`,
    "Use 'a-plan'",
  ],
  [
    inStep({ type: 'lop' }),
    '/steps/0/type',
    `'type' of step 'plan' must be 'loop', found the text "lop"`,
    "Did you mean 'loop'?",
  ],
  [
    inStep({ askForFiles: 'yes' }),
    '/steps/0/askForFiles',
    `'askForFiles' of step 'plan' must be true or false, found the text "yes"`,
    'Write true or false, without quotes',
  ],
  [
    inStep({ requireConfirmation: 1 }),
    '/steps/0/requireConfirmation',
    "'requireConfirmation' of step 'plan' must be true or false, an object or text, found the number 1",
    'Write true or false, an object or text here',
  ],
  [
    inStep({ runCondition: { and: [5] } }),
    '/steps/0/runCondition/and/0',
    "'runCondition.and[0]' of step 'plan' must be an object or text, found the number 5",
    'Write an object or text here',
  ],
  [
    inCriteria([42]),
    '/steps/0/validationCriteria/0',
    "'validationCriteria[0]' of step 'plan' must be an object, a list or text, found the number 42",
    'Write an object, a list or text here',
  ],
  [
    inCriteria({ type: 'exact', message: 'm' }),
    '/steps/0/validationCriteria/type',
    `'validationCriteria.type' of step 'plan' must be 'contains', 'regex', 'length' or 'schema', found the text "exact"`,
    "Use 'contains', 'regex', 'length' or 'schema'",
  ],
  [
    inCriteria({ message: 'm', xor: [] }),
    '/steps/0/validationCriteria',
    "Missing required property 'type' in 'validationCriteria' of step 'plan'",
    "Add required 'type' field: 'contains', 'regex', 'length' or 'schema', or join rules with one of and, or, not",
  ],
  [
    inCriteria({ type: 'contains', value: 'a' }),
    '/steps/0/validationCriteria',
    "Missing required property 'message' in 'validationCriteria' of step 'plan'",
    "Add required 'message' field with the text the agent gets when the rule fails",
  ],
  [
    inCriteria({ type: 'length', min: '1', message: 'm' }),
    '/steps/0/validationCriteria/min',
    `'validationCriteria.min' of step 'plan' must be a whole number, found the text "1"`,
    'Write the number without quotes',
  ],
  [
    inCriteria({ type: 'length', min: -1, message: 'm' }),
    '/steps/0/validationCriteria/min',
    "'validationCriteria.min' of step 'plan' must be 0 or more, found the number -1",
    'Use a number in that range',
  ],
  [
    inCriteria({ type: 'regex', value: 'a', message: 'm' }),
    '/steps/0/validationCriteria/value',
    "Unknown property 'value' in 'validationCriteria' of step 'plan'",
    'Use one of type, field, message, condition, suggestion, pattern, flags, or start the key with x- for your own notes',
  ],
  [
    inCriteria({ and: ['a'], or: ['b'] }),
    '/steps/0/validationCriteria',
    "'validationCriteria' of step 'plan' must have exactly one of 'and', 'or', 'not', found 'and' and 'or'",
    'Keep one and nest the others inside it',
  ],
  [
    inCriteria({ and: [] }),
    '/steps/0/validationCriteria/and',
    "'validationCriteria.and' of step 'plan' must have at least one item, found none",
    'Add at least one item',
  ],
  [
    inLoop({ maxIterations: 1001 }),
    '/steps/0/loop/maxIterations',
    "'loop.maxIterations' of loop 'again' must be 1 to 1000, found the number 1001",
    'Use a number in that range',
  ],
  [
    inLoop({ count: 0 }),
    '/steps/0/loop/count',
    "'loop.count' of loop 'again' must be 1 to 1000, found the number 0",
    'Use a number in that range',
  ],
  [
    inLoop({ count: 'a b' }),
    '/steps/0/loop/count',
    `'loop.count' of loop 'again' must be the name of a variable, or a path such as plan.files, found the text "a b"`,
    'Write the name of a variable, or a path such as plan.files',
  ],
  [
    inLoop({ count: undefined }),
    '/steps/0/loop',
    "Missing required property 'count' in 'loop' of loop 'again'",
    "Add required 'count' field with a number, or the name of a variable with one",
  ],
  [
    inLoop({ type: 'until' }),
    '/steps/0/loop',
    "Missing required property 'condition' in 'loop' of loop 'again'",
    "Add required 'condition' field that decides how long the loop runs",
  ],
  [
    inLoop({ type: 'forEach' }),
    '/steps/0/loop',
    "Missing required property 'items' in 'loop' of loop 'again'",
    "Add required 'items' field with the name of a variable with a list",
  ],
  [
    inLoop({ type: 'repeat' }),
    '/steps/0/loop/type',
    `'loop.type' of loop 'again' must be 'while', 'until', 'for' or 'forEach', found the text "repeat"`,
    "Use 'while', 'until', 'for' or 'forEach'",
  ],
  [
    definition({ steps: [{ ...loop('again', ['a']), type: undefined }] }),
    '/steps/0',
    "Missing required property 'type' in step 'again'",
    "Add required 'type' field: 'loop'",
  ],
  [
    definition({ steps: [loop('again', [])] }),
    '/steps/0/body',
    "'body' of loop 'again' must have at least one item, found none",
    'Add at least one item',
  ],
  [
    definition({ steps: [loop('again', [step('plan', { prompt: 5 })])] }),
    '/steps/0/body/0/prompt',
    "'prompt' of step 'plan' must be text, found the number 5",
    'Put it in quotes: "5"',
  ],
];

test.each(rows)(
  'The definition %j has the expected error',
  async (document, pointer, message, suggestion) => {
    const { issues, workflow } = await read(document);
    expect(issues).toContainEqual(
      expect.objectContaining({ severity: 'error', pointer, message, suggestion }),
    );
    expect(workflow).toBeUndefined();
  },
);

test('Each position has at most one error', async () => {
  const document = definition({
    id: '',
    steps: [5, loop('again', 5), step('plan', { validationCriteria: [{}, 5] })],
  });
  const { issues } = await read(document);
  expect(issues.map(({ pointer, message }) => `${pointer} ${message.split(', found')[0]}`)).toEqual([
    "/id 'id' must be 3 to 64 characters long",
    "/steps/0 'steps[0]' must be an object",
    "/steps/1/body 'body' of loop 'again' must be a list or text",
    "/steps/2/validationCriteria/0 Missing required property 'type' in 'validationCriteria[0]' of step 'plan'",
    "/steps/2/validationCriteria/0 Missing required property 'message' in 'validationCriteria[0]' of step 'plan'",
    "/steps/2/validationCriteria/1 'validationCriteria[1]' of step 'plan' must be an object, a list or text",
  ]);
});

test('Lengths are counted in characters, not in UTF-16 units', async () => {
  expect((await read(definition({ name: '😀'.repeat(128) }))).issues).toEqual([]);
  const { issues } = await read(definition({ name: '😀'.repeat(129) }));
  expect(issues[0]?.message).toBe("'name' must be 1 to 128 characters long, found 129");
});

test('Quoted values are shortened', async () => {
  const { issues } = await read(definition({ enforcement: 'x'.repeat(500), ['y'.repeat(500)]: 1 }));
  for (const { message } of issues) expect(message.length).toBeLessThan(200);
});
