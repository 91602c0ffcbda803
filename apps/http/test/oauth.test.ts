import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOAuthVerifier } from '../src/auth/oauth-verifier.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { resource, startAuthorizationServer } from './authorization-server.ts';
import { answerOf, bearer, openService, rpc } from './service.ts';

let issuer: AuthorizationServer;
let stranger: AuthorizationServer;

beforeAll(async () => {
  [issuer, stranger] = await Promise.all([startAuthorizationServer(), startAuthorizationServer()]);
});

afterAll(() => Promise.all([issuer.close(), stranger.close()]));

const origin = new URL(resource).origin;
const open = (...more: readonly string[]) =>
  openService('--auth', 'oauth', '--oauth-issuer', issuer.issuer, '--public-url', origin, ...more);
const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;

describe('an access token', () => {
  test('is found the way of RFC 9728: challenge, metadata, authorization server, token, answer', async () => {
    const service = open();
    const challenged = await service.post(rpc('ping'));
    const challenge = challenged.headers.get('www-authenticate') ?? '';
    expect([challenged.status, challenge]).toEqual([
      401,
      `Bearer realm="workflowlookup", scope="read write", resource_metadata="${metadataUrl}"`,
    ]);
    const metadata = await service.fetch(new URL(metadataUrl).pathname);
    expect(await metadata.json()).toEqual({
      resource,
      authorization_servers: [issuer.issuer],
      scopes_supported: ['read', 'write', 'checkpoints:respond'],
      bearer_methods_supported: ['header'],
      resource_name: 'workflowlookup',
    });
    const session = await service.open(bearer(await issuer.token()));
    const start = { agent_id: 'a', workflow_id: 'review-flow' };
    expect((await answerOf(await service.post(rpc('start_session', start), session))).result).toMatchObject({
      session_token: expect.stringMatching(/^wl_/),
    });
  });

  test.each<[what: string, reason: string, () => Promise<string>]>([
    [
      'another audience',
      'not made out to this server',
      () => issuer.token({ resource: 'https://other.example' }),
    ],
    ['another issuer', 'not signed by its issuer', () => stranger.token()],
    ['a changed payload', 'not signed by its issuer', async () => changed(await issuer.token())],
    ['no signature', 'not valid', async () => unsigned(await issuer.token())],
    ['a signature by a public secret', 'not valid', async () => signedByHmac(await issuer.token())],
    ['three parts of nothing', 'not valid', () => Promise.resolve('a.b.c')],
  ])('of %s is answered 401: it is %s', async (_what, reason, token) => {
    const service = open();
    const response = await service.post(rpc('ping'), bearer(await token()));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(
      new RegExp(`error="invalid_token", error_description="[^"]*${reason}[^"]*".*resource_metadata=`),
    );
    expect(service.logged.join()).not.toMatch(/eyJ/);
  });

  test('does not count once it is expired', async () => {
    const now = (): Date => new Date(Date.now() + 3_600_000);
    const verify = createOAuthVerifier({ issuer: issuer.issuer, audience: resource, now });
    expect(await verify(await issuer.token())).toEqual({
      kind: 'refused',
      reason: 'The token is expired',
      isOver: true,
    });
  });

  test('without the scope is answered 403, with all scopes it takes', async () => {
    const service = open();
    const none = await service.post(rpc('ping'), bearer(await issuer.token({ scope: '' })));
    expect(none.status).toBe(403);
    const session = await service.open(bearer(await issuer.token({ scope: 'read' })));
    const refused = await service.post(rpc('start_session', { agent_id: 'a' }), session);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope".*scope="read write".*resource_metadata=/,
    );
  });

  test('names its holder by issuer and subject, with the scopes that are ours', async () => {
    const verify = createOAuthVerifier({ issuer: issuer.issuer, audience: resource });
    expect(await verify(await issuer.token({ scope: 'read checkpoints:respond' }))).toEqual({
      kind: 'known',
      identity: { principal: `${issuer.issuer}#agent`, scopes: new Set(['read', 'checkpoints:respond']) },
    });
  });

  test('goes beside API keys', async () => {
    const service = open('--auth', 'keys');
    const key = await service.key({ principal: 'ann', scopes: ['read'] });
    for (const credential of [key, await issuer.token()])
      expect((await service.post(rpc('ping'), bearer(credential))).status).toBe(200);
  });

  test('is answered 503 while the authorization server is out of reach', async () => {
    const gone = await startAuthorizationServer();
    const token = await gone.token();
    await gone.close();
    const service = openService('--auth', 'oauth', '--oauth-issuer', gone.issuer, '--public-url', origin);
    const response = await service.post(rpc('ping'), bearer(token));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });
});

type Parts = readonly [head: string, payload: string, signature: string];

function partsOf(token: string): Parts {
  const [head = '', payload = '', signature = ''] = token.split('.');
  return [head, payload, signature];
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (text: string): object => JSON.parse(Buffer.from(text, 'base64url').toString()) as object;

function changed(token: string): string {
  const [head, payload, signature] = partsOf(token);
  return [head, encode({ ...decode(payload), sub: 'admin' }), signature].join('.');
}

function unsigned(token: string): string {
  const [head, payload] = partsOf(token);
  return `${encode({ ...decode(head), alg: 'none' })}.${payload}.${'a'.repeat(4)}`;
}

function signedByHmac(token: string): string {
  const [head, payload] = partsOf(token);
  const body = `${encode({ ...decode(head), alg: 'HS256' })}.${payload}`;
  return `${body}.${createHmac('sha256', 'public').update(body).digest('base64url')}`;
}
