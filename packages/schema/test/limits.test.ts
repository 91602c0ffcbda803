import { maxDefinitionBytes, maxDefinitionValues, maxDepth } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { definition, json, read, readYaml } from './definitions.ts';

const nested = (depth: number, [open = '', close = '']: string) => open.repeat(depth) + close.repeat(depth);
const messages = async (reading: ReturnType<typeof read>) => {
  const { issues, workflow } = await reading;
  expect(workflow).toBeUndefined();
  return issues.map(({ message }) => message);
};

const tooLarge = `The text has more than ${maxDefinitionBytes} bytes, the most a definition may have`;
const tooDeep = `Nested deeper than ${maxDepth} levels, the most a definition may have`;

test('the limits', () => {
  expect({ maxDefinitionBytes, maxDepth, maxDefinitionValues }).toEqual({
    maxDefinitionBytes: 1_048_576,
    maxDepth: 64,
    maxDefinitionValues: 100_000,
  });
});

test('refuses a text over 1 MiB, counted in bytes', async () => {
  const room = maxDefinitionBytes - json(definition({ 'x-a': '' })).length;
  expect((await read(definition({ 'x-a': 'a'.repeat(room) }))).issues).toEqual([]);
  expect(await messages(read(definition({ 'x-a': 'a'.repeat(room + 1) })))).toEqual([tooLarge]);
  expect(await messages(read(definition({ 'x-a': 'é'.repeat(room / 2 + 1) })))).toEqual([tooLarge]);
  expect(await messages(readYaml(`a: ${'a'.repeat(maxDefinitionBytes)}`))).toEqual([tooLarge]);
});

test('refuses nesting deeper than 64 levels', async () => {
  const flow = (depth: number) =>
    json(definition()).replace('"steps"', `"x-a": ${nested(depth - 1, '[]')}, "steps"`);
  expect((await read(flow(64))).issues).toEqual([]);
  expect((await readYaml(flow(64))).issues).toEqual([]);
  expect(await messages(read(flow(65)))).toEqual([tooDeep]);
  expect(await messages(readYaml(flow(65)))).toEqual([tooDeep]);
});

test.each([
  ['lists', nested(200_000, '[]')],
  ['open lists', '['.repeat(200_000)],
  ['open objects', '{"a":'.repeat(200_000)],
])('refuses 200,000 nested %s in JSON', async (_, text) => {
  expect(await messages(read(text))).toEqual([tooDeep]);
});

test.each([
  ['a string that ends with its line', `"\n${'['.repeat(200_000)}`],
  ['a comment with a quote', `/*"*/${'['.repeat(200_000)}`],
])('refuses 200,000 nested lists behind %s', async (_, text) => {
  expect(await messages(read(text))).toEqual([
    expect.stringContaining('JSON syntax error: nested deeper than 64 levels'),
  ]);
});

test.each([
  ['flow lists', '['.repeat(200_000)],
  ['flow objects', '{a: '.repeat(200_000)],
  ['block lists', '- '.repeat(200_000)],
  ['explicit keys', '? '.repeat(200_000)],
  ['indented objects', Array.from({ length: 1_000 }, (__, at) => `${' '.repeat(at)}a:`).join('\n')],
])('refuses deeply nested %s in YAML', async (_, text) => {
  expect(await messages(readYaml(text))).toEqual([tooDeep]);
});

test('refuses aliases that nest deeper than 64 levels', async () => {
  const levels = Array.from({ length: 70 }, (_, at) => `x-${at}: &a${at} [${at === 0 ? '' : `*a${at - 1}`}]`);
  expect(await messages(readYaml(levels.join('\n')))).toContain(tooDeep);
});

test('refuses aliases that expand past 1 MiB', async () => {
  const lists = [
    '&a [xxxxxxxx, xxxxxxxx]',
    ...Array.from('abcdefgh', (name, at) => {
      const alias = `*${name}`;
      return `&${'bcdefghi'[at]} [${Array.from({ length: 9 }, () => alias).join(', ')}]`;
    }),
  ];
  const text = lists.map((value, at) => `x-${at}: ${value}`).join('\n');
  expect(await messages(readYaml(text))).toEqual([
    `The aliases expand to more than ${maxDefinitionBytes} bytes, the most a definition may have`,
  ]);
});

test('refuses more values than any workflow has', async () => {
  const ones = Array.from({ length: maxDefinitionValues + 1 }, () => 1);
  expect(await messages(read(definition({ 'x-a': ones })))).toEqual([
    'More than 100000 values, the most a definition may have',
  ]);
  expect(await messages(readYaml(`x-a: [${ones.join()}]`))).toEqual([
    'More than 100000 YAML tokens, the most a definition may have',
  ]);
});

test('refuses a number JSON can not hold', async () => {
  expect(await messages(read(json(definition()).replace('"steps"', '"x-a": 1e999, "steps"')))).toEqual([
    "A number that is out of range in 'x-a'",
  ]);
});

test.each([
  ['JSON', (text: string) => read(text)],
  ['YAML', readYaml],
])('keeps a __proto__ key in %s to itself', async (_, readText) => {
  const text = json(definition()).replace('"steps"', '"x-a": {"__proto__": {"polluted": true}}, "steps"');
  const { workflow, issues } = await readText(text);
  expect(issues).toEqual([]);
  expect(json(workflow?.definition)).toContain('"__proto__"');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const atRoot = await readText(text.replace('"x-a"', '"__proto__"'));
  expect(atRoot.issues.map(({ message }) => message)).toEqual(["Unknown property '__proto__'"]);
});
