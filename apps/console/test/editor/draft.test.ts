import { createReader } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasConflictMarks, mergeTexts, newDraft } from '../../src/editor/draft.tsx';

test.each([
  ['my-workflow.yaml', 'yaml'],
  ['my-workflow.yml', 'yaml'],
  ['my-workflow.json', 'json'],
  ['123.yaml', 'yaml'],
  ['true.yaml', 'yaml'],
] as const)('The draft of %s is a workflow without problems', async (file, format) => {
  const { text, notation } = newDraft('team', file);
  expect(notation).toBe(format);
  expect(await createReader()({ text, format })).toMatchObject({
    id: file.replace(/\.\w+$/, ''),
    issues: [],
  });
});

const names = { mine: 'yours', theirs: 'theirs' };
const base = 'id: review\nname: Review\nsteps:\n  - id: one\n    prompt: Read.\n';

test('Changes of both sides in different places are merged', () => {
  const mine = base.replace('Review', 'Review it');
  const theirs = `${base}  - id: two\n    prompt: Write.\n`;
  expect(mergeTexts(base, { mine, theirs }, names)).toEqual({
    text: `${mine}  - id: two\n    prompt: Write.\n`,
    conflicts: 0,
  });
});

test('Both versions of a line are kept if both sides changed it', () => {
  const mine = base.replace('Read.', 'Read all of it.');
  const theirs = base.replace('Read.', 'Skim it.');
  const { text, conflicts } = mergeTexts(base, { mine, theirs }, names);
  expect(conflicts).toBe(1);
  expect(hasConflictMarks(text)).toBe(true);
  expect(hasConflictMarks(mine)).toBe(false);
  expect(text).toContain(
    '<<<<<<< yours\n    prompt: Read all of it.\n=======\n    prompt: Skim it.\n>>>>>>> theirs\n',
  );
});

const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 12 })
  .map((lines) => lines.join('\n'));

test('No change is lost, and a change on only one side is taken over', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const merged = { text: after, conflicts: 0 };
      expect(mergeTexts(before, { mine: after, theirs: before }, names)).toEqual(merged);
      expect(mergeTexts(before, { mine: before, theirs: after }, names)).toEqual(merged);
      expect(mergeTexts(before, { mine: after, theirs: after }, names)).toEqual(merged);
    }),
  );
});
