import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineFramer } from '../src/serve-stdio.ts';

function frame(chunks: readonly Buffer[], maxBytes = 1000): readonly string[] {
  const seen: string[] = [];
  const framer = createLineFramer(maxBytes, {
    line: (text) => seen.push(text),
    tooLong: () => seen.push('<too long>'),
  });
  for (const chunk of chunks) framer.push(chunk);
  framer.end();
  return seen;
}

test('The lines are the same however the bytes are split', () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', '')),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(lines, fc.array(fc.nat(200)), (texts, cuts) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
      const at = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted((a, b) => a - b);
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      expect(frame(chunks)).toEqual(
        texts.filter((text) => text !== '').map((text) => Buffer.from(text).toString()),
      );
    }),
  );
});

test('A line over the limit is reported once and dropped, and the next line is read', () => {
  const chunks = [Buffer.from('x'.repeat(8)), Buffer.from('x'.repeat(8)), Buffer.from('x\nshort\n')];
  expect(frame(chunks, 10)).toEqual(['<too long>', 'short']);
});

test('A line of exactly the limit is accepted', () => {
  expect(frame([Buffer.from(`${'x'.repeat(10)}\n`)], 10)).toEqual(['x'.repeat(10)]);
});

test('The last line is read even without a line end', () => {
  expect(frame([Buffer.from('one\ntwo')])).toEqual(['one', 'two']);
});
