import type { Me } from '@workflowlookup/console/contract';
import { createHost, loadKeyRing, newSignInSecret, signInLinkMs } from '@workflowlookup/host';
import { expect, onTestFinished, test } from 'vitest';
import { sessionSeal } from '../../../src/console/account/session-token.ts';
import { runKeysCommand } from '../../../src/keys-command.ts';
import type { Headers, TestService } from '../../support/service.ts';
import { bearer, openService } from '../../support/service.ts';
import { startAgent } from '../../support/agent.ts';
import { linkSecret, openBrowser, openKeyBrowser, openLocalBrowser, sidsIn } from '../../support/browser.ts';

test('The local user signs in with the printed address, and sees the stored sessions', async () => {
  const service = openService();
  const stranger = openBrowser(service);
  expect(await stranger.read('/me')).toEqual({ state: 'signed-out', methods: ['secret'], version: '1.2.3' });
  const { sid } = await startAgent(service);
  const browser = await openLocalBrowser(service);
  expect(await browser.read('/me')).toMatchObject({
    state: 'signed-in',
    principal: 'local',
    scopes: ['read', 'write', 'checkpoints:respond'],
    may: { answer: true, save: false, sees: 'all' },
  });
  expect(await sidsIn(browser)).toEqual([sid]);
});

test.each(['/sessions', '/checkpoints', '/changes', '/health', '/workflows', '/sessions/x/export'])(
  '%s requires a sign-in',
  async (path) => {
    const response = await openBrowser(openService()).get(path);
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'TOKEN_INVALID' }]);
  },
);

test('A wrong secret is refused, and many wrong ones do not block the right one', async () => {
  const service = openService('--auth-failures', '2');
  const browser = openBrowser(service);
  const attempt = async (secret: string): Promise<number> => (await browser.signIn({ secret })).status;
  expect([await attempt('wrong'), await attempt(''), await attempt('wrong')]).toEqual([401, 401, 429]);
  const secret = linkSecret(service);
  expect(await attempt(secret)).toBe(200);
});

test('A sign-in link works once, for ten minutes, on one server, and only without credentials', async () => {
  const service = openService();
  const other = openService('--state', service.state);
  const attempt = async (at: TestService, secret: string): Promise<number> =>
    (await openBrowser(at).signIn({ secret })).status;
  const secret = linkSecret(service);
  expect(await attempt(service, secret)).toBe(200);
  expect(await attempt(service, secret)).toBe(401);
  expect(await attempt(other, secret)).toBe(401);
  const raced = linkSecret(service);
  const both = await Promise.all([attempt(service, raced), attempt(service, raced)]);
  expect(both.toSorted((one, another) => one - another)).toEqual([200, 401]);
  // Another process with the same keys can make a link, as `workflowlookup address` does.
  const keys = loadKeyRing({ stateDirectory: service.state });
  expect(await attempt(other, newSignInSecret(keys, Date.now()))).toBe(200);
  expect(await attempt(other, newSignInSecret(keys, Date.now() - signInLinkMs - 1))).toBe(401);
  expect(await attempt(other, newSignInSecret(keys, Date.now() + 3_600_000))).toBe(401);
  expect(await attempt(other, linkSecret(openService()))).toBe(401);
  const changed = linkSecret(service).replace(/^./, (one) => (one === 'A' ? 'B' : 'A'));
  expect(await attempt(service, changed)).toBe(401);
  const guarded = openService('--state', service.state, '--auth', 'keys');
  expect(await attempt(guarded, linkSecret(service))).toBe(401);
});

test('The secret of a sign-in link is refused if the server has credentials', async () => {
  const service = openService('--auth', 'keys');
  expect(service.service.consoleLink()).toBe('/console/');
  const browser = openBrowser(service);
  expect(await browser.read('/me')).toEqual({ state: 'signed-out', methods: ['key'], version: '1.2.3' });
  expect((await browser.send('POST', '/sign-in', { secret: '' })).status).toBe(401);
});

test('A sign-in sets no cookie, and its token contains nothing readable', async () => {
  const service = openService('--auth', 'keys', '--public-url', 'https://workflows.example.com');
  const key = await service.key({ principal: 'team-a', scopes: ['read'] });
  const browser = openBrowser(service);
  const response = await browser.signIn({ key });
  expect(response.headers.getSetCookie()).toEqual([]);
  const parts = browser.token().split('.');
  expect(parts).toHaveLength(5);
  expect(parts.map((part) => Buffer.from(part, 'base64url').toString('latin1')).join()).not.toContain('wlk_');
});

