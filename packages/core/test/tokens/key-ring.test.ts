import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sign, verify, isSessionId, newSessionId } from '../../src/session-engine/session-tokens.ts';
import { key, keyRing } from '../support/tokens.ts';

test('A key ring signs with HMAC-SHA256 and the signing key', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (message) => {
      const expected = createHmac('sha256', key(5).secret).update(message).digest();
      expect(Buffer.from(sign(keyRing(5, 6), message))).toEqual(expected);
    }),
  );
});

test.each([
  { length: 0, genuine: false },
  { length: 15, genuine: false },
  { length: 16, genuine: true },
  { length: 32, genuine: true },
])('A signature of $length bytes is accepted or not: $genuine', ({ length, genuine }) => {
  const message = new Uint8Array([1, 2, 3]);
  expect(verify(keyRing(1), message, sign(keyRing(1), message).subarray(0, length))).toBe(genuine);
});

test('A signature with extra bytes is not accepted', () => {
  const message = new Uint8Array([1, 2, 3]);
  expect(verify(keyRing(1), message, new Uint8Array([...sign(keyRing(1), message), 0]))).toBe(false);
});

test('A session id is 80 random bits in 20 hexadecimal digits', () => {
  const asked: number[] = [];
  const random = (length: number): Uint8Array => {
    asked.push(length);
    return new Uint8Array(length).fill(0xab);
  };
  expect(newSessionId(random)).toBe('ab'.repeat(10));
  expect(asked).toEqual([10]);
});

test('Session ids do not repeat', () => {
  const ids = Array.from({ length: 1000 }, () => newSessionId());
  expect(new Set(ids).size).toBe(1000);
  expect(ids.every(isSessionId)).toBe(true);
});

test.each(['', 'ab', 'AB'.repeat(10), `${'ab'.repeat(10)}\n`, 'ab'.repeat(11), undefined, 7])(
  '%j is not a session id',
  (value) => {
    expect(isSessionId(value)).toBe(false);
  },
);
