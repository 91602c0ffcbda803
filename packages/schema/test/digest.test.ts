import { createHash } from 'node:crypto';
import { canonicalJson, digestOf } from '@workflowlookup/schema';
import { expect, test, vi } from 'vitest';
import { definition, json, read, readYaml } from './support/definitions.ts';

test('Numbers, text and keys are written as in RFC 8785', () => {
  const value = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  ) as unknown;
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('Keys are sorted by UTF-16 code units', () => {
  const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
  expect(Object.values(JSON.parse(canonicalJson(keys)) as object)).toEqual([4, 2, 6, 7, 1, 5, 3]);
});

test('The digest is the SHA-256 of the canonical JSON', () => {
  const sha256 = createHash('sha256').update('{"a":"é","b":[1,2]}').digest('hex');
  expect(digestOf({ b: [1, 2], a: 'é' })).toBe(`sha256:${sha256}`);
  expect(digestOf({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

test('The digest is the same without the crypto module of Node', () => {
  const values = ['', 'é', '\u{1f600}', { a: ['x'.repeat(10_000)] }];
  const digests = values.map((value) => digestOf(value));
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  expect(values.map((value) => digestOf(value))).toEqual(digests);
  vi.restoreAllMocks();
});

test.each([undefined, () => 1, Symbol('s')])(
  'A value with %s, which JSON cannot write, is refused',
  (value) => {
    expect(() => digestOf(value)).toThrow(TypeError);
  },
);

test('The digest is the same for a definition in JSON and in YAML, whatever the order of its keys', async () => {
  const value = definition({ 'x-a': { b: 1, a: 2 } });
  const turned = Object.fromEntries(Object.entries({ ...value, 'x-a': { a: 2, b: 1 } }).toReversed());
  const readings = await Promise.all([read(value), read(JSON.stringify(turned)), readYaml(json(turned))]);
  expect(new Set(readings.map(({ workflow }) => workflow?.digest))).toEqual(new Set([digestOf(value)]));
});

test('The digest changes if anything in the definition changes', async () => {
  const [one, other] = await Promise.all([read(definition()), read(definition({ 'x-a': 1 }))]);
  expect(one.workflow?.digest).not.toBe(other.workflow?.digest);
});
