import type { Finding, Repair } from '@workflowlookup/schema';
import { createReader } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';

// The exact changes of a repair, because a repair that is made automatically must be what the author meant.

/** Returns the changes that a reading proposes: `old text → new text`. */
async function changesOf(text: string, found: readonly Finding[] = []): Promise<readonly string[]> {
  const { issues } = await createReader({ checks: [() => found] })({ text, format: 'yaml' });
  expect(issues).not.toEqual([]);
  return issues.flatMap(({ edits = [] }) =>
    edits.map((edit) => `${text.slice(edit.offset, edit.offset + edit.length)} → ${edit.text}`),
  );
}

const head = 'id: a-flow\nname: A flow\ndescription: For tests.\n';
const inStep = (more: string) => `steps: [{id: plan, title: Plan, prompt: Plan it., ${more}}]`;

describe('the repair of a misspelled word', () => {
  test.each<[line: string, changes: readonly string[]]>([
    ['META-GUIDANCE: [Be kind]', ['META-GUIDANCE → metaGuidance']],
    ['tag: [tea]', ['tag → tags']],
    ['vesrion: 1.0.0', ['vesrion → version']],
    ['catxgxry: tea', ['catxgxry → category']],
    ["catego'ry: tea", ["catego'ry → category"]],
    ['"categori": tea', ['"categori" → "category"']],
    [inStep('approver: humam'), ['humam → human']],
  ])('makes the expected changes in %s', async (line, changes) => {
    expect(await changesOf(head + line)).toEqual(changes);
  });

  test.each([
    ['two letters of a short word are others', 'vexsxon: 1.0.0'],
    ['one letter in three is another', inStep('approver: amy')],
  ])('is not offered if %s', async (_, line) => {
    expect(await changesOf(head + line)).toEqual([]);
  });
});

describe('the repair of a value of the wrong type', () => {
  const inLoop = (most: string) =>
    `steps: [{id: again, type: loop, title: Again, body: plan, loop: {type: for, count: 2, maxIterations: ${most}}}]`;

  test.each<[line: string, changes: readonly string[]]>([
    ['category: 5', ['5 → "5"']],
    ['category: true', ['true → "true"']],
    ['tags: Tea & *cake*', ['Tea & *cake* → ["Tea & *cake*"]']],
    ['tags: Tea, "black"', ['Tea, "black" → ["Tea, \\"black\\""]']],
    ["tags: 'tea'", ["'tea' → ['tea']"]],
    [inLoop('"5"'), ['"5" → 5']],
    [inLoop("' 12 '"), ["' 12 ' → 12"]],
    [inLoop('"123456789"'), ['"123456789" → 123456789']],
    [inStep('askForFiles: "true"'), ['"true" → true']],
    [inStep("askForFiles: ' false '"), ["' false ' → false"]],
  ])('makes the expected changes in %s', async (line, changes) => {
    expect(await changesOf(head + line)).toEqual(changes);
  });

  test.each([
    ['a list for a text', 'category: [tea]'],
    ['an object for a text', 'category: {tea: 1}'],
    ['nothing for a text', 'category: null'],
    ['a number for a list', 'tags: 5'],
    ['a text for a list of objects', 'variables: tea'],
    ['a text for an object', 'steps: ["tea"]'],
    ['a number of ten digits', inLoop('"1234567890"')],
    ['a number that begins with 0', inLoop('"05"')],
    ['a number behind a letter', inLoop('"a5"')],
    ['a letter behind a number', inLoop('"5a"')],
    ['a word that is not true or false', inStep('askForFiles: "yes"')],
    ['a letter before true', inStep('askForFiles: "atrue"')],
    ['a letter behind true', inStep('askForFiles: "truea"')],
  ])('is not offered for %s', async (_, line) => {
    expect(await changesOf(head + line)).toEqual([]);
  });
});

describe('the repair that a check offers', () => {
  const flow = (name: string) =>
    `id: a-flow\nname: ${name}\ndescription: For tests.\nversion: 1.0.0\nsteps:\n  - id: plan\n    title: Plan\n    prompt: Plan it.\n`;
  const found = (pointer: string, repair: Repair): readonly Finding[] => [
    { severity: 'warning', code: 'x-own', pointer, message: 'As the check has it', repair },
  ];
  const append = (behind: string): Repair => ({ kind: 'append', behind, key: 'x-note', value: 'old' });

  test.each<[what: string, name: string, pointer: string, repair: Repair, changes: readonly string[]]>([
    ['swaps the first character too', 'Apple tea', '/name', { kind: 'swap', from: 'A', to: 'B' }, ['A → B']],
    [
      'swaps nothing where its place is not there',
      'Apple tea',
      '/nope',
      { kind: 'swap', from: 'A', to: 'B' },
      [],
    ],
    ['takes a word out of its quotes', '"5"', '/name', { kind: 'retype', as: 'literal' }, ['"5" → 5']],
    ['takes no word out of the end of a text', 'Tea "5"', '/name', { kind: 'retype', as: 'literal' }, []],
    [
      'takes no word out of the start of a text',
      "'5'' of tea'",
      '/name',
      { kind: 'retype', as: 'literal' },
      [],
    ],
    ['puts a line behind another', 'Tea', '', append('/name'), [' → x-note: old\n']],
    ['puts no line behind one that is not there', 'Tea', '', append('/nope'), []],
    ['puts no line behind a line of a list', 'Tea', '', append('/steps/0/id'), []],
    [
      'puts a line behind a later one of a list',
      'Tea',
      '',
      append('/steps/0/title'),
      [' →     x-note: old\n'],
    ],
  ])('%s', async (_, name, pointer, repair, changes) => {
    expect(await changesOf(flow(name), found(pointer, repair))).toEqual(changes);
  });
});
