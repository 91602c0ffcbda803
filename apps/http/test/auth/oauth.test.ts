import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOAuthVerifier } from '../../src/auth/verifiers.ts';
import type { AuthorizationServer } from '../support/authorization-server.ts';
import { resource, startAuthorizationServer } from '../support/authorization-server.ts';
import type { Answer } from '../support/service.ts';
import { answerOf, bearer, openService, rpc } from '../support/service.ts';
import { credentialMessages } from '../../src/messages.ts';

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
  test('can be obtained as in RFC 9728: challenge, metadata, authorization server, token, answer', async () => {
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
      scopes_supported: ['read', 'write'],
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
      credentialMessages.otherServer(),
      () => issuer.token({ resource: 'https://other.example' }),
    ],
    ['another issuer', credentialMessages.wrongSignature(), () => stranger.token()],
    ['an expiry in the past', credentialMessages.expired(), () => issuer.sign({ exp: 1_700_000_000 })],
    ['no subject', credentialMessages.noSubject(), () => issuer.sign({ sub: undefined })],
    ['three invalid parts', credentialMessages.notValid(), () => Promise.resolve('a.b.c')],
  ])('with %s is refused with the reason and the address of the metadata', async (_what, reason, token) => {
    const response = await open().post(rpc('ping'), bearer(await token()));
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="workflowlookup", error="invalid_token", error_description="${reason}", scope="read write", resource_metadata="${metadataUrl}"`,
    );
  });

  test('identifies its holder by issuer and subject, with the scopes that we know', async () => {
    const verify = createOAuthVerifier({ issuer: issuer.issuer, audience: resource, typ: 'at+jwt' });
    expect(await verify(await issuer.token({ scope: 'read checkpoints:respond' }))).toEqual({
      kind: 'known',
      identity: {
        principal: `${issuer.issuer}#agent`,
        scopes: new Set(['read', 'checkpoints:respond']),
        client: 'agent',
      },
    });
  });

  test('is accepted with each spelling of its type', async () => {
    const service = open();
    for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT'])
      expect((await service.post(rpc('ping'), bearer(await issuer.sign({}, { typ })))).status).toBe(200);
  });

  test.each([
    ['a type that says nothing', {}, { typ: 'JWT' }, 200],
    ['no type, no client and no id', { client_id: undefined, jti: undefined }, { typ: undefined }, 200],
    ['the claims of an ID token', { nonce: 'n' }, { typ: 'JWT' }, 401],
    ['the payload type of an ID token', { typ: 'ID' }, { typ: 'JWT' }, 401],
    ['no subject', { sub: undefined }, { typ: 'JWT' }, 401],
    ['the key of a sender', { cnf: { jkt: 'x' } }, { typ: 'JWT' }, 401],
  ])(
    'without types at the issuer is accepted or refused correctly with %s',
    async (_what, claims, header, status) => {
      const response = await open('--oauth-typ', 'any').post(
        rpc('ping'),
        bearer(await issuer.sign(claims, header)),
      );
      expect(response.status).toBe(status);
    },
  );

  test.each([
    ['client_id', { client_id: 'c', azp: 'other' }],
    ['azp', { client_id: undefined, azp: 'c' }],
    ['cid, as at Okta', { client_id: undefined, cid: 'c' }],
    ['appid, as at Entra', { client_id: 7, azp: '', appid: 'c' }],
  ])('without types at the issuer names its client in %s', async (_what, claims) => {
    const verify = createOAuthVerifier({ issuer: issuer.issuer, audience: resource, typ: 'any' });
    expect(await verify(await issuer.sign(claims))).toMatchObject({ identity: { client: 'c' } });
  });

  test.each([7, '', null, {}])('of RFC 9068 is refused with the client_id %j', async (client) => {
    const verify = createOAuthVerifier({ issuer: issuer.issuer, audience: resource, typ: 'at+jwt' });
    const token = await issuer.sign({ client_id: client, azp: 'agent' });
    expect(await verify(token)).toMatchObject({
      kind: 'refused',
      reason: credentialMessages.noClaim('client_id'),
    });
  });

  test('without a client cannot answer as a person for the work of another such token', async () => {
    const service = open('--oauth-typ', 'any', '--gates', 'human');
    const scope = 'read write checkpoints:respond';
    const nameless = async () => service.open(bearer(await issuer.sign({ client_id: undefined, scope })));
    const session = await nameless();
    let token = '';
    const call = async (method: string, params: object, as = session): Promise<Answer> => {
      const answer = await answerOf(await service.post(rpc(method, { session_token: token, ...params }), as));
      const latest = /wl_[\w-]+/.exec(JSON.stringify(answer.result ?? {}))?.[0];
      token = latest ?? token;
      return answer;
    };
    await call('start_session', { session_token: undefined, agent_id: 'a', workflow_id: 'review-flow' });
    await call('next_activity', {});
    await call('next_activity', { step_manifest: [{ step_id: 'read-it', output: 'Read' }] });
    await call('yield_checkpoint', { checkpoint_id: 'confirm' });
    for (const as of [session, await nameless()])
      expect((await call('respond_checkpoint', { option_id: 'confirm' }, as)).error?.data).toMatchObject({
        reason: 'same-credential',
      });
    const named = await service.open(bearer(await issuer.sign({ client_id: 'of-a-person', scope })));
    const answered = await call('respond_checkpoint', { option_id: 'confirm' }, named);
    expect(answered.result).toMatchObject({ resolved: true });
  });

  test('can be used beside API keys', async () => {
    const service = open('--auth', 'keys');
    const key = await service.key({ principal: 'ann', scopes: ['read'] });
    for (const credential of [key, await issuer.token()])
      expect((await service.post(rpc('ping'), bearer(credential))).status).toBe(200);
  });
});

