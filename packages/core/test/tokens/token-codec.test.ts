import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  createCombinedCodec,
  createReferenceCodec,
  createSelfContainedCodec,
} from '../../src/session-engine/session-tokens.ts';
import { claims, codecs, key, payload, keyRing, sid } from '../support/tokens.ts';

describe('reference tokens', () => {
  const codec = createReferenceCodec(keyRing(1));

  test('from earlier versions, which had only the long form, stay genuine', () => {
    const { sid: id, revision, agent } = claims;
    expect(codec.open('wl_ASNFZ4mrze8BIwAAAAcAAAFiyXgF7VBvTEhkaCg3l0Qq')).toEqual({
      kind: 'genuine',
      claims: { sid: id, revision, agent },
    });
  });

  test('do not change their format between versions', () => {
    expect(codec.seal({ ...claims, revision: 2 ** 16 })).toBe(
      'wl_ASNFZ4mrze8BIwABAAAAAAGQownDX9JGUs3Uj-fziAtb',
    );
    expect(codec.seal(claims)).toBe('wl_ASNFZ4mrze8BIwAHAQA9qyE8yGI7OtNWY2SREdw');
  });

  test('cannot be converted from one form to the other with the same signature', () => {
    const bytes = Buffer.from(codec.seal({ ...claims, agent: 0 }).slice(3), 'base64url');
    const numbers = Buffer.alloc(7);
    numbers.writeUInt32BE(claims.revision);
    const moved = Buffer.concat([bytes.subarray(0, 10), numbers, bytes.subarray(13)]).toString('base64url');
    expect(codec.open(`wl_${moved}`)).toEqual({ kind: 'unsigned', sid });
  });

  test('do not contain the payload', () => {
    expect(codec.seal({ ...claims, payload: { ...payload, act: 'press', seq: 5 } })).toBe(codec.seal(claims));
  });

  test('name their session but are not genuine if the signature is wrong', () => {
    const token = codec.seal(claims);
    expect(codec.open(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toEqual({
      kind: 'unsigned',
      sid,
    });
  });

  test.each([
    '',
    'wl_',
    '@@not-a-token@@',
    sid,
    `wl_${'A'.repeat(38)}`,
    `wl_${'A'.repeat(40)}`,
    `wl_${'A'.repeat(43)}`,
    `wl_${'A'.repeat(45)}`,
    `WL_${'A'.repeat(44)}`,
  ])('do not include the text %j', (text) => {
    expect(codec.open(text)).toEqual({ kind: 'garbage' });
  });
});

describe('self-contained tokens', () => {
  const codec = createSelfContainedCodec(keyRing(1));
  const child = {
    ...payload,
    bcp: 'go-ahead',
    psid: 'f'.repeat(20),
    pwf: 'cider',
    pact: 'sort',
    pv: '0.2.0',
  };

  test('contain the documented fields, the revision and the agent number', () => {
    const [body = ''] = codec.seal({ ...claims, payload: child }).split('.');
    const json = Buffer.from(body, 'base64url').toString();
    expect(JSON.parse(json)).toEqual({ ...child, rev: 7, agent: 1 });
    expect(Object.keys(JSON.parse(json) as object).join(' ')).toBe(
      'wf act skill cond v seq ts sid aid bcp psid pwf pact pv rev agent',
    );
  });

  test('are signed with HMAC-SHA256 over their first part', () => {
    const [body = '', signature] = codec.seal(claims).split('.');
    expect(signature).toBe(createHmac('sha256', key(1).secret).update(body).digest('hex'));
  });

  test('with an edited payload only name their session', () => {
    const [body = '', signature] = codec.seal(claims).split('.');
    const edited = { ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), act: 'label' };
    const token = `${Buffer.from(JSON.stringify(edited)).toString('base64url')}.${signature}`;
    expect(codec.open(token)).toEqual({ kind: 'unsigned', sid });
  });

  test.each([
    '{}',
    'null',
    '[]',
    '7',
    `{"sid":"${sid.toUpperCase()}"}`,
    '{"sid":7}',
    `\uFEFF{"sid":"${sid}"}`,
    '{',
  ])('are garbage if they contain %j, even with a valid signature', (json) => {
    const body = Buffer.from(json).toString('base64url');
    const signature = createHmac('sha256', key(1).secret).update(body).digest('hex');
    expect(codec.open(`${body}.${signature}`)).toEqual({ kind: 'garbage' });
  });

  test.each([-1, 1.5, 2 ** 32, '7', null])('are garbage if they contain the signed revision %j', (rev) => {
    const body = Buffer.from(JSON.stringify({ ...payload, rev, agent: 1 })).toString('base64url');
    const signature = createHmac('sha256', key(1).secret).update(body).digest('hex');
    expect(codec.open(`${body}.${signature}`)).toEqual({ kind: 'garbage' });
  });

  test('have only one valid encoding for each part', () => {
    const [body = '', signature = ''] = codec.seal({ ...claims, revision: 10 }).split('.');
    expect(body.length % 4).not.toBe(0);
    const looseBits = body.slice(0, -1) + String.fromCharCode(body.charCodeAt(body.length - 1) + 1);
    expect(Buffer.from(looseBits, 'base64url')).toEqual(Buffer.from(body, 'base64url'));
    expect(codec.open(`${looseBits}.${signature}`)).toEqual({ kind: 'garbage' });
    expect(codec.open(`${body}.${signature.toUpperCase()}`)).toEqual({ kind: 'garbage' });
    expect(codec.open(`${body}=.${signature}`)).toEqual({ kind: 'garbage' });
  });
});

describe.each(codecs)('$name tokens', ({ create }) => {
  const codec = create(keyRing(1));

  test.each([
    { revision: -1 },
    { revision: 2 ** 32 },
    { revision: 0.5 },
    { agent: 2 ** 24 },
    { agent: Number.NaN },
    { sid: 'A'.repeat(20) },
    { sid: '' },
  ])('cannot be made for %j', (part) => {
    expect(() => codec.seal({ ...claims, ...part })).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });

  test.each([
    { revision: 0, agent: 0 },
    { revision: 2 ** 32 - 1, agent: 2 ** 24 - 1 },
    { revision: 2 ** 31, agent: 2 ** 23 },
  ])('can contain the extreme values %j', (part) => {
    expect(codec.open(codec.seal({ ...claims, ...part }))).toMatchObject({ kind: 'genuine', claims: part });
  });
});

test('A token of one kind is garbage to the codec of the other', () => {
  const [reference, selfContained] = [createReferenceCodec(keyRing(1)), createSelfContainedCodec(keyRing(1))];
  expect(reference.open(selfContained.seal(claims))).toEqual({ kind: 'garbage' });
  expect(selfContained.open(reference.seal(claims))).toEqual({ kind: 'garbage' });
});

describe('a codec of both kinds', () => {
  const reference = createReferenceCodec(keyRing(1));
  const selfContained = createSelfContainedCodec(keyRing(1));
  const either = createCombinedCodec(reference, selfContained);

  test('makes tokens of the first kind', () => {
    expect(either.seal(claims)).toBe(reference.seal(claims));
  });

  test('reads tokens of both kinds, and says whether each is genuine', () => {
    expect(either.open(reference.seal(claims)).kind).toBe('genuine');
    expect(either.open(selfContained.seal(claims)).kind).toBe('genuine');
    expect(either.open(createSelfContainedCodec(keyRing(2)).seal(claims))).toEqual({ kind: 'unsigned', sid });
    expect(either.open('@@not-a-token@@')).toEqual({ kind: 'garbage' });
  });
});
