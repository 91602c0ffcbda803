import { describe, expect, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { answerOf, bearer, openService, rpc } from '../support/service.ts';

const agent = { principal: 'ann', scopes: ['read', 'write'] } as const;
const ping = rpc('ping');

/** Creates a key for each principal, and returns the headers with them. */
function keysOf(service: TestService, ...principals: readonly string[]) {
  return Promise.all(principals.map(async (principal) => bearer(await service.key({ ...agent, principal }))));
}

describe('a server without credentials', () => {
  test.each<[what: string, path: string, headers: Readonly<Record<string, string>>]>([
    ['a page of this machine', '/healthz', { origin: 'http://localhost:3000' }],
    ['this machine by name', '/healthz', { host: 'localhost:8420' }],
  ])('answers 200 to %s', async (_what, path, headers) => {
    expect((await openService().fetch(path, { headers })).status).toBe(200);
  });

  test.each(['/healthz', '/nowhere', '/mcp'])('sends the header nosniff for %s', async (path) => {
    const response = await openService().fetch(path);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('allows CORS only for the permitted origin', async () => {
    const service = openService('--allowed-origin', 'https://console.example.com');
    const ask = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } };
    const origin = 'https://console.example.com';
    const asked = await service.fetch('/mcp', { ...ask, headers: { ...ask.headers, origin } });
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-headers')).toContain('mcp-session-id');
    expect((await service.fetch('/mcp', ask)).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a server with API keys', () => {
  test('does not show a principal the sessions of another', async () => {
    const service = openService('--auth', 'keys');
    const keys = await keysOf(service, 'ann', 'bob');
    const [ann, bob] = await Promise.all(keys.map((key) => service.open(key)));
    await service.post(rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' }), ann);
    const shownTo = async (who: typeof ann) => (await service.post(rpc('discover'), who)).text();
    expect(await shownTo(ann)).toMatch(/[0-9a-f]{20},review-flow/);
    expect(await shownTo(bob)).not.toContain('review-flow');
  });

  test('answers 429 to a principal that sends too many requests, and not to others', async () => {
    const service = openService('--auth', 'keys', '--rate-limit', '1');
    const [ann, bob] = await keysOf(service, 'ann', 'bob');
    const statuses = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await service.post(ping, ann)).status);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 429]);
    expect((await service.post(ping, ann)).headers.get('retry-after')).toBe('1');
    expect((await service.post(ping, bob)).status).toBe(200);
  });

  test('answers 429 to a principal that has too many requests in progress, and not to others', async () => {
    const service = openService('--auth', 'keys', '--max-requests', '4');
    const [ann, bob] = await keysOf(service, 'ann', 'bob');
    const statusesOf = async (...headers: readonly (typeof ann)[]) =>
      (await Promise.all(headers.map((one) => service.post(ping, one)))).map(({ status }) => status);
    expect(await statusesOf(ann, ann, bob)).toEqual([200, 429, 200]);
    expect(await statusesOf(ann)).toEqual([200]);
  });

  test('lets a person answer with another key of the same principal, when the agent may not', async () => {
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
