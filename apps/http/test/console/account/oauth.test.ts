import type { Me, NewSession, OAuthStart } from '@workflowlookup/console/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuthorizationServer } from '../../support/authorization-server.ts';
import { followTo, resource, startAuthorizationServer } from '../../support/authorization-server.ts';
import type { TestService } from '../../support/service.ts';
import { bearer, openService } from '../../support/service.ts';
import { openBrowser } from '../../support/browser.ts';

let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterAll(() => issuer.close());

const { origin } = new URL(resource);
const open = (...more: readonly string[]): TestService =>
  openService('--auth', 'oauth', '--oauth-issuer', issuer.issuer, '--public-url', origin, ...more);
const openConsole = (...more: readonly string[]): TestService =>
  open('--oauth-client-id', 'console', ...more);

/** Begins to sign in. Returns the address that the browser opens, and the value that the page keeps for the end. */
async function begin(service: TestService): Promise<OAuthStart> {
  const journey = await openBrowser(service).write<OAuthStart>('POST', '/oauth/begin', undefined);
  expect(journey).toEqual({ url: expect.any(String), journey: expect.any(String) });
  return journey;
}

/**
 * Returns from the authorization server to the console, and finishes the sign-in with the `journey` that the page kept.
 */
async function comeBack(service: TestService, url: URL, journey: string): Promise<Response> {
  const headers = { 'sec-fetch-site': 'cross-site' };
  const back = await service.fetch(url.pathname + url.search, { headers });
  const [page, search = ''] = (back.headers.get('location') ?? '').split('#sign-in-returned');
  expect([back.status, page, search, back.headers.getSetCookie()]).toEqual([
    302,
    '/console/',
    url.search,
    [],
  ]);
  return openBrowser(service).send('POST', '/oauth/finish', { journey, search });
}

const sessionIn = async (response: Response): Promise<NewSession> => (await response.json()) as NewSession;

test('A person signs in at the authorization server, and gets the scopes of the token', async () => {
  const service = openConsole();
  const out = (await (await service.fetch('/console/api/me')).json()) as Me;
  expect(out).toEqual({
    state: 'signed-out',
    methods: ['oauth'],
    version: '1.2.3',
  });
  const { url, journey } = await begin(service);
  const { token, me } = await sessionIn(await comeBack(service, await followTo(url), journey));
  const asked = await service.fetch('/console/api/me', { headers: bearer(token) });
  expect(await asked.json()).toEqual(me);
  expect(me).toMatchObject({
    state: 'signed-in',
    principal: `${issuer.issuer}#ann`,
    person: `${issuer.issuer}#ann`,
    scopes: ['read', 'write', 'checkpoints:respond'],
    may: { answer: true, sees: 'own' },
  });
  expect(service.logged.join()).not.toMatch(/code=|eyJ/);
});

test('A person cannot sign in with an access token that is no longer valid', async () => {
  const service = openConsole();
  const { url, journey } = await begin(service);
  const headers = bearer((await sessionIn(await comeBack(service, await followTo(url), journey))).token);
  expect((await service.fetch('/console/api/sessions', { headers })).status).toBe(200);
  const after = openService('--state', service.state, '--auth', 'keys');
  expect((await after.fetch('/console/api/sessions', { headers })).status).toBe(401);
});

test('Only the browser that began a sign-in can finish it, and a code can be used once', async () => {
  const service = openConsole();
  const [mine, other] = [await begin(service), await begin(service)];
  const back = await followTo(mine.url);
  for (const journey of [
    '',
    other.journey,
    mine.journey.replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A')),
  ])
    expect((await comeBack(service, back, journey)).status).toBe(401);
  expect((await comeBack(service, back, mine.journey)).status).toBe(200);
  expect((await comeBack(service, back, mine.journey)).status).toBe(401);
});

test('A page of another origin cannot begin or finish a sign-in', async () => {
  const service = openConsole();
  for (const path of ['begin', 'finish'])
    expect(
      (
        await service.fetch(`/console/api/oauth/${path}`, {
          method: 'POST',
          headers: { origin: 'http://127.0.0.1:9999' },
        })
      ).status,
    ).toBe(403);
});

test('Sign-ins are limited for each address, without blocking other addresses', async () => {
  const { service } = openConsole('--auth-failures', '3');
  const ask = (path: string, peer: string): Promise<Response> =>
    service.app.fetch(
      new Request(`${origin}/console/api/oauth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ journey: '', search: '' }),
      }),
      peer,
    );
  const [here, there] = ['203.0.113.7', '203.0.113.8'];
  const statuses = [];
  for (const path of ['begin', 'finish', 'begin']) statuses.push((await ask(path, here)).status);
  expect(statuses).toEqual([200, 401, 200]);
  for (const path of ['begin', 'finish']) {
    const refused = await ask(path, here);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '20']);
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  }
  expect((await ask('begin', there)).status).toBe(200);
});

test('Sign-in at the authorization server is not offered without a client id', async () => {
  const service = open();
  const me = await service.fetch('/console/api/me');
  expect(await me.json()).toEqual({ state: 'signed-out', methods: [], version: '1.2.3' });
  expect((await openBrowser(service).send('POST', '/oauth/begin')).status).toBe(401);
});

test('An unreachable authorization server is reported', async () => {
  const gone = await startAuthorizationServer();
  await gone.close();
  const flags = ['--oauth-issuer', gone.issuer, '--public-url', origin, '--oauth-client-id', 'console'];
  const service = openService('--auth', 'oauth', ...flags);
  const refused = await openBrowser(service).send('POST', '/oauth/begin');
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'TOKEN_INVALID' }]);
});
