import { expect, test } from 'vitest';
import { limitMessages } from '../../src/messages.ts';
import { callsInBody, createRateLimit } from '../../src/guards.ts';
import { openKeyBrowser } from '../support/browser.ts';
import { bearer, openService, rpc } from '../support/service.ts';

/** Returns a message of this size in bytes. */
function message(bytes: number): string {
  const text = JSON.stringify(rpc('ping', { filler: '' }));
  return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
}

/**
 * Opens a server that allows each principal 10 calls a second, with a burst of 30. `left` counts the calls that are
 * still allowed.
 */
async function open() {
  const service = openService('--auth', 'keys', '--rate-limit', '10');
  const credential = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
  const send = async (body: string, headers: object = { 'content-length': String(body.length) }) =>
    service.post(body, { ...credential, ...headers });
  const left = async (): Promise<number> => {
    for (let calls = 0; ; calls += 1) if ((await send(message(100))).status === 429) return calls;
  };
  return { ...service, send, left };
}

test('A body of 64,000 bytes counts as one call, and each 8,000 bytes more as another, up to the burst', () => {
  const rate = createRateLimit({ perSecond: 10, burst: 30 });
  const costs = [0, 64_000, 64_001, 72_000, 144_000, 5_000_000].map((bytes) => callsInBody(bytes, rate));
  expect(costs).toEqual([0, 0, 1, 1, 10, 29]);
});

test.each([
  ['says how long it is', undefined],
  ['does not say how long it is', {}],
])('A body that %s is accepted after a pause, and uses up the burst', async (_, headers) => {
  const { send, left } = await open();
  expect((await send(message(5_000_000), headers)).status).toBe(200);
  expect(await left()).toBeLessThan(10);
  expect((await send(message(5_000_000), headers)).status).toBe(429);
});

test('A body that counts as too many calls is refused with the time to wait', async () => {
  const { send } = await open();
  await send(message(144_000));
  const refused = await send(message(5_000_000));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({
    error: 'too_many_requests',
    error_description: limitMessages.largeBody(5_000_000, 29),
  });
});

test('A large body does not block other users', async () => {
  const { send, post, key } = await open();
  const other = bearer(await key({ principal: 'bob', scopes: ['read'] }));
  await send(message(5_000_000));
  expect((await post(rpc('ping'), other)).status).toBe(200);
});

test('The console counts bodies in the same way', async () => {
  const service = openService('--auth', 'keys', '--rate-limit', '10');
  const browser = await openKeyBrowser(service, await service.key({ principal: 'ann', scopes: ['read'] }));
  const judge = (): Promise<Response> =>
    browser.send('POST', '/judge', { output: 'a'.repeat(1_000_000), criteria: 'a' });
  const statuses = (await Promise.all([judge(), judge()])).map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 429]);
});
