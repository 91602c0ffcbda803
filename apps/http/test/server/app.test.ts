import { describe, expect, test } from 'vitest';
import { answerOf, bearer, openService, rpc } from '../support/service.ts';

describe('routes', () => {
  test('/healthz says that the process is running, and opens nothing', async () => {
    const { fetch } = openService();
    const response = await fetch('/healthz');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  test('/healthz and /readyz accept any host name', async () => {
    const { service } = openService('--auth', 'keys', '--max-requests', '0');
    const statusOf = async (url: string): Promise<number> =>
      (await service.app.fetch(new Request(url), '10.42.0.1')).status;
    expect(await statusOf('http://10.42.0.17:8420/healthz')).toBe(200);
    expect(await statusOf('http://10.42.0.17:8420/readyz')).toBe(200);
    expect(await statusOf('http://10.42.0.17:8420/metrics')).toBe(403);
  });

  test('/readyz checks the database and the keys, and reports when the server is stopping', async () => {
    const { fetch, service } = openService();
    const ready = await fetch('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', database: true, keys: true },
    ]);
    await service.drain();
    const draining = await fetch('/readyz');
    expect([draining.status, await draining.json()]).toEqual([503, { status: 'draining' }]);
  });

  test('/readyz answers 503 if the state directory cannot be used', async () => {
    const response = await openService('--state', '/dev/null/state').fetch('/readyz');
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not_ready', database: false, keys: false },
    ]);
  });

  test('/metrics requires a credential if the server does', async () => {
    const { fetch, key } = openService('--auth', 'keys');
    const scrape = bearer(await key({ principal: 'prometheus', scopes: ['read'] }));
    expect((await fetch('/metrics', { headers: scrape })).status).toBe(200);
  });
});

test('Each request is logged with its id, and without its content', async () => {
  const { post, open, logged } = openService();
  const session = await open();
  const response = await post(rpc('workflow_get', { id: 'secret-thing' }), {
    ...session,
    'x-request-id': 'r-1',
  });
  expect(response.headers.get('x-request-id')).toBe('r-1');
  const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.at(-1)).toEqual({
    time: expect.any(String),
    level: 'info',
    event: 'request',
    request: 'r-1',
    method: 'POST',
    route: '/mcp',
    status: 200,
    ms: expect.any(Number),
  });
  expect(logged.join()).not.toMatch(/secret-thing|mcp-session-id/);
  const odd = await post(rpc('ping'), { 'x-request-id': 'a b{}' });
  expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('An ended session stays ended after a restart', async () => {
  const before = openService();
  const session = await before.open();
  expect((await before.fetch('/mcp', { method: 'DELETE', headers: session })).status).toBe(204);
  const after = openService('--state', before.state);
  expect((await after.post(rpc('ping'), session)).status).toBe(404);
});

test('A session continues on another server with the same state', async () => {
  const before = openService();
  const session = await before.open();
  const after = openService('--state', before.state);
  expect((await after.post(rpc('ping'), session)).status).toBe(200);
});

test.each([
  ['a number out of range', '1e400', 'variables.level'],
  ['half of a surrogate pair', '"\\ud800"', 'variables.level'],
  ['one in a list', '["fine", {"deep": "\\udfff"}]', 'variables.level.1.deep'],
])('%s is refused with the name of the field, and nothing is written', async (_, value, field) => {
  const service = openService();
  const session = await service.open();
  const begun = await answerOf(
    await service.post(rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' }), session),
  );
  const session_token = begun.result?.['session_token'];
  const call = (method: string, params: object) => service.post(rpc(method, params), session);
  const moved = await answerOf(await call('next_activity', { session_token, activity_id: 'read-it' }));
  const body = JSON.stringify(
    rpc('next_activity', {
      session_token: moved.result?.['session_token'],
      step_manifest: [{ step_id: 'read-it', output: 'Read.' }],
      variables: { level: 'VALUE' },
    }),
  ).replace('"VALUE"', value);
  const { error } = await answerOf(await service.post(body, session));
  expect(error).toMatchObject({ code: -32602, data: { details: expect.stringContaining(field) } });
});
