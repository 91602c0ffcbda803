import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { join } from 'node:path';
import { createHost } from '@workflowlookup/host';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { apiKeyMessages } from '../../../../packages/host/test/support/messages.ts';
import { credentialMessages } from '../../src/messages.ts';
import type { Verdict } from '../../src/auth/authentication.ts';
import { createAuthentication } from '../../src/auth/authentication.ts';
import {
  clientAddress,
  readRange,
  createFailedCredentials,
  createRateLimit,
  createShare,
} from '../../src/guards.ts';
import { listen } from '../../src/app.ts';
import { openBrowser } from '../support/browser.ts';
import type { Headers } from '../support/service.ts';
import { bearer, openService } from '../support/service.ts';

const wrongKey = (letter: string): Headers => bearer(`wlk_${'0'.repeat(12)}_${letter.repeat(43)}`);
const wrong = wrongKey('a');
const agent = { principal: 'ann', scopes: ['read', 'write'] } as const;

/** Opens a server that allows three wrong credentials a minute from one address. `ask` sends a request from `peer`. */
function openStrict(...flags: readonly string[]) {
  const server = openService('--auth', 'keys', '--auth-failures', '3', ...flags);
  const ask = (headers: Headers, peer?: string, path = '/metrics') =>
    server.service.app.fetch(new Request(`http://127.0.0.1:8420${path}`, { headers }), peer);
  const statuses = async (...asked: readonly Parameters<typeof ask>[]) => {
    const found = [];
    for (const one of asked) found.push((await ask(...one)).status);
    return found;
  };
  const signIn = async (given: string): Promise<Response> =>
    server.service.app.fetch(
      new Request('http://127.0.0.1:8420/console/api/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-workflowlookup-console': '1' },
        body: JSON.stringify({ key: given }),
      }),
      there,
    );
  /** Removes the seal of a key, as somebody without the keys of the server can do in its database. */
  const unseal = async (id: string): Promise<void> => {
    const store = createSqliteSessionStore({ file: join(server.state, 'sessions.db') });
    const { hash: before = '' } = (await store.access.findApiKey(id)) ?? {};
    await store.access.changeApiKeyHash(id, { before, after: before.split('.')[0] ?? '' });
    await store.close();
  };
  return { ...server, ask, statuses, signIn, unseal };
}

const there = '203.0.113.7';

