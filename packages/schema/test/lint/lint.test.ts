import { expect, test } from 'vitest';
import type { Problem } from '../../src/messages/workflow.ts';
import { definition, loop, read, step } from '../support/definitions.ts';
import { fileMessages } from '../../src/messages/files.ts';
import { messages } from '../../src/messages/workflow.ts';

const inFull = (pointer: string, { message, suggestion }: Omit<Problem, 'code' | 'severity'>): string =>
  `${pointer} ${message} → ${suggestion}`;

const warnings = async (more: object) => {
  const { issues, workflow } = await read(definition(more));
  expect(workflow).toBeDefined();
  expect(issues.map(({ severity }) => severity)).toEqual(issues.map(() => 'warning'));
  // Unused variables have their own tests.
  const others = issues.filter(({ code }) => code !== 'unused-variable');
  return others.map((issue) => inFull(issue.pointer, issue));
};

const errors = async (more: object) => {
  const { issues, workflow } = await read(definition(more));
  expect(workflow).toBeUndefined();
  const found = issues.filter(({ severity }) => severity === 'error');
  return found.map((issue) => inFull(issue.pointer, issue));
};

test('A missing version causes a warning', async () => {
  expect(await warnings({ version: undefined })).toEqual([inFull('', messages.missingVersion())]);
});

test('A prompt over 2,000 characters causes a warning', async () => {
  expect(await warnings({ steps: [step('plan', { prompt: '😀'.repeat(2000) })] })).toEqual([]);
  expect(await warnings({ steps: [step('plan', { prompt: 'p'.repeat(2001) })] })).toEqual([
    inFull('/steps/0/prompt', messages.longPrompt(2001, "'prompt' of step 'plan'")),
  ]);
});

const variables = [{ name: 'taskScope', type: 'string', required: true }];

test('A path is known if its first part is a declared variable', async () => {
  const prompt = '{{taskScope}} {{ taskScope.size }} {{taskScope.0.a-b}} {{not a variable}} {{}} { {other} }';
  expect(await warnings({ variables, steps: [step('plan', { prompt })] })).toEqual([]);
});

test.each([
  ['metaGuidance', '/metaGuidance/0', "'metaGuidance[0]'"],
  ['preconditions', '/preconditions/0', "'preconditions[0]'"],
  ['clarificationPrompts', '/clarificationPrompts/0', "'clarificationPrompts[0]'"],
])('An undeclared variable in %s causes a warning', async (field, pointer, place) => {
  expect(await warnings({ variables, [field]: ['Use {{other.path}} and {{other}}.'] })).toEqual([
    inFull(pointer, messages.unknownVariable('other', place, undefined)),
  ]);
});

test.each([
  ['title', '/steps/0/title', (text: string): unknown => text],
  ['prompt', '/steps/0/prompt', (text: string): unknown => text],
  ['agentRole', '/steps/0/agentRole', (text: string): unknown => text],
  ['guidance', '/steps/0/guidance/0', (text: string): unknown => [text]],
])('An undeclared variable in the %s of a step causes a warning', async (field, pointer, make) => {
  const place = `'${pointer.slice('/steps/0/'.length).replace('/0', '[0]')}' of step 'plan'`;
  expect(
    await warnings({ variables, steps: [step('plan', { [field]: make('About {{taskScop}}.') })] }),
  ).toEqual([inFull(pointer, messages.unknownVariable('taskScop', place, 'taskScope'))]);
});

test('Unknown names cause no warning if the workflow declares no variables', async () => {
  expect(await warnings({ steps: [step('plan', { prompt: '{{taskScope}} {{curentItem}}' })] })).toEqual([]);
});

test('An empty list of variables counts as a declaration', async () => {
  expect(await warnings({ variables: [], steps: [step('plan', { prompt: '{{a}}' })] })).toHaveLength(1);
});

const prompt = '{{file}} {{fille}} {{currentItem}} {{curentItem}} {{other}}';
const forEach = { type: 'forEach', items: 'files', itemVar: 'file' };
const misses = (pointer: string, place: string) => [
  inFull(pointer, messages.unknownVariable('fille', place, 'file')),
  inFull(pointer, messages.unknownVariable('curentItem', place, 'currentItem')),
];

test('The variables of the loops around a step are known, and names that are close to them get a suggestion', async () => {
  const inner = loop('inner', [step('plan', { prompt })]);
  expect(await warnings({ steps: [loop('outer', [inner], forEach)] })).toEqual(
    misses('/steps/0/body/0/body/0/prompt', "'prompt' of step 'plan'"),
  );
});

test('The variables of a loop are known in a step that it names as its body, directly or in an inner loop', async () => {
  expect(await warnings({ steps: [loop('outer', 'plan', forEach), step('plan', { prompt })] })).toEqual(
    misses('/steps/1/prompt', "'prompt' of step 'plan'"),
  );
  const inner = loop('inner', [step('plan', { prompt })]);
  expect(await warnings({ steps: [loop('outer', 'inner', forEach), inner] })).toEqual(
    misses('/steps/1/body/0/prompt', "'prompt' of step 'plan'"),
  );
});

test('The variables of a loop are unknown outside the loop', async () => {
  const steps = [loop('outer', [step('look')], forEach), step('plan', { prompt: '{{file}}' })];
  expect(await warnings({ variables, steps })).toEqual([
    inFull('/steps/1/prompt', messages.unknownVariable('file', "'prompt' of step 'plan'", undefined)),
  ]);
});

test.each([
  ['\u202E', 'U+202E (bidirectional control)'],
  ['\u2066', 'U+2066 (bidirectional control)'],
  ['\u200F', 'U+200F (bidirectional control)'],
  ['\u200B', 'U+200B (zero-width character)'],
  ['\u200D', 'U+200D (zero-width character)'],
  ['\uFEFF', 'U+FEFF (zero-width character)'],
  ['\u00AD', 'U+00AD (soft hyphen)'],
  ['\u{E0041}', 'U+E0041 (tag character)'],
  ['\u{E0101}', 'U+E0101 (variation selector)'],
])('The hidden character %j is refused', async (character, name) => {
  const hidden = fileMessages.hiddenCharacter(name);
  expect(await errors({ steps: [step('plan', { prompt: `Do${character} it${character}.` })] })).toEqual([
    inFull('/steps/0/prompt', { ...hidden, message: `${hidden.message} in 'prompt' of step 'plan'` }),
  ]);
});

test('Hidden characters are found in every text and key of a document', async () => {
  const found = await errors({ name: 'a\u200B', 'x-a': { 'b\u200B': ['c\u202E\u200B'] } });
  expect(found.map((line) => line.split(' ')[0])).toEqual([
    '/name',
    '/x-a/b\u200B',
    '/x-a/b\u200B/0',
    '/x-a/b\u200B/0',
  ]);
});

test('Emoji are allowed', async () => {
  expect(await warnings({ name: 'ok ⚠️ 👩‍💻 🏳️‍🌈 👩🏽‍🚀 ✅' })).toEqual([]);
});
