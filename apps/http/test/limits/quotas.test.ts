import { describe, expect, test } from 'vitest';
import { createSessionQuota } from '../../src/guards.ts';
import { answerOf, bearer, openService, rpc } from '../support/service.ts';

const start = rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' });

/** Opens a server. `enter` opens an MCP session for a principal. */
function openShared(...flags: readonly string[]) {
  const service = openService('--auth', 'keys', ...flags);
  const enter = async (principal: string, version?: string) => {
    const session = await service.open(
      bearer(await service.key({ principal, scopes: ['read', 'write'] })),
      version,
    );
    const post = async (body: unknown) => service.post(body, session);
    return { session, post, start: async () => answerOf(await post(start)) };
  };
  return { ...service, enter };
}

describe('the sessions of one principal', () => {
  test('can be started up to the rate, without limiting others', async () => {
    const { enter } = openShared('--session-rate', '3');
    const [ann, bob] = [await enter('ann'), await enter('bob')];
    for (let at = 0; at < 3; at += 1) expect((await ann.start()).error).toBeUndefined();
    expect((await ann.start()).error).toMatchObject({
      code: -32005,
      data: { quota: 'rate', limit: 3, retry_after_seconds: expect.any(Number) },
    });
    expect((await bob.start()).error).toBeUndefined();
  });

  test('can be open up to the limit, on whichever server they were started', async () => {
    const flags = ['--max-open-sessions', '3'];
    const first = openShared(...flags);
    const ann = await first.enter('ann');
    for (let at = 0; at < 2; at += 1) expect((await ann.start()).error).toBeUndefined();
    const second = openShared(...flags, '--state', first.state);
    const again = await second.enter('ann');
    expect((await again.start()).error).toBeUndefined();
    expect((await again.start()).error).toMatchObject({ data: { quota: 'open', limit: 3, open: 3 } });
    // Close this server before the folder of the first one is deleted.
    await second.service.close();
  });

  test('are counted one by one within a batch', async () => {
    const { enter } = openShared('--max-open-sessions', '3');
    const ann = await enter('ann', '2025-03-26');
    const batch = Array.from({ length: 10 }, (_, id) => ({ ...start, id }));
    const answers = (await (await ann.post(batch)).json()) as readonly { readonly error?: unknown }[];
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(3);
  });

  test('can be resumed without counting', async () => {
    const { enter } = openShared('--session-rate', '1');
    const ann = await enter('ann');
    const { session_token: token } = (await ann.start()).result ?? {};
    const again = await ann.post(rpc('start_session', { agent_id: 'b', session_token: token }));
    expect((await answerOf(again)).error).toBeUndefined();
  });

  test('have no limit without credentials', async () => {
    const service = openService();
    const session = await service.open();
    for (let at = 0; at < 5; at += 1)
      expect((await answerOf(await service.post(start, session))).error).toBeUndefined();
  });
});

test('are counted again after a while, so that ended sessions make room', async () => {
  let [nowMs, active] = [1, 2];
  const quota = createSessionQuota({
    sessionRate: 0,
    maxOpenSessions: 3,
    countOf: () => Promise.resolve({ active, blocked: 0, parked: 0, completed: 9 }),
    now: () => nowMs,
  });
  await quota('ann');
  await expect(quota('ann')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  [nowMs, active] = [5_002, 1];
  await quota('ann');
});

describe('the streams of one principal', () => {
  const listen = (service: ReturnType<typeof openShared>, headers: Record<string, string>) =>
    service.fetch('/mcp', { headers: { accept: 'text/event-stream', ...headers } });

  test('are at most a quarter of all, without limiting others', async () => {
    const service = openShared('--max-streams', '8');
    const [ann, bob] = [await service.enter('ann'), await service.enter('bob')];
    const own = [await listen(service, ann.session), await listen(service, ann.session)];
    expect(own.map(({ status }) => status)).toEqual([200, 200]);
    const beyond = await listen(service, ann.session);
    expect([beyond.status, beyond.headers.get('retry-after')]).toEqual([429, '5']);
    const other = await listen(service, bob.session);
    expect(other.status).toBe(200);
    await own[0]?.body?.cancel();
    expect((await listen(service, ann.session)).status).toBe(200);
  });

  test('are also counted for clients of the revision 2026-07-28', async () => {
    const service = openShared('--max-streams', '4');
    const credential = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
    const subscribe = () => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const params = { notifications: { resourcesListChanged: true }, _meta: meta };
      return service.post(rpc('subscriptions/listen', params), {
        ...credential,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      });
    };
    const first = await subscribe();
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await subscribe()).toMatchObject({ status: 429 });
    await first.body?.cancel();
    expect(await subscribe()).toMatchObject({ status: 200 });
  });
});
