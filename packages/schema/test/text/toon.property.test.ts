import { encodeToon } from '@workflowlookup/schema';
import type { Json } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/support/fuzz.ts';
import { flow, readFolder } from '../support/folders.ts';

const noMinusZero = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Data as authors write it, without numbers of 16 or more digits and without lone surrogates. */
const data = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'grapheme-ascii' })
  .map(noMinusZero)
  .filter((value) => JSON.stringify(value).match(/\d{16}/) === null);

test('A value that is written as TOON is read again, or an issue names the text that is read differently', async () => {
  await fc.assert(
    fc.asyncProperty(data, async (value) => {
      const text = await encodeToon({ content: value });
      const { workflow, issuesByFile } = await readFolder(flow({ 'resources/01-data.toon': text }));
      const [resource] = workflow?.resources ?? [];
      if (resource === undefined) {
        const error: unknown = expect.objectContaining({ severity: 'error', code: 'misread-text' });
        expect(issuesByFile.get('resources/01-data.toon')).toContainEqual(error);
      } else expect(resource.value).toEqual({ content: value });
    }),
    { examples: [[['&0', 4.801274976571242e30, {}]]] },
  );
});

const toonParts = [
  'id: a-flow\n',
  'a',
  ': ',
  ':',
  '\n',
  '  ',
  '\t',
  '- ',
  '[1]',
  '[2|]',
  '[1:]',
  '{a,b}',
  '{',
  '}',
  '"',
  '\\',
  ',',
  '|',
  '>',
  '#',
  '1',
  '-',
  '---',
  '\u0000',
  '__proto__',
  'null',
  '\r',
];
const toonish = fc.array(fc.constantFrom(...toonParts), { maxLength: 40 }).map((parts) => parts.join(''));

test('Any other text is refused with a position in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(toonish, fc.string({ unit: anyCharacter, maxLength: 200 })), async (text) => {
      const { workflow, issuesByFile } = await readFolder({ 'workflow.toon': text });
      expect(workflow).toBeUndefined();
      const issues = issuesByFile.get('workflow.toon') ?? [];
      expect(issues.some(({ severity }) => severity === 'error')).toBe(true);
      const lines = text.split(/\r\n|\r|\n/);
      for (const { line, column } of issues) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeGreaterThanOrEqual(1);
      }
    }),
  );
});
