import { expect, test } from 'vitest';
import { blocksOf, compareTexts, inlineParts } from '../../src/components/rendered-text.tsx';

test('Headings and inline code of Markdown are found', () => {
  expect(blocksOf('## Plan for: `a.ts`\n\nChange it.\n\n### Risks\nNone.')).toEqual([
    { kind: 'heading', lines: ['Plan for: `a.ts`'] },
    { kind: 'text', lines: ['', 'Change it.', ''] },
    { kind: 'heading', lines: ['Risks'] },
    { kind: 'text', lines: ['None.'] },
  ]);
  expect(inlineParts('Change `b <i>` here')).toEqual([
    { text: 'Change ', isCode: false },
    { text: 'b <i>', isCode: true },
    { text: ' here', isCode: false },
  ]);
});

test.each(['run\n# a comment\ndone', '#42 is fixed', '##', '#!/bin/sh'])(
  'Text that only looks like a heading stays as it was written: %j',
  (text) => {
    expect(blocksOf(text)).toEqual([{ kind: 'text', lines: text.split('\n') }]);
  },
);

test.each(['one ` is open', '``` x', '``two``', '`a\nb`'])(
  'Text that only looks like code stays as it was written: %j',
  (text) => {
    expect(inlineParts(text)).toEqual([{ text, isCode: false }]);
  },
);

test('A changed line that looks like the header of a patch is shown as added or removed', () => {
  expect(compareTexts('---\na: 1\n-- note', '---\na: 2\n++i')).toEqual([
    { kind: 'same', text: '---' },
    { kind: 'removed', text: 'a: 1' },
    { kind: 'removed', text: '-- note' },
    { kind: 'added', text: 'a: 2' },
    { kind: 'added', text: '++i' },
  ]);
  expect(compareTexts('---\nb', 'b')).toContainEqual({ kind: 'removed', text: '---' });
});
