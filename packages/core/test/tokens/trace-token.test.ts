import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createReferenceCodec,
  openTraceToken,
  sealTraceToken,
} from '../../src/session-engine/session-tokens.ts';
import { anySid, claims, keyRing, sid } from '../support/tokens.ts';
import { bitFlips, tampered } from '../support/tamper.ts';

const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const anySegment = fc.record({ sid: anySid, from: number, to: number });

test('A trace token returns the segment that was sealed', () => {
  fc.assert(
    fc.property(anySegment, (segment) => {
      const token = sealTraceToken(keyRing(1), segment);
      expect(token).toMatch(/^wlt_[A-Za-z0-9_-]{32}$/);
      expect(openTraceToken(keyRing(2, 1), token, segment.sid)).toEqual(segment);
    }),
  );
});

test('A trace token returns nothing for another session or with another key ring', () => {
  fc.assert(
    fc.property(anySegment, anySid, (segment, other) => {
      fc.pre(other !== segment.sid);
      const token = sealTraceToken(keyRing(1), segment);
      expect(openTraceToken(keyRing(1), token, other)).toBeUndefined();
      expect(openTraceToken(keyRing(2), token, segment.sid)).toBeUndefined();
    }),
  );
});

test('A modified trace token returns nothing', () => {
  const token = sealTraceToken(keyRing(1), { sid, from: 3, to: 9 });
  const other = sealTraceToken(keyRing(1), { sid, from: 10, to: 11 });
  for (const flipped of bitFlips(token)) expect(openTraceToken(keyRing(1), flipped, sid)).toBeUndefined();
  fc.assert(
    fc.property(tampered(token, other), (changed) => {
      expect(openTraceToken(keyRing(1), changed, sid)).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

test.each(['', 'wlt_', 'no token', createReferenceCodec(keyRing(1)).seal(claims)])(
  '%j is not a trace token',
  (text) => {
    expect(openTraceToken(keyRing(1), text, sid)).toBeUndefined();
  },
);

test('A trace token is not a session token', () => {
  const token = sealTraceToken(keyRing(1), { sid, from: 3, to: 9 });
  expect(createReferenceCodec(keyRing(1)).open(token)).toEqual({ kind: 'garbage' });
});

test.each([
  { from: -1, to: 1 },
  { from: 0, to: 2 ** 32 },
])('No trace token can be made for the events %j', (range) => {
  expect(() => sealTraceToken(keyRing(1), { sid, ...range })).toThrow(
    expect.objectContaining({ code: 'INTERNAL' }),
  );
});
