import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../src/json-rpc/rpc-messages.ts';
import { messages } from '../../src/messages.ts';

describe('decode', () => {
  test.each(['', '   ', '\r', '\uFEFF'])('ignores the empty line %j', (text) => {
    expect(decode(text)).toEqual({ kind: 'ignored' });
  });

  test('decodes a request, with or without a byte order mark and a carriage return', () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const text = JSON.stringify(message);
    for (const variant of [text, `\uFEFF${text}`, `${text}\r`]) {
      expect(decode(variant)).toEqual({ kind: 'request', message });
    }
  });

  test.each([{ params: null }, {}])('omits params that are null or absent: %j', (more) => {
    const decoded = decode(JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'm', ...more }));
    expect(decoded).toEqual({ kind: 'request', message: { jsonrpc: '2.0', id: 'a', method: 'm' } });
  });

  test.each([
    { text: '{"jsonrpc": "2.0", bad', id: null, code: -32700 },
    { text: '5', id: null, code: -32600 },
    { text: '"ping"', id: null, code: -32600 },
    { text: 'null', id: null, code: -32600 },
    { text: '[]', id: null, code: -32600 },
    { text: '{"jsonrpc":"1.0","id":1,"method":"ping"}', id: 1, code: -32600 },
    { text: '{"id":"x","method":"ping"}', id: 'x', code: -32600 },
    { text: '{"jsonrpc":"2.0","id":1}', id: 1, code: -32600 },
    { text: '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', id: 1, code: -32600 },
    { text: '{"jsonrpc":"2.0","id":1,"method":5}', id: 1, code: -32600 },
    { text: '{"jsonrpc":"2.0","id":null,"method":"ping"}', id: null, code: -32600 },
    { text: '{"jsonrpc":"2.0","id":{},"method":"ping"}', id: null, code: -32600 },
    { text: '{"jsonrpc":"2.0","id":true,"method":"ping"}', id: null, code: -32600 },
    { text: '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', id: 1, code: -32600 },
    { text: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', id: 1, code: -32602 },
  ])('answers $text with $code', ({ text, id, code }) => {
    expect(decode(text)).toMatchObject({ kind: 'invalid', reply: { jsonrpc: '2.0', id, error: { code } } });
  });

  test.each(['{"jsonrpc":"2.0","method":"m","params":[]}', '{"jsonrpc":"2.0","method":"m","params":1}'])(
    'sends no reply to the malformed notification %s',
    (text) => {
      expect(decode(text)).toEqual({ kind: 'ignored' });
    },
  );

  test('never repeats what a client sent in a parse error', () => {
    expect(JSON.stringify(decode('{"token":"s3cret"'))).not.toContain('s3cret');
  });

  test('refuses a message that is nested too deeply', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(decode(deep)).toMatchObject({ kind: 'invalid', reply: { error: { code: -32600 } } });
    expect(decode(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${deep}}}`)).toMatchObject({
      kind: 'invalid',
    });
  });

  test('refuses a message that is nested too deeply under its id, if it is a request', () => {
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
    const withDeep = (rest: string): string => `{"jsonrpc":"2.0",${rest}"params":{"a":${deep}}}`;
    for (const [rest, id] of [
      ['"id":7,"method":"m",', 7],
      ['"id":"a","method":"m",', 'a'],
      ['"id":7,', null],
      ['"method":"m",', null],
    ] as const)
      expect(decode(withDeep(rest))).toMatchObject({
        kind: 'invalid',
        reply: { id, error: { code: -32600 } },
      });
  });

  test('refuses texts that are too long for replies or for patterns', () => {
    const long = (length: number): string => 'x'.repeat(length);
    const request = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'a:b' } };
    const refused = (more: object): unknown => {
      const decoded = decode(JSON.stringify({ ...request, ...more }));
      return decoded.kind === 'invalid' && decoded.reply;
    };
    const error = (code: number, ...about: Parameters<typeof messages.tooLong>): object => ({
      code,
      data: { details: messages.tooLong(...about) },
    });
    expect(refused({ id: long(257) })).toMatchObject({ id: null, error: error(-32600, 'id', 256, 257) });
    expect(refused({ method: long(257) })).toMatchObject({ id: 1, error: error(-32600, 'method', 256, 257) });
    expect(refused({ params: { uri: long(8193) } })).toMatchObject({
      id: 1,
      error: error(-32602, 'uri', 8192, 8193),
    });
    const longest = { id: long(256), method: long(256), params: { uri: long(8192) } };
    expect(decode(JSON.stringify({ ...request, ...longest })).kind).toBe('request');
  });

  test('decodes each message of a batch separately', () => {
    const decoded = decode('[{"jsonrpc":"2.0","id":1,"method":"ping"},5]');
    expect(decoded).toMatchObject({ kind: 'batch', entries: [{ kind: 'request' }, { kind: 'invalid' }] });
  });

  test('never throws, and replies exactly once to everything that has an id or is invalid', () => {
    const frame = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.jsonValue(),
        method: fc.jsonValue(),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          frame.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          expect(['request', 'notification', 'response', 'invalid', 'ignored', 'batch']).toContain(
            decode(text).kind,
          );
        },
      ),
    );
  });
});
