import { expect, test } from 'vitest';
import { bytesSaid } from '../../src/guards.ts';

test('The declared size of a body is read without the body, which would cost a stream for each request', () => {
  const request = {
    headers: new Headers({ 'content-length': '5' }),
    get body(): never {
      throw new Error('The body was read.');
    },
  } as unknown as Request;
  expect(bytesSaid(request)).toBe(5);
});

test('The size of a body without a declared size is unknown, and that of no body is 0', () => {
  const url = 'http://localhost/mcp';
  expect(bytesSaid(new Request(url, { method: 'POST', body: 'hello' }))).toBeUndefined();
  expect(bytesSaid(new Request(url, { method: 'POST' }))).toBe(0);
});
