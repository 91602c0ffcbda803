import { expect, test } from 'vitest';
import { definition, lines, read, readYaml } from '../support/definitions.ts';
import { fileMessages } from '../../src/messages/files.ts';
import { yamlMessages } from '../../src/messages/syntax.ts';

const flow = `# a comment
id: a-flow
name: A flow
description: For tests.
version: 1.0.0
steps:
  - id: plan
    title: Title of plan
    prompt: Do plan.
`;

test('The same workflow is read from YAML and from JSON', async () => {
  const yaml = await readYaml(flow);
  expect(yaml.issues).toEqual([]);
  expect(yaml.workflow).toEqual((await read(definition())).workflow);
});

test('Text, numbers, booleans and null are read by the core schema of YAML 1.2', async () => {
  const { workflow } = await readYaml(
    `${flow}x-a: [yes, on, 0o17, 0x1F, 1e3, -0.5, true, null, ~, "5", 2001-01-01, !!str 5]\n`,
  );
  expect(workflow?.definition).toHaveProperty('x-a', [
    'yes',
    'on',
    15,
    31,
    1000,
    -0.5,
    true,
    null,
    null,
    '5',
    '2001-01-01',
    '5',
  ]);
});

test('YAML 1.2 is used even if a directive names another version', async () => {
  const { workflow } = await readYaml(`%YAML 1.1\n---\n${flow}x-a: [yes, 017]\n`);
  expect(workflow?.definition).toHaveProperty('x-a', ['yes', 17]);
});

test('Issues have the line and column in the YAML text', async () => {
  const text = flow.replace('name: A flow', 'nam: A flow').replace('title: Title of plan', 'title: 5');
  expect(lines(await readYaml(text))).toEqual([
    "error  2:1 Missing required property 'name'",
    "error /nam 3:1 Unknown property 'nam', close to 'name'",
    "error /steps/0/title 8:12 'title' of step 'plan' must be text, found the number 5",
  ]);
});

test('Aliases are expanded', async () => {
  const { workflow } = await readYaml(`${flow}x-a: &list [1, 2]\nx-b: {again: *list}\n`);
  expect(workflow?.definition).toMatchObject({ 'x-a': [1, 2], 'x-b': { again: [1, 2] } });
});

test.each([
  ['a: [1', 'error  1:6 YAML syntax error: '],
  ['a:\n\t- b', 'error  2:1 YAML syntax error: Tabs are not allowed as indentation at line 2, column 1'],
  ['a: b: c', 'error  1:4 YAML syntax error: '],
  ['[a]]', 'error  1:4 YAML syntax error: '],
  ['a: 1\n---\nb: 2', `error  2:1 ${yamlMessages.severalDocuments().message}`],
  ['a: 1\n"a": 2', `error /a 2:1 ${fileMessages.duplicateKey('a', 1).message}`],
  ['1: a', `error  1:1 ${yamlMessages.keyNotText('1').message}`],
  ['x:\n  true: a', `error /x 2:3 ${yamlMessages.keyNotText('true').message}`],
  ['? [a]\n: b', `error  1:3 ${yamlMessages.complexKey().message}`],
  ['a: &a {b: 1}\nc:\n  <<: *a', `error /c 3:3 ${yamlMessages.mergeKey().message}`],
  ['a: !!binary aGk=', `error /a 1:13 ${yamlMessages.unknownTag('tag:yaml.org,2002:binary').message}`],
  ['a: !mine b', `error /a 1:10 ${yamlMessages.unknownTag('!mine').message}`],
  ['a: *b', `error /a 1:4 ${yamlMessages.unknownAlias('b').message}`],
  ['a: &b [*b]', `error /a/0 1:8 ${yamlMessages.unknownAlias('b').message}`],
])('The text %j is refused', async (text, line) => {
  const reading = await readYaml(text);
  expect(lines(reading)).toEqual([expect.stringContaining(line)]);
  expect(reading.workflow).toBeUndefined();
});

test('A quoted << is an unknown key like any other', async () => {
  expect((await readYaml(`${flow}"<<": 1\n`)).issues).toMatchObject([
    { code: 'unknown-property', pointer: '/<<', line: 10, column: 1 },
  ]);
});

test.each(['', '# nothing', '---', 'null'])(
  'The text %j is refused because it contains no object',
  async (text) => {
    expect((await readYaml(text)).issues).toMatchObject([{ code: 'wrong-value', pointer: '' }]);
  },
);

test('Numbers that JSON cannot represent are refused', async () => {
  expect(lines(await readYaml(`${flow}x-a: [.inf, .nan]\n`))).toEqual([
    `error /x-a/0 10:7 ${fileMessages.numberOutOfRange().message} in 'x-a[0]'`,
    `error /x-a/1 10:13 ${fileMessages.numberOutOfRange().message} in 'x-a[1]'`,
  ]);
});
