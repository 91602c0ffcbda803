import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/fuzz.ts';
import type { Key, KeyRing, TokenClaims, TokenPayload } from '../../src/session-engine/session-tokens.ts';
import { createReferenceCodec, createSelfContainedCodec } from '../../src/session-engine/session-tokens.ts';

/** Returns a key whose secret repeats one byte 32 times. */
export function key(byte: number): Key {
  return { id: `key-${byte}`, secret: new Uint8Array(32).fill(byte) };
}

/** Returns a key ring whose first key signs. */
export function keyRing(first: number, ...older: readonly number[]): KeyRing {
  return { signing: key(first), verifying: [first, ...older].map(key) };
}

export const sid = '0123456789abcdef0123';

export const payload: TokenPayload = {
  wf: 'harvest',
  act: 'survey',
  skill: '',
  cond: 'default',
  v: '2.3.0',
  seq: 4,
  ts: 1_790_000_000,
  sid,
  aid: 'orchestrator',
};

export const claims: TokenClaims = { sid, revision: 7, agent: 1, payload };

export const codecs = [
  { name: 'reference', create: createReferenceCodec },
  { name: 'self-contained', create: createSelfContainedCodec },
];

const hexDigit = fc.constantFrom(...'0123456789abcdef');
const text = fc.string({ unit: anyCharacter, maxLength: 20 });

export const anySid = fc.string({ unit: hexDigit, minLength: 20, maxLength: 20 });

/** Generates numbers that fit in the short form of a reference token, and numbers that fit only in the long form. */
function numberBelow(short: number, long: number): fc.Arbitrary<number> {
  return fc.oneof(fc.nat(short - 1), fc.integer({ min: short, max: long - 1 }));
}

/** All claims that a token can have. The fields of the parent and the checkpoint may be missing. */
export const anyClaims: fc.Arbitrary<TokenClaims> = anySid.chain((id) =>
  fc.record({
    sid: fc.constant(id),
    revision: numberBelow(2 ** 16, 2 ** 32),
    agent: numberBelow(2 ** 8, 2 ** 24),
    payload: fc.record(
      {
        wf: text,
        act: text,
        skill: text,
        cond: text,
        v: text,
        seq: fc.nat(),
        ts: fc.nat(),
        sid: fc.constant(id),
        aid: text,
        bcp: text,
        psid: anySid,
        pwf: text,
        pact: text,
        pv: text,
      },
      { requiredKeys: ['wf', 'act', 'skill', 'cond', 'v', 'aid', 'seq', 'ts', 'sid'] },
    ),
  }),
);