describe('access tokens after the issuer changed its keys', () => {
  let keys: object[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const isMetadata = request.url?.includes('well-known') === true;
    response.writeHead(isMetadata ? 200 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isMetadata ? { issuer: at(), jwks_uri: `${at()}/jwks` } : { keys }));
  });
  const at = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  afterEach(() => {
    vi.useRealTimers();
    status = 200;
  });

  async function newKey(kid: string): Promise<{ readonly jwk: object; readonly token: string }> {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const token = await new SignJWT({ client_id: 'agent', scope: 'read write' })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
      .setIssuer(at())
      .setAudience(resource)
      .setSubject('agent')
      .setJti('a-token')
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey);
    return { jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'ES256' }, token };
  }

  const opened = () =>
    openService('--auth', 'oauth', '--oauth-issuer', at(), '--public-url', origin, '--auth-failures', '1');

  test('are accepted even if a wrong token came before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const [first, second, stray] = await Promise.all(['k1', 'k2', 'k3'].map((kid) => newKey(kid)));
    const service = opened();
    const statusOf = async (token = ''): Promise<number> =>
      (await service.post(rpc('ping'), bearer(token))).status;
    keys = [first?.jwk ?? {}];
    expect(await statusOf(first?.token)).toBe(200);
    vi.advanceTimersByTime(60_000);
    expect(await statusOf(stray?.token)).toBe(401);
    keys = [second?.jwk ?? {}];
    const early = await service.post(rpc('ping'), bearer(second?.token ?? ''));
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await statusOf(second?.token)).toBe(503);
    expect(service.logged.join('')).not.toContain('"failure"');
    vi.advanceTimersByTime(5000);
    expect(await statusOf(second?.token)).toBe(200);
  });

  test('are not refused while the new keys cannot be loaded', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const [first, second] = await Promise.all(['k1', 'k2'].map((kid) => newKey(kid)));
    const service = opened();
    const statusOf = async (token = ''): Promise<number> =>
      (await service.post(rpc('ping'), bearer(token))).status;
    keys = [first?.jwk ?? {}];
    expect(await statusOf(first?.token)).toBe(200);
    vi.advanceTimersByTime(60_000);
    keys = [second?.jwk ?? {}];
    status = 500;
    expect(await statusOf(second?.token)).toBe(503);
    status = 200;
    expect(await statusOf(second?.token)).toBe(200);
  });
});
