import { expect, test } from 'vitest';
import { definition, json, loop, read, step } from '../support/definitions.ts';
import { summarizeIssue } from '../support/summarize-issue.ts';

const declare = (name: string, more: object = {}): object => ({ name, type: 'string', ...more });
const item = (more: object): object => ({ type: 'forEach', items: 'crates', count: undefined, ...more });
const shows = (prompt: string, id = 'lift'): object => step(id, { prompt });

test.each<[what: string, more: object, expected: readonly string[]]>([
  [
    'a name that two loops choose, the inner one with a name of its own before it',
    {
      steps: [
        loop('rows', [loop('beds', [shows('{{bed}}')], item({ itemVar: 'bed' }))], {
          iterationVar: 'row',
          indexVar: 'bed',
        }),
      ],
    },
    ['warning shadowed-name /steps/0/body/0/loop/itemVar'],
  ],
  [
    'a name that is chosen and is the usual one of another field',
    { steps: [loop('rows', [shows('{{currentIndex}}')], { iterationVar: 'currentIndex' })] },
    ['warning shadowed-name /steps/0/loop'],
  ],
  [
    'the usual name of what is repeated',
    { steps: [loop('rows', [shows('{{currentItem}}')], item({ iterationVar: 'currentItem' }))] },
    ['warning shadowed-name /steps/0/loop'],
  ],
  [
    'no item of a loop that has none',
    { steps: [loop('rows', [shows('{{row}}')], { iterationVar: 'currentItem', indexVar: 'row' })] },
    [],
  ],
  [
    'names that differ',
    { steps: [loop('rows', [shows('{{a}}')], { iterationVar: 'a', indexVar: 'b' })] },
    [],
  ],
  [
    'usual names, hidden by usual names of a loop inside',
    { steps: [loop('rows', [loop('beds', [shows('{{currentIndex}}')])])] },
    [],
  ],
  [
    'names of other loops around it',
    {
      steps: [
        loop('rows', [loop('beds', [shows('{{bed}}')], item({ itemVar: 'bed' }))], { iterationVar: 'row' }),
      ],
    },
    [],
  ],
  [
    'a name that misses the usual one of a loop',
    { steps: [loop('rows', [shows('{{curentIndex}} {{curentIteration}}')])] },
    ['warning unknown-variable /steps/0/body/0/prompt', 'warning unknown-variable /steps/0/body/0/prompt'],
  ],
  ['a name that misses the item of a loop without one', { steps: [loop('rows', [shows('{{itm}}')])] }, []],
  [
    'the title of a loop that shows its own name',
    { steps: [{ ...loop('rows', [step('lift')], { iterationVar: 'row' }), title: 'Row {{roww}}' }] },
    ['warning unknown-variable /steps/0/title'],
  ],
  [
    'a variable that is declared twice, and another',
    { variables: [declare('jar'), declare('lid'), declare('jar')], steps: [shows('Set lid and jar.')] },
    ['warning duplicate-id /variables/2/name'],
  ],
  [
    'variables that are only shown, and one beside them that is set',
    {
      variables: [declare('jar'), declare('lid')],
      steps: [shows('{{jar}} {{lid}} {{jar}}'), shows('Set lid.', 'close')],
    },
    ['warning unset-variable /steps/0/prompt'],
  ],
  [
    'a variable whose name is part of longer words, or has no text between two marks',
    { variables: [declare('jar')], steps: [shows('{{jar}}jars ajar{{jar}}')] },
    ['warning unset-variable /steps/0/prompt'],
  ],
  ['a list of variables that is empty', { variables: [] }, []],
  ['a prompt of as many characters as are easy to follow', { steps: [shows('p'.repeat(2000))] }, []],
])('Lint reports %s', async (_, more, expected) => {
  const { issues } = await read(definition(more));
  expect(issues.map(summarizeIssue)).toEqual(expected);
});

test('An item counts as set inside its loop, but not outside', async () => {
  const each = loop('rows', [shows('{{crate}}')], item({ itemVar: 'crate' }));
  const around = (steps: readonly object[]) => read(definition({ variables: [declare('crate')], steps }));
  expect((await around([each])).issues).toEqual([]);
  expect((await around([each, shows('{{crate}}', 'close')])).issues.map(({ code }) => code)).toEqual([
    'shadowed-name',
  ]);
});

test.each([
  ['1e999', 'a number beyond what JSON holds', 'error wrong-value /x-a'],
  ['-1e999', 'one below', 'error wrong-value /x-a'],
])('%s is %s', async (number, _, expected) => {
  const { issues } = await read(json(definition({ 'x-a': 0 })).replace('"x-a": 0', `"x-a": ${number}`));
  expect(issues.map(summarizeIssue)).toEqual([expected]);
});

test('A hidden character in a key is reported at the key, and one in a text at the text', async () => {
  const text = '{\n  "x-\u200Ba": "b",\n  "x-c": "d\u200B"\n}';
  const { issues } = await read(json(definition()).replace('{', `${text.slice(0, -2)},`));
  expect(issues.map(({ line, column, pointer }) => `${line}:${column} ${pointer}`)).toEqual([
    '2:3 /x-\u200Ba',
    '3:10 /x-c',
  ]);
});

test('The pointer of a finding has the keys as they are written', async () => {
  const { issues } = await read(definition({ 'x-a/b~c': { '~1': 'd\u200B' } }));
  expect(issues.map(summarizeIssue)).toEqual(['error hidden-character /x-a~1b~0c/~01']);
});

test.each([
  ['http://json-schema.org/draft-07/schema#', 'not-a-definition'],
  ['https://json-schema.org/draft/2020-12/schema', 'not-a-definition'],
  ['./see-https://json-schema.org/', 'missing-property'],
  [7, 'missing-property'],
  [['https://json-schema.org/'], 'missing-property'],
])('A document without steps whose $schema is %j is reported as %s', async ($schema, code) => {
  expect((await read({ $schema, type: 'object' })).issues[0]?.code).toBe(code);
});
