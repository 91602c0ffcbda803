import { readdirSync, readFileSync } from 'node:fs';
import { createFolderReader, createReader, encodeToon } from '@workflowlookup/schema';
import type { Issue, Json } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { fuzz, fuzzOptions } from '../../../../test/support/fuzz.ts';
import { activity, checkpoint, flow, folderOf, workflow } from '../support/folders.ts';

const bundled = new URL('../../../../workflows/definitions/', import.meta.url);
const inYaml = readdirSync(bundled)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(new URL(name, bundled), 'utf8'));
const values = inYaml.map((text) => parse(text) as Json);

/** Returns whether a text is served, and expects that every issue has a message and a position in the text. */
function outcomeOf(text: string, issues: readonly Issue[], served: object | undefined): string {
  const lines = text.split(/\r\n|\r|\n/).length;
  for (const { message, line, column } of issues) {
    expect(message).toMatch(/\S/);
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines);
    expect(column).toBeGreaterThanOrEqual(1);
  }
  expect(issues.length > 0 || served !== undefined).toBe(true);
  return served === undefined ? 'refused' : 'served';
}

const read = createReader();
const some = expect.any(Number) as number;

test.each([
  [
    'json',
    values.map((value) => JSON.stringify(value, null, 2)),
    '{ } [ ] : , " \\ \\u0000 1e999 // /* -0 null',
  ],
  ['yaml', inYaml, '-  ?  :  & * ! |\n >\n \n \t {} [] , " \' # % --- ... << &a *a !!binary 0x1 .inf ~ null'],
] as const)(
  'Any text is read as a definition in %s, or refused with a position in it',
  fuzzOptions,
  async (format, seeds, signs) => {
    const outcomes = await fuzz(
      `definitions in ${format}`,
      { seeds, tokens: tokensOf(signs) },
      async (text) => {
        const { issues, workflow: served } = await read({ text, format });
        return outcomeOf(text, issues, served);
      },
    );
    expect(outcomes).toEqual({ served: some, refused: some });
  },
);

test(
  'Any text is read as a workflow file in TOON, or refused with a position in it',
  fuzzOptions,
  async () => {
    const seeds = await Promise.all(
      [
        workflow(),
        workflow({ variables: [{ name: 'goal', type: 'string' }], rules: ['One', 'Two'] }),
        activity('start', { checkpoints: [checkpoint('sure')] }),
      ].map((value) => encodeToon(value as Json)),
    );
    const readFolder = createFolderReader();
    const outcomes = await fuzz(
      'definitions in TOON',
      { seeds, tokens: tokensOf('[1] [2|] [1:] {a,b} { } : , | > - # " \\ \n \t --- null 1e5') },
      async (text) => {
        const { 'workflow.yaml': _, ...parts } = flow();
        const { issuesByFile, workflow: served } = await readFolder(
          folderOf({ ...parts, 'workflow.toon': text }),
          { id: 'a-flow' },
        );
        return outcomeOf(text, issuesByFile.get('workflow.toon') ?? [], served);
      },
    );
    expect(outcomes).toEqual({ served: some, refused: some });
  },
);

/** Returns the signs that have a meaning in a format, and names that have one in a workflow or in JavaScript. */
function tokensOf(signs: string): readonly string[] {
  return [
    ...signs.split(' ').filter((sign) => sign !== ''),
    ' ',
    '  ',
    '__proto__',
    'constructor',
    'id',
    'steps',
    'loop',
    'runCondition',
    '\u0000',
    '\uFEFF',
    '\uD800',
  ];
}
