import type { ActivityWorkflow, Step, StepWorkflow } from '@workflowlookup/schema';
import {
  applyEdits,
  canonicalJson,
  conditionsOfStep,
  digestOfWorkflow,
  errorHelp,
  isWorkflowId,
  readValue,
  readWorkflowTests,
  summarize,
  toPointer,
  walkActions,
  walkActivitySteps,
  walkConditions,
} from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { definition, json, loop, step } from '../support/definitions.ts';
import { flow, readFolder, workflow } from '../support/folders.ts';

// The functions of this package that other packages use, except the readers.

const served = (more: object = {}): StepWorkflow =>
  ({ kind: 'steps', id: 'a-flow', digest: '', definition: definition(more) }) as StepWorkflow;

test('A step workflow is summarized, with defaults for what the author left out', () => {
  expect(summarize(served({ category: 'testing', tags: ['a'] }))).toStrictEqual({
    id: 'a-flow',
    name: 'A flow',
    description: 'For tests.',
    category: 'testing',
    version: '1.0.0',
    tags: ['a'],
  });
  expect(summarize(served({ version: undefined }))).toMatchObject({
    category: 'default',
    version: '0.0.0',
    tags: [],
  });
});

test('An activity workflow is summarized, with its title as the name', async () => {
  const summed = async (more: object) => {
    const { workflow: made } = await readFolder(flow({ 'workflow.yaml': workflow(more) }));
    return summarize(made as ActivityWorkflow);
  };
  const about = { id: 'orchard', title: 'Orchard', version: '2.0.0' };
  expect(await summed(about)).toStrictEqual({
    id: 'orchard',
    name: 'Orchard',
    description: '',
    category: 'default',
    version: '2.0.0',
    tags: [],
  });
  expect(await summed({ ...about, description: 'Trees.', tags: ['b'] })).toMatchObject({
    description: 'Trees.',
    tags: ['b'],
  });
});

const criteria = { type: 'contains', value: 'x', message: 'm', condition: 'c' };

test.each<[what: string, one: object, places: readonly (readonly [source: string, pointer: string])[]]>([
  [
    'a step',
    step('plan', { runCondition: 'a', requireConfirmation: 'b', validationCriteria: criteria }),
    [
      ['a', '/runCondition'],
      ['b', '/requireConfirmation'],
      ['c', '/validationCriteria/condition'],
    ],
  ],
  ['a step that always asks for confirmation', step('plan', { requireConfirmation: true }), []],
  ['a step that never does', step('plan', { requireConfirmation: false }), []],
  [
    'a loop, without its body',
    { ...loop('rows', [step('dig', { runCondition: 'no' })], { condition: 'b' }), runCondition: 'a' },
    [
      ['a', '/runCondition'],
      ['b', '/loop/condition'],
    ],
  ],
  ['a loop without a condition', loop('rows', [step('dig')]), []],
])('conditionsOfStep returns the conditions of %s with their pointers', (_, one, places) => {
  const found = Array.from(conditionsOfStep(one as Step), ({ source, pointer }) => [source, pointer]);
  expect(found).toEqual(places);
});

test('An activity with only the required properties has no steps, actions or conditions', () => {
  const bare = { id: 'bare', version: '1.0.0', name: 'Bare' };
  expect([...walkActivitySteps({ ...bare, loops: [{ id: 'l', name: 'L', type: 'while' }] })]).toEqual([]);
  expect([...walkActions({ ...bare, steps: [{ id: 'a' }] })]).toEqual([]);
  const part = { definition: bare, file: 'a.yaml', pointer: '' };
  expect([...walkConditions({ activities: [part] as never })]).toEqual([]);
});

test('A text in any format is parsed as a value, within the limits for definitions', async () => {
  expect(await readValue({ text: '\uFEFF{"a": [1]}', format: 'json' })).toStrictEqual({
    value: { a: [1] },
    issues: [],
  });
  expect(await readValue({ text: 'a: 1\nb: [true]', format: 'yaml' })).toStrictEqual({
    value: { a: 1, b: [true] },
    issues: [],
  });
  const broken = await readValue({ text: '{"a": 1,}', format: 'json' });
  expect(broken).toStrictEqual({
    issues: [expect.objectContaining({ severity: 'error', code: 'syntax-error', line: 1, column: 8 })],
  });
});

test('A file of tests with only warnings is read', async () => {
  const text = json({ workflow: 'release', tests: [{ name: 'a\u200B walk' }] });
  const { value, issues } = await readWorkflowTests({ text, format: 'json' });
  expect(value).toBeUndefined();
  expect(issues.map(({ severity, code }) => `${severity} ${code}`)).toEqual(['error hidden-character']);
});

test.each([
  ['abc', true],
  ['ab', false],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['team.flow-1', true],
  ['team.flow.one', false],
  ['flow!', false],
  ['flow ', false],
  ['Flow', false],
  [123, false],
])('%j is the id of a workflow: %s', (id, is) => {
  expect(isWorkflowId(id)).toBe(is);
});

test('A pointer escapes slashes and tildes in keys', () => {
  expect(toPointer(['a/b', 'c~d', 0, '~1'])).toBe('/a~1b/c~0d/0/~01');
  expect(toPointer([])).toBe('');
});

test('The later of two overlapping changes is left out, and changes that touch are both made', () => {
  const edits = [
    { offset: 4, length: 1, text: 'E' },
    { offset: 0, length: 4, text: 'abc-' },
    { offset: 2, length: 1, text: 'no' },
  ];
  expect(applyEdits('abcdef', edits)).toBe('abc-Ef');
});

test('A value that JSON cannot write is named by its type', () => {
  expect(() => canonicalJson(undefined)).toThrow('JSON cannot write a value of type undefined');
});

test('The help link of an error leads to its own heading', () => {
  expect(errorHelp('STEP_NOT_FOUND')).toMatch(/^https:\/\/.+\/docs\/errors\.md#step-not-found$/);
});

test('The digest of an activity workflow covers every part of it', async () => {
  const { workflow: made } = await readFolder(flow());
  const whole = made as ActivityWorkflow;
  expect(digestOfWorkflow(whole)).toBe(whole.digest);
  for (const changed of [
    { definition: { ...whole.definition, title: 'Another' } },
    { activities: [] },
    { skills: [{ id: 's', definition: {} }] },
    { resources: [{ id: 'r', body: 'b' }] },
  ]) {
    expect(digestOfWorkflow({ ...whole, ...changed } as ActivityWorkflow)).not.toBe(whole.digest);
  }
});
