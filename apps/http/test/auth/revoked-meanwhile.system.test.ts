import { describe, expect, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { answerOf, bearer, openService, posting, rpc } from '../support/service.ts';

/**
 * Opens a server on which an agent, with its own key, has yielded a checkpoint. `wait` has the arguments to wait for
 * the answer.
 */
async function waiting() {
  const service = openService('--auth', 'keys');
  const secret = await service.key({ principal: 'ann', scopes: ['read', 'write'] });
  const headers = await service.open(bearer(secret), '2025-06-18');
  const call = async (method: string, params: object) => {
    const { result } = await answerOf(await service.post(rpc(method, params), headers));
    const meta = result?.['_meta'] as { session_token: string } | undefined;
    return { session_token: result?.['session_token'] ?? meta?.session_token };
  };
  const started = await call('start_session', { agent_id: 'a', workflow_id: 'review-flow' });
  const first = await call('next_activity', started);
  const second = await call('next_activity', {
    ...first,
    step_manifest: [{ step_id: 'read-it', output: 'Read' }],
  });
  const stopped = await call('yield_checkpoint', { ...second, checkpoint_id: 'confirm' });
  const revoke = (): Promise<void> => service.revoke(secret.split('_')[1] ?? '');
  return { service, headers, revoke, wait: { ...stopped, wait_ms: 20_000 } };
}

/** Returns the text of a stream, read until the server ends it. */
async function restOf(response: Response): Promise<string> {
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return response.text();
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function listen(service: TestService, headers: Readonly<Record<string, string>>): Promise<Response> {
  const { authorization = '' } = headers;
  const own = { authorization, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
  const params = { _meta: modern, notifications: { resourcesListChanged: true } };
  return service.post(rpc('subscriptions/listen', params), own);
}

describe('the revocation of a key', () => {
  test('makes a waiting call fail', async () => {
    const { service, headers, revoke, wait } = await waiting();
    const init = posting(rpc('resume_checkpoint', wait), { ...headers, accept: 'application/json' });
    const response = service.fetch('/mcp', init);
    await revoke();
    expect((await response).status).toBe(401);
  });

  test('ends a stream with a waiting call without a reply, and all other streams of the key', async () => {
    const { service, headers, revoke, wait } = await waiting();
    const streams = [
      await service.post(rpc('resume_checkpoint', wait), headers),
      await service.fetch('/mcp', { headers: { ...headers, accept: 'text/event-stream' } }),
      await listen(service, headers),
    ].map(restOf);
    await revoke();
    const [reply, , changes] = await Promise.all(streams);
    expect(reply).not.toContain('"id":1');
    expect(changes).not.toContain('"result"');
  });

  test('does not end the streams of other keys', async () => {
    const { service, revoke } = await waiting();
    const other = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
    const headers = await service.open(other, '2025-06-18');
    const stream = await service.fetch('/mcp', { headers: { ...headers, accept: 'text/event-stream' } });
    const reader = stream.body?.getReader();
    const ended = reader?.read().then(() => 'ended');
    await revoke();
    const later = new Promise((resolve) => setTimeout(resolve, 5_000, 'open'));
    expect(await Promise.race([ended, later])).toBe('open');
    await reader?.cancel();
  });
});