describe('wrong credentials from one address', () => {
  test('have to wait beyond the limit, without blocking good ones or those of other addresses', async () => {
    const { ask, statuses, key } = openStrict();
    const good = bearer(await key(agent));
    const tries = ['a', 'b', 'c', 'd'].map((one): Parameters<typeof ask> => [wrongKey(one), there]);
    expect(await statuses(...tries)).toEqual([401, 401, 401, 429]);
    const refused = await ask(wrongKey('e'), there);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '20']);
    expect(await refused.json()).toEqual({ error: 'too_many_requests' });
    expect(
      await statuses([good, there], [wrongKey('f'), '203.0.113.8'], [{}, there], [{}, there, '/healthz']),
    ).toEqual([200, 401, 401, 200]);
  });

  test('do not block a sign-in with a good key', async () => {
    const { statuses, key, signIn } = openStrict();
    const good = await key(agent);
    await statuses(...['a', 'b', 'c', 'd'].map((one): [Headers, string] => [wrongKey(one), there]));
    expect((await signIn(good.replace(/.$/, '_'))).status).toBe(429);
    expect((await signIn(good)).status).toBe(200);
  });

  test('at the sign-in count only against themselves if they are known keys, which alone are named', async () => {
    const { key, expiredKey, signIn, ...server } = openStrict();
    const good = await key(agent);
    const revoked = await key({ principal: 'old', scopes: ['read'] });
    const stale = await expiredKey({ principal: 'stale', scopes: ['read'] });
    const unsealed = await key({ principal: 'unsealed', scopes: ['read'] });
    await server.revoke(revoked.slice(4, 16));
    await server.unseal(unsealed.slice(4, 16));
    for (const known of [revoked, stale, unsealed]) {
      const refused = await signIn(known);
      expect([refused.status, await refused.json()]).toMatchObject([
        401,
        { code: 'TOKEN_INVALID', data: { key: known.slice(4, 16) } },
      ]);
    }
    const errors = server.logged.map((line) => JSON.parse(line) as object).filter((line) => 'key' in line);
    expect(errors).toMatchObject([{ event: 'api_key_not_sealed', key: unsealed.slice(4, 16) }]);
    const again = [await signIn(stale), await signIn(stale), await signIn(stale)];
    expect(again.map(({ status }) => status)).toEqual([401, 401, 429]);
    // Without the secret, nobody learns that there is such a key.
    for (const known of [stale, unsealed]) {
      const guessed = await signIn(known.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')));
      expect(guessed.status).toBe(401);
      expect(await guessed.json()).not.toHaveProperty('data');
    }
    const unknown = [await signIn('wlk_c'), await signIn('wlk_d'), await signIn(good)];
    expect(unknown.map(({ status }) => status)).toEqual([401, 429, 200]);
  });

  test.each(['/console/api/sessions', '/console/api/me'])(
    'also have to wait if they are session tokens of the console: %s',
    async (path) => {
      const { statuses, ask, key, ...server } = openStrict();
      const tries = ['a', 'b', 'c', 'd'].map((one): Parameters<typeof ask> => [bearer(one), there, path]);
      const wrongStatus = path.endsWith('/me') ? 200 : 401;
      expect(await statuses(...tries)).toEqual([wrongStatus, wrongStatus, wrongStatus, 429]);
      const secret = await key(agent);
      const signIn = async () => {
        const browser = openBrowser(server);
        await browser.signIn({ key: secret });
        return bearer(browser.token());
      };
      const good = await signIn();
      const [mine, none]: [Parameters<typeof ask>, Parameters<typeof ask>] = [
        [good, there, path],
        [{}, there, path],
      ];
      expect(await statuses(mine, none)).toEqual([200, wrongStatus]);
      // Failures with a token of a former sign-in are counted for that token only, not for the address.
      await server.revoke(secret.slice(4, 16));
      expect(await statuses(mine, mine, mine, mine)).toEqual([wrongStatus, wrongStatus, wrongStatus, 429]);
      expect(await statuses([bearer('e'), there, path])).toEqual([429]);
    },
  );

  test('count only against themselves if they are expired or revoked keys', async () => {
    const { statuses, ask, key, expiredKey, ...server } = openStrict();
    const good = bearer(await key(agent));
    const revoked = await key({ principal: 'old', scopes: ['read'] });
    const stale = await expiredKey({ principal: 'stale', scopes: ['read'] });
    await server.revoke(revoked.slice(4, 16));
    expect(await statuses([bearer(stale), '203.0.113.9'])).toEqual([401]);
    const seventy = Array.from({ length: 70 }, (): [Headers, string] => [bearer(stale), there]);
    expect(new Set(await statuses(...seventy))).toEqual(new Set([401, 429]));
    const another = await ask(bearer(revoked), there);
    expect(another.status).toBe(401);
    expect(another.headers.get('www-authenticate')).toMatch(
      new RegExp(credentialMessages.refusedKey(revoked.slice(4, 16), apiKeyMessages.revoked('.*'))),
    );
    expect(await statuses([wrongKey('a'), there], [good, there])).toEqual([401, 200]);
  });

  test('are refused without a lookup after too many failures for any reason', async () => {
    const verdicts: Verdict[] = [
      { kind: 'refused', reason: 'over', isOver: true },
      { kind: 'unknown' },
      { kind: 'known', identity: { principal: 'ann', scopes: new Set(['read']) } },
    ];
    const failed = createFailedCredentials({ authFailures: 2, trustedProxies: [] });
    const authentication = createAuthentication({
      handler: {
        fetch: () => Promise.reject(new Error('not asked')),
        counts: expect.fail,
        close: expect.fail,
      },
      verifiers: [() => Promise.resolve(verdicts.shift() ?? { kind: 'unknown' })],
      failed,
      rate: createRateLimit({ perSecond: 0, burst: 0 }),
      share: createShare(1),
      audit: createHost().audit,
      onError: expect.fail,
    });
    const statuses = [];
    for (let at = 0; at < 3; at += 1) {
      const request = new Request('http://127.0.0.1/metrics', { headers: wrong });
      statuses.push((await authentication.enter(request, () => Promise.resolve(new Response()))).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    expect(verdicts).toHaveLength(1);
  });

  test('all get status 401 if the limit is 0', async () => {
    const { statuses } = openStrict('--auth-failures', '0');
    const tries = Array.from({ length: 40 }, (): [Headers, string] => [wrong, '203.0.113.7']);
    expect(new Set(await statuses(...tries))).toEqual(new Set([401]));
  });

  test('are counted by the forwarded client address only if the sender is a trusted proxy', async () => {
    const from = (forwarded: string): Headers => ({ ...wrong, 'x-forwarded-for': forwarded });
    const proxy = '10.1.2.3';
    const behind = openStrict('--trusted-proxy', '10.0.0.0/8');
    const asked = ['1.1.1.1', '1.1.1.1', '9.9.9.9, 1.1.1.1', '1.1.1.1', '2.2.2.2'];
    expect(await behind.statuses(...asked.map((one): [Headers, string] => [from(one), proxy]))).toEqual([
      401, 401, 401, 429, 401,
    ]);
    const open = openStrict();
    expect(await open.statuses(...asked.map((one): [Headers, string] => [from(one), proxy]))).toEqual([
      401, 401, 401, 429, 429,
    ]);
  });

  test('are counted by the address of the connection', async () => {
    const { service } = openStrict();
    const server = await listen(service, { port: 0, address: '127.0.0.1', drainMs: 1000 });
    const statusFrom = async (localAddress: string): Promise<number | undefined> => {
      const request = get(`${server.url}/metrics`, { localAddress, headers: wrong, agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    const statuses = [];
    for (const address of ['1', '1', '1', '1', '2']) statuses.push(await statusFrom(`127.0.0.${address}`));
    await server.stop();
    expect(statuses).toEqual([401, 401, 401, 429, 401]);
  });
});

test('A clock that is set back does not make anybody wait', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T00:01:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const limit = createRateLimit({ perSecond: 1000, burst: 1000 });
  expect(limit.take('ann', 500)).toBe(0);
  vi.setSystemTime(new Date('2020-01-01T00:00:00Z'));
  expect(limit.take('ann')).toBe(0);
});

test('Several calls at once are all accepted or all refused', () => {
  const limit = createRateLimit({ perSecond: 1, burst: 5 }, () => 0);
  expect([limit.take('ann', 3), limit.take('ann', 3), limit.take('ann', 2), limit.take('ann')]).toEqual([
    0, 1, 0, 1,
  ]);
});

test('A refused caller may continue after a while', () => {
  let nowMs = 0;
  const limit = createRateLimit({ perSecond: 0.5, burst: 2 }, () => nowMs);
  expect([limit.wait('ann'), limit.take('ann'), limit.take('ann')]).toEqual([0, 0, 0]);
  expect([limit.wait('ann'), limit.take('ann'), limit.wait('bob')]).toEqual([2, 2, 0]);
  nowMs = 1000;
  expect(limit.wait('ann')).toBe(1);
  nowMs = 2000;
  expect([limit.wait('ann'), limit.wait('ann'), limit.take('ann'), limit.take('ann')]).toEqual([0, 0, 0, 2]);
});

describe('a client address', () => {
  const trusted = ['10.0.0.0/8', '192.0.2.1', '2001:db8:ffff::/48'].map((text) => {
    const range = readRange(text);
    if (range === undefined) throw new Error(text);
    return range;
  });

  test.each<[found: string, what: string, peer: string, forwarded: string | null]>([
    ['203.0.113.7', 'is that of the connection if no proxy is used', '203.0.113.7', null],
    [
      '203.0.113.7',
      'is that of the connection if the sender is not a trusted proxy',
      '203.0.113.7',
      '1.1.1.1',
    ],
    ['203.0.113.7', 'is the IPv4 address within an IPv6 address', '::ffff:203.0.113.7', null],
    ['1.1.1.1', 'is the one that a trusted proxy adds', '10.0.0.1', '8.8.8.8, 1.1.1.1'],
    ['1.1.1.1', 'is found behind several trusted proxies', '192.0.2.1', '8.8.8.8,1.1.1.1 ,10.9.9.9'],
    ['10.0.0.1', 'is that of the proxy if it forwards none', '10.0.0.1', null],
    ['10.0.0.1', 'is that of the proxy if it forwards an invalid one', '10.0.0.1', '1.1.1.1, x'],
    ['10.0.0.2', 'is the first one if all are trusted', '10.0.0.1', '10.0.0.2'],
    ['32.1.13.184.0.1.0.2', 'is the /64 network of an IPv6 address', '2001:db8:1:2:3:4:5:6', null],
    [
      '32.1.13.184.0.1.0.2',
      'is the /64 network of a forwarded IPv6 address',
      '2001:db8:ffff::1',
      '2001:db8:1:2::9',
    ],
    ['unknown', 'is used if the connection has none', '', '1.1.1.1'],
  ])('%s %s', (found, _what, peer, forwarded) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(found);
  });

  test.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/', '::/129', '1.2.3.4:80', '*'])(
    "has no range with the text '%s'",
    (text) => {
      expect(readRange(text)).toBeUndefined();
    },
  );
});
