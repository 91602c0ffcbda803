import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/support/fuzz.ts';
import { isLong } from '../../../../test/support/is-long.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import { anyClaims, codecs, keyRing } from '../support/tokens.ts';
import { bitFlips, tampered } from '../support/tamper.ts';

const changesPerRun = 50;
const tamperedTokens = isLong ? 1_000_000 : 500;

describe.each(codecs)('$name tokens', ({ name, create }) => {
  const codec = create(keyRing(1));
  const carried = (claims: object): object =>
    name === 'reference' ? Object.fromEntries(Object.entries(claims).slice(0, 3)) : claims;

  test('return the claims that were sealed', () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        expect(codec.open(codec.seal(claims))).toEqual({ kind: 'genuine', claims: carried(claims) });
      }),
    );
  });

  test('are equal for equal claims, and different for another position', () => {
    fc.assert(
      fc.property(anyClaims, anyClaims, (one, other) => {
        expect(codec.seal(structuredClone(one))).toBe(codec.seal(one));
        fc.pre(one.sid !== other.sid || one.revision !== other.revision || one.agent !== other.agent);
        expect(codec.seal(one)).not.toBe(codec.seal(other));
      }),
    );
  });

  test('are not genuine if any bit is flipped', () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        const token = codec.seal(claims);
        const accepted = [...bitFlips(token)].filter((flipped) => codec.open(flipped).kind === 'genuine');
        expect(accepted).toEqual([]);
      }),
      { numRuns: isLong ? 10 : 3 },
    );
  });

  test('are not genuine if they were modified', () => {
    const pair = fc
      .tuple(anyClaims, anyClaims)
      .map(([one, other]) => [codec.seal(one), codec.seal(other)] as const);
    const forgeries = pair.chain(([token, other]) =>
      fc.array(tampered(token, other), { minLength: changesPerRun, maxLength: changesPerRun }),
    );
    fc.assert(
      fc.property(forgeries, (tokens) => {
        expect(tokens.filter((token) => codec.open(token).kind === 'genuine')).toEqual([]);
      }),
      { numRuns: tamperedTokens / changesPerRun },
    );
    printFigures(`${name} tokens tampered with`, { tokens: tamperedTokens });
  });

  test('of another key ring only name their session', () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        expect(create(keyRing(2)).open(codec.seal(claims))).toEqual({ kind: 'unsigned', sid: claims.sid });
      }),
    );
  });

  test('stay genuine when keys are rotated, until their key is removed', () => {
    fc.assert(
      fc.property(anyClaims, (claims) => {
        const token = codec.seal(claims);
        expect(create(keyRing(2, 1)).open(token).kind).toBe('genuine');
        expect(create(keyRing(3, 2, 1)).open(token).kind).toBe('genuine');
        expect(create(keyRing(3, 2)).open(token).kind).toBe('unsigned');
        expect(create(keyRing(2, 1)).seal(claims)).not.toBe(token);
      }),
    );
  });

  test('are not recognized in any other text', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.base64String(),
      fc.stringMatching(/^wl_[A-Za-z0-9_-]{39}$/),
      fc.stringMatching(/^wl_[A-Za-z0-9_-]{44}$/),
      fc.stringMatching(/^eyJ[A-Za-z0-9_-]{1,80}\.[0-9a-f]{64}$/),
      fc.json().map((json) => `${Buffer.from(json).toString('base64url')}.${'0'.repeat(64)}`),
    );
    fc.assert(
      fc.property(text, (token) => {
        expect(codec.open(token).kind).not.toBe('genuine');
      }),
    );
  });
});

test('A reference token has 42 URL-safe characters, or 47 if a number is too large for them', () => {
  const codec = codecs[0]?.create(keyRing(1));
  fc.assert(
    fc.property(anyClaims, (claims) => {
      const isShort = claims.revision < 2 ** 16 && claims.agent < 2 ** 8;
      expect(codec?.seal(claims)).toMatch(isShort ? /^wl_[A-Za-z0-9_-]{39}$/ : /^wl_[A-Za-z0-9_-]{44}$/);
    }),
  );
});
