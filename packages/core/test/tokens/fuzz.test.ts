import { expect, test } from 'vitest';
import { fuzz, fuzzOptions } from '../../../../test/support/fuzz.ts';
import { claims, codecs, keyRing } from '../support/tokens.ts';

test('No text except a sealed token is a genuine token', fuzzOptions, async () => {
  const sealed = codecs.map(({ create }) => create(keyRing(1)).seal(claims));
  const openers = codecs.map(({ create }) => create(keyRing(1)));
  const tokens = ['wl_', 'eyJ', '.', '=', '-', '_', 'A', '{}', '{"sid":"', '"}', '0'.repeat(64), '\n'];
  const outcomes = await fuzz('tokens', { seeds: sealed, tokens }, (text) => {
    const kinds = openers.map((codec) => codec.open(text).kind);
    expect(kinds.includes('genuine')).toBe(sealed.includes(text));
    return sealed.includes(text) ? 'genuine' : 'refused';
  });
  const some = expect.any(Number) as number;
  expect(outcomes).toEqual({ genuine: some, refused: some });
});
