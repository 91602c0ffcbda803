import type { Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/support/fuzz.ts';
import { convertText } from '../../src/authoring/convert.ts';
import type { Notation } from '../../src/files.ts';

const words = fc.constantFrom(
  'yes',
  'null',
  '~',
  '1',
  '- a',
  '#x',
  '[a]',
  '{a: 1}',
  '|',
  'a: b',
  "'q'",
  'é\n\tü',
  '',
);
const value = fc.object({
  maxDepth: 3,
  key: fc.oneof(words, fc.string()),
  values: [
    words,
    fc.string({ unit: anyCharacter }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ],
});
const notation = fc.constantFrom<Notation>('json', 'yaml', 'toon');

test('A converted definition has the same meaning, or the conversion is refused', async () => {
  let [converted, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(value, notation, async (document, to) => {
      const sane = JSON.parse(JSON.stringify(document)) as Json;
      const text = JSON.stringify(sane);
      const from = { name: 'x', from: 'json', dropComments: false } as const;
      try {
        const there = await convertText({ ...from, text, to });
        const back = await convertText({
          name: 'x',
          text: there.text,
          from: to,
          to: 'json',
          dropComments: false,
        });
        expect(JSON.stringify(JSON.parse(back.text))).toBe(JSON.stringify(sane));
        converted += 1;
      } catch (error) {
        if (!(error instanceof WorkflowError)) throw error;
        expect(['INVALID_FILE', 'INVALID_WORKFLOW']).toContain(error.code);
        refused += 1;
      }
    }),
  );
  expect(converted).toBeGreaterThan(refused);
});
