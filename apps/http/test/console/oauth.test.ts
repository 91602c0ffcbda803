import type { Me } from '@workflowlookup/console/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuthorizationServer } from '../authorization-server.ts';
import { followTo, resource, startAuthorizationServer } from '../authorization-server.ts';
import type { TestService } from '../service.ts';
import { openService } from '../service.ts';

let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterAll(() => issuer.close());

const { origin } = new URL(resource);
const open = (...more: readonly string[]): TestService =>
  openService('--auth', 'oauth', '--oauth-issuer', issuer.issuer, '--public-url', origin, ...more);
const openConsole = (): TestService => open('--oauth-client-id', 'console');

const cookieIn = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');

/** Begins to sign in; what the browser is given, and where it is sent. */
async function begin({ fetch }: TestService): Promise<{ cookie: string; link: string; given: string }> {
  const response = await fetch('/console/api/oauth/begin', { headers: { 'sec-fetch-site': 'same-origin' } });
  const link = response.headers.get('location') ?? '';
  return { cookie: cookieIn(response), link, given: response.headers.getSetCookie().join() };
}

/** Comes back from the authorization server. */
const comeBack = ({ fetch }: TestService, url: URL, cookie: string): Promise<Response> =>
  fetch(url.pathname + url.search, { headers: { cookie, 'sec-fetch-site': 'cross-site' } });

test('a person signs in at the authorization server, and may do what its token says', async () => {
  const service = openConsole();
  const out = (await (await service.fetch('/console/api/me')).json()) as Me;
  expect(out).toEqual({
    state: 'signed-out',
    ways: ['oauth'],
    oauthUrl: '/console/api/oauth/begin',
    version: '1.2.3',
  });
  const { cookie, link, given } = await begin(service);
  expect(given).toMatch(/Max-Age=600; Path=\/console\/api\/oauth; HttpOnly; SameSite=Lax$/);
  const back = await comeBack(service, await followTo(link), cookie);
  expect([back.status, back.headers.get('location')]).toEqual([302, '/console/']);
  const me = await service.fetch('/console/api/me', { headers: { cookie: cookieIn(back) } });
  expect(await me.json()).toMatchObject({
    state: 'signed-in',
    principal: `${issuer.issuer}#ann`,
    person: `${issuer.issuer}#ann`,
    scopes: ['read', 'write', 'checkpoints:respond'],
    may: { answer: true, sees: 'own' },
  });
  expect(service.logged.join()).not.toMatch(/code=|eyJ/);
});

test('where access tokens count no longer, nobody is signed in by one', async () => {
  const service = openConsole();
  const { cookie, link } = await begin(service);
  const back = await comeBack(service, await followTo(link), cookie);
  const headers = { cookie: cookieIn(back) };
  expect((await service.fetch('/console/api/runs', { headers })).status).toBe(200);
  const after = openService('--state', service.state, '--auth', 'keys');
  expect((await after.fetch('/console/api/runs', { headers })).status).toBe(401);
});

test('who did not begin to sign in here is not signed in, and a code counts once', async () => {
  const service = openConsole();
  const [mine, other] = [await begin(service), await begin(service)];
  const back = await followTo(mine.link);
  for (const cookie of ['', other.cookie]) {
    const refused = await comeBack(service, back, cookie);
    expect([refused.headers.get('location'), cookieIn(refused)]).toEqual([
      '/console/#sign-in-failed',
      expect.not.stringMatching(/console-8420=./),
    ]);
  }
  expect((await comeBack(service, back, mine.cookie)).headers.get('location')).toBe('/console/');
  expect((await comeBack(service, back, mine.cookie)).headers.get('location')).toBe(
    '/console/#sign-in-failed',
  );
});

test('without a client of its own there, nobody is sent to the authorization server', async () => {
  const service = open();
  const me = await service.fetch('/console/api/me');
  expect(await me.json()).toEqual({ state: 'signed-out', ways: [], version: '1.2.3' });
  expect((await service.fetch('/console/api/oauth/begin')).status).toBe(401);
});

test('where the authorization server is not there, one is told so', async () => {
  const gone = await startAuthorizationServer();
  await gone.close();
  const flags = ['--oauth-issuer', gone.issuer, '--public-url', origin, '--oauth-client-id', 'console'];
  const service = openService('--auth', 'oauth', ...flags);
  const { link } = await begin(service);
  expect(link).toBe('/console/#sign-in-failed');
});