test('A session token is accepted only in its header', async () => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  const token = browser.token();
  const look = async (path: string, headers: Headers): Promise<number> =>
    (await service.fetch(`/console/api${path}`, { headers })).status;
  expect(await look('/sessions', bearer(token))).toBe(200);
  expect(await look('/sessions', { cookie: `workflowlookup-console-8420=${token}` })).toBe(401);
  expect(await look(`/sessions?token=${token}`, {})).toBe(401);
  expect(await look('/changes', { cookie: `workflowlookup-console-8420=${token}` })).toBe(401);
});

test('A token made with the keys but without a sign-in is refused, whatever its expiry', async () => {
  const service = openService();
  await openLocalBrowser(service);
  const keys = loadKeyRing({ stateDirectory: service.state });
  const look = async (token: string): Promise<number> =>
    (await service.fetch('/console/api/sessions', { headers: bearer(token) })).status;
  const host = createHost({ stateDirectory: service.state });
  onTestFinished(() => host.close());
  const access = await host.access.open();
  const tenYears = 10 * 365 * 24 * 3600;
  const tokens = await Promise.all(
    [3600, tenYears].map((seconds) => sessionSeal.close(keys, { way: 'secret' }, seconds)),
  );
  expect(await Promise.all(tokens.map(look))).toEqual([401, 401]);
  // Once the sign-ins are recorded in the database too, the first token is accepted. The second one is valid for too
  // long.
  for (const token of tokens) {
    const { jti } = (await sessionSeal.open(keys, token, tenYears)) ?? { jti: '' };
    await access.revokeId(`console-sign-in:${jti}`, new Date(Date.now() + 3_600_000).toISOString());
  }
  expect(await Promise.all(tokens.map(look))).toEqual([200, 401]);
});

test('A key with only the scope read can read and change nothing', async () => {
  const service = openService('--auth', 'keys');
  const write = await service.key({ principal: 'team-a', scopes: ['read', 'write'] });
  const agent = await startAgent(service, { headers: bearer(write) });
  await agent.stopAtCheckpoint();
  const key = await service.key({ principal: 'team-a', scopes: ['read'] });
  const browser = await openKeyBrowser(service, key);
  expect(await browser.read<Me>('/me')).toMatchObject({ may: { answer: false, save: false, sees: 'own' } });
  expect(await sidsIn(browser)).toEqual([agent.sid]);
  const mode = { kind: 'option', option: 'confirm' };
  expect(await browser.write('POST', `/sessions/${agent.sid}/answer`, { mode, revision: 4 })).toMatchObject({
    code: 'FORBIDDEN',
  });
  const text = { source: 'custom-1', file: 'review-flow.json', text: '{}', digest: null };
  expect(await browser.write('PUT', '/text', text)).toMatchObject({ code: 'FORBIDDEN' });
});

test('A key without the scope read cannot sign in', async () => {
  const service = openService('--auth', 'keys');
  const key = await service.key({ principal: 'team-a', scopes: ['checkpoints:respond'] });
  expect((await openBrowser(service).send('POST', '/sign-in', { key })).status).toBe(401);
});

test('A revoked key is signed out immediately', async () => {
  const service = openService('--auth', 'keys');
  const key = await service.key({ principal: 'team-a', scopes: ['read'] });
  const browser = await openKeyBrowser(service, key);
  expect((await browser.get('/sessions')).status).toBe(200);
  const id = key.split('_')[1] ?? '';
  const place = { stateDirectory: service.state };
  expect((await runKeysCommand({ action: 'revoke', id, place })).ok).toBe(true);
  expect((await browser.get('/sessions')).status).toBe(401);
});

test('Asking for the current user counts as a request of that user', async () => {
  const service = openService('--auth', 'keys', '--rate-limit', '1');
  const browser = await openKeyBrowser(service, await service.key({ principal: 'ann', scopes: ['read'] }));
  const statuses = [];
  for (let at = 0; at < 4; at += 1) statuses.push((await browser.get('/me')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test('Signing out invalidates copies of the token, and other sessions stay signed in', async () => {
  const service = openService();
  const [one, other] = [await openLocalBrowser(service), await openLocalBrowser(service)];
  const kept = one.token();
  expect((await one.send('POST', '/sign-out')).status).toBe(204);
  expect((await service.fetch('/console/api/sessions', { headers: bearer(kept) })).status).toBe(401);
  expect((await other.get('/sessions')).status).toBe(200);
});

test('A person stays signed in after a restart, but not with a changed token', async () => {
  const before = openService();
  const token = (await openLocalBrowser(before)).token();
  const after = openService('--state', before.state);
  const look = (service: TestService, sent: string): Promise<Response> =>
    service.fetch('/console/api/sessions', { headers: bearer(sent) });
  expect((await look(after, token)).status).toBe(200);
  const changed = token.replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A'));
  expect((await look(after, changed)).status).toBe(401);
  const guarded = openService('--state', before.state, '--auth', 'keys');
  expect((await look(guarded, token)).status).toBe(401);
});
