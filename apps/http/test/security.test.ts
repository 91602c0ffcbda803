import { describe, expect, test } from 'vitest';
import { runKeysCommand } from '../src/keys-command.ts';
import type { TestService } from './service.ts';
import { answerOf, bearer, openService, rpc } from './service.ts';

const agent = { principal: 'ann', scopes: ['read', 'write'] } as const;
const ping = rpc('ping');

/** The header of an agent's key for each principal. */
function keysOf(service: TestService, ...principals: readonly string[]) {
  return Promise.all(principals.map(async (principal) => bearer(await service.key({ ...agent, principal }))));
}

describe('without credentials', () => {
  test.each<[status: number, what: string, RequestInit & { path?: string }]>([
    [403, 'an evil Host', { headers: { host: 'evil.example' } }],
    [403, 'an evil Host with our port', { headers: { host: 'evil.example:8420' } }],
    [403, 'a Host that begins like ours', { headers: { host: '127.0.0.1.evil.example' } }],
    [403, 'an evil Origin', { headers: { origin: 'https://evil.example' } }],
    [403, 'the Origin null', { headers: { origin: 'null' } }],
    [403, 'an Origin that begins like ours', { headers: { origin: 'http://localhost.evil.example' } }],
    [
      403,
      'an evil Origin that asks first',
      { method: 'OPTIONS', headers: { origin: 'https://evil.example' } },
    ],
    [403, 'an evil Host on another route', { path: '/healthz', headers: { host: 'evil.example' } }],
    [200, 'a page of this machine', { path: '/healthz', headers: { origin: 'http://localhost:3000' } }],
    [200, 'this machine by name', { path: '/healthz', headers: { host: 'localhost:8420' } }],
    [404, 'a path out of its folder', { path: '/mcp/../../etc/passwd' }],
    [404, 'the same, encoded', { path: '/%2e%2e/%2e%2e/etc/passwd' }],
    [404, 'the same, behind a route', { path: '/healthz/..%2f..%2fetc%2fpasswd' }],
    [404, 'a path with a zero byte', { path: '/%00' }],
    [405, 'another method', { path: '/mcp', method: 'PUT' }],
  ])('answers %i to %s', async (status, _what, { path = '/mcp', ...init }) => {
    const response = await openService().fetch(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).not.toMatch(/root:|\/work|node_modules/);
  });

  test('lets a page that was allowed read what it needs, and no other', async () => {
    const service = openService('--allowed-origin', 'https://console.example.com');
    const ask = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } };
    const origin = 'https://console.example.com';
    const asked = await service.fetch('/mcp', { ...ask, headers: { ...ask.headers, origin } });
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-headers')).toContain('mcp-session-id');
    expect((await service.fetch('/mcp', ask)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('answers 413 to a body over the limit, before it was read', async () => {
    const service = openService('--max-body-bytes', '1000');
    expect((await service.post('x'.repeat(1001))).status).toBe(413);
  });

  test('answers 503 beyond so many requests at once', async () => {
    const service = openService('--max-requests', '0');
    const response = await service.post(ping);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test.each(['workflow_get', 'tools/call'])(
    'keeps an id that leaves its folder out of %s',
    async (method) => {
      const service = openService();
      const session = await service.open();
      const id = '../../etc/passwd';
      const params = method === 'tools/call' ? { name: 'workflow_get', arguments: { id } } : { id };
      const text = await (await service.post(rpc(method, params), session)).text();
      expect(text).toMatch(/-32602|-32001/);
      expect(text).not.toContain('root:');
    },
  );
});

describe('with API keys', () => {
  const wlk = (id: string): string => `wlk_${id}_${'a'.repeat(43)}`;

  test.each<[string, (service: TestService) => Promise<Record<string, string>>]>([
    ['none', async () => ({})],
    ['one nobody made', async () => bearer(wlk('0'.repeat(12)))],
    ['one that is no key', async () => bearer('abc')],
    ['a key by another scheme', async (service) => ({ authorization: `Basic ${await service.key(agent)}` })],
    [
      'two keys',
      async (service) => ({
        authorization: `Bearer ${await service.key(agent)}, Bearer ${await service.key(agent)}`,
      }),
    ],
    ['a key in another header', async (service) => ({ 'x-api-key': await service.key(agent) })],
    ['an expired key', async (service) => bearer(await service.key({ ...agent, expiresAt: '2020-01-01' }))],
    [
      'a revoked key',
      async (service) => {
        const secret = await service.key(agent);
        const place = { stateDirectory: service.state };
        expect(await runKeysCommand({ action: 'revoke', id: secret.slice(4, 16), place })).toMatchObject({
          ok: true,
        });
        return bearer(secret);
      },
    ],
    [
      'a key with one character changed',
      async (service) => bearer((await service.key(agent)).replace(/.$/, '-')),
    ],
  ])('answers 401 to %s', async (_what, headers) => {
    const service = openService('--auth', 'keys');
    for (const path of ['/mcp', '/metrics']) {
      const response = await service.fetch(path, { headers: await headers(service) });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(
        /^Bearer realm="workflowlookup".*scope="read write"/,
      );
    }
    expect(service.logged.join()).not.toContain('wlk_');
  });

  test('never takes a credential from the address', async () => {
    const service = openService('--auth', 'keys');
    const key = await service.key(agent);
    expect((await service.fetch(`/mcp?access_token=${key}&api_key=${key}`)).status).toBe(401);
    expect(service.logged.join()).not.toContain(key);
  });

  test('answers 403 to a key without the scope, and names all it takes', async () => {
    const service = openService('--auth', 'keys');
    const reader = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
    const responder = bearer(await service.key({ principal: 'ann', scopes: ['checkpoints:respond'] }));
    expect((await service.post(ping, responder)).status).toBe(403);
    const session = await service.open(reader);
    expect((await service.post(rpc('workflow_list'), session)).status).toBe(200);
    const start = { agent_id: 'a', workflow_id: 'review-flow' };
    for (const body of [
      rpc('start_session', start),
      rpc('tools/call', { name: 'start_session', arguments: start }),
    ]) {
      const refused = await service.post(body, session);
      expect(refused.status).toBe(403);
      expect(refused.headers.get('www-authenticate')).toMatch(
        /error="insufficient_scope".*scope="read write"/,
      );
    }
  });

  test("knows nobody's session but the principal's own", async () => {
    const service = openService('--auth', 'keys');
    const [ann, bob] = await keysOf(service, 'ann', 'bob');
    const session = await service.open(ann);
    expect((await service.post(ping, { ...session, ...bob })).status).toBe(404);
    const start = { agent_id: 'a', workflow_id: 'review-flow' };
    const { result } = await answerOf(await service.post(rpc('start_session', start), session));
    const token = result?.['session_token'];
    const ofBob = await service.open(bob);
    const seen = await answerOf(
      await service.post(rpc('get_workflow_status', { session_token: token }), ofBob),
    );
    expect(seen.error).toMatchObject({ code: -32007 });
    const adopt = { agent_id: 'b', session_token: token };
    expect((await answerOf(await service.post(rpc('start_session', adopt), ofBob))).error?.code).toBe(-32007);
    const openTo = async (who: typeof ofBob) => (await service.post(rpc('discover'), who)).text();
    const sid = /([0-9a-f]{20}),review-flow/.exec(await openTo(session))?.[1] ?? '';
    expect(sid).not.toBe('');
    expect(await openTo(ofBob)).not.toContain(sid);
    for (const shown of [sid, `${String(token).slice(0, -2)}AA`]) {
      const taken = rpc('start_session', { agent_id: 'b', session_token: shown });
      expect((await answerOf(await service.post(taken, ofBob))).error?.code).toBe(-32007);
    }
  });

  test('answers 429 to a principal that asks too often, and not to others', async () => {
    const service = openService('--auth', 'keys', '--rate-limit', '1');
    const [ann, bob] = await keysOf(service, 'ann', 'bob');
    const statuses = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await service.post(ping, ann)).status);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 429]);
    expect((await service.post(ping, ann)).headers.get('retry-after')).toBe('1');
    expect((await service.post(ping, bob)).status).toBe(200);
  });

  test('answers 429 to a principal that has its share of requests under way, and not to others', async () => {
    const service = openService('--auth', 'keys', '--max-requests', '4');
    const [ann, bob] = await keysOf(service, 'ann', 'bob');
    const statusesOf = async (...headers: readonly (typeof ann)[]) =>
      (await Promise.all(headers.map((one) => service.post(ping, one)))).map(({ status }) => status);
    expect(await statusesOf(ann, ann, bob)).toEqual([200, 429, 200]);
    expect(await statusesOf(ann)).toEqual([200]);
  });

  test('has a person answer what the agent may not, by a key of the same principal', async () => {
    const service = openService('--auth', 'keys', '--gates', 'human');
    const session = await service.open(bearer(await service.key(agent)));
    const scopes = ['read', 'checkpoints:respond'] as const;
    const person = await service.open(bearer(await service.key({ principal: 'ann', scopes })));
    const call = async (method: string, params: object, as = session) =>
      answerOf(await service.post(rpc(method, params), as));
    const started = await call('start_session', { agent_id: 'a', workflow_id: 'review-flow' });
    const tokenOf = ({ result }: Awaited<ReturnType<typeof call>>) =>
      result?.['session_token'] ??
      (result?.['_meta'] as Record<string, unknown> | undefined)?.['session_token'];
    const read = await call('next_activity', { session_token: tokenOf(started) });
    const manifest = [{ step_id: 'read-it', output: 'Read' }];
    const report = await call('next_activity', { session_token: tokenOf(read), step_manifest: manifest });
    const stopped = await call('yield_checkpoint', {
      session_token: tokenOf(report),
      checkpoint_id: 'confirm',
    });
    const answer = { session_token: tokenOf(stopped), option_id: 'confirm' };
    const refused = await call('respond_checkpoint', answer);
    expect(refused.error).toMatchObject({ code: -32005 });
    expect(JSON.stringify(refused.error)).toContain('checkpoints:respond');
    expect((await call('respond_checkpoint', answer, person)).result).toMatchObject({ resolved: true });
  });
});
