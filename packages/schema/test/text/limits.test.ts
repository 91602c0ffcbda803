import { maxDefinitionBytes, maxDefinitionValues, maxDepth } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { definition, json, read, readYaml, refusals } from '../support/definitions.ts';
import { fileMessages } from '../../src/messages/files.ts';
import { jsonMistakes } from '../../src/messages/syntax.ts';

const nested = (depth: number, [open = '', close = '']: string) => open.repeat(depth) + close.repeat(depth);

const tooDeep = fileMessages.tooDeep().message;

test('The limits have their documented values', () => {
  expect({ maxDefinitionBytes, maxDepth, maxDefinitionValues }).toEqual({
    maxDefinitionBytes: 1_048_576,
    maxDepth: 64,
    maxDefinitionValues: 100_000,
  });
});

test('Nesting deeper than 64 levels is refused', async () => {
  const flow = (depth: number) =>
    json(definition()).replace('"steps"', `"x-a": ${nested(depth - 1, '[]')}, "steps"`);
  expect((await read(flow(64))).issues).toEqual([]);
  expect((await readYaml(flow(64))).issues).toEqual([]);
  expect(await refusals(read(flow(65)))).toEqual([tooDeep]);
  expect(await refusals(readYaml(flow(65)))).toEqual([tooDeep]);
});

test.each([
  ['lists', nested(200_000, '[]')],
  ['open lists', '['.repeat(200_000)],
  ['open objects', '{"a":'.repeat(200_000)],
])('200,000 nested %s in JSON are refused', async (_, text) => {
  expect(await refusals(read(text))).toEqual([tooDeep]);
});

test.each([
  ['a string that ends with its line', `"\n${'['.repeat(200_000)}`],
  ['a comment with a quote', `/*"*/${'['.repeat(200_000)}`],
])('200,000 nested lists behind %s are refused', async (_, text) => {
  const { issues, workflow } = await read(text);
  expect(workflow).toBeUndefined();
  expect(issues).toMatchObject([
    { code: 'syntax-error', message: expect.stringContaining(jsonMistakes.tooDeep[0]) },
  ]);
});

test.each([
  ['flow lists', '['.repeat(200_000)],
  ['flow objects', '{a: '.repeat(200_000)],
  ['block lists', '- '.repeat(200_000)],
  ['explicit keys', '? '.repeat(200_000)],
  ['indented objects', Array.from({ length: 1_000 }, (__, at) => `${' '.repeat(at)}a:`).join('\n')],
])('Deeply nested %s in YAML are refused', async (_, text) => {
  expect(await refusals(readYaml(text))).toEqual([tooDeep]);
});

const notAnObject = { code: 'wrong-value', pointer: '' };
const tooMany = fileMessages.tooManyValues('values');

test.each([
  ['as many values as there may be', `[${'1,'.repeat(maxDefinitionValues - 1)}1]`, notAnObject],
  ['one more', `[${'1,'.repeat(maxDefinitionValues)}1]`, tooMany],
  ['objects and lists, which are values', `[${'[],'.repeat(maxDefinitionValues / 2)}{}]`, tooMany],
  ['what looks like values in a text', `["${',:[{'.repeat(maxDefinitionValues)}"]`, notAnObject],
  ['a quote in a text', `["\\"${',['.repeat(maxDefinitionValues)}"]`, notAnObject],
  ['a backslash at the end of a text', `["\\\\",${'['.repeat(64)}`, fileMessages.tooDeep()],
  ['lists and objects one after the other', `[${'{},[],'.repeat(100)}1]`, notAnObject],
])('JSON values are counted: %s', async (_, text, expected) => {
  const { issues, workflow } = await read(text);
  expect(workflow).toBeUndefined();
  expect(issues).toMatchObject([expected]);
});

test('Aliases that nest deeper than 64 levels are refused', async () => {
  const levels = Array.from({ length: 70 }, (_, at) => `x-${at}: &a${at} [${at === 0 ? '' : `*a${at - 1}`}]`);
  expect(await refusals(readYaml(levels.join('\n')))).toContain(tooDeep);
});

test('A number that JSON cannot represent is refused', async () => {
  expect(await refusals(read(json(definition()).replace('"steps"', '"x-a": 1e999, "steps"')))).toEqual([
    `${fileMessages.numberOutOfRange().message} in 'x-a'`,
  ]);
});

test.each([
  ['JSON', (text: string) => read(text)],
  ['YAML', readYaml],
])('A __proto__ key in %s does not change any prototype', async (_, readText) => {
  const text = json(definition()).replace('"steps"', '"x-a": {"__proto__": {"polluted": true}}, "steps"');
  const { workflow, issues } = await readText(text);
  expect(issues).toEqual([]);
  expect(json(workflow?.definition)).toContain('"__proto__"');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const atRoot = await readText(text.replace('"x-a"', '"__proto__"'));
  expect(atRoot.issues).toMatchObject([{ code: 'unknown-property', pointer: '/__proto__' }]);
});
