import { describe, expect, test } from 'vitest';
import { messages } from '../../src/messages.ts';
import { askTool } from '../support/ask-tool.ts';
import { reviewFlow } from '../support/flow.ts';
import type { Web } from './web.ts';
import { eventsOf, messageOf, openWeb, request } from './web.ts';

const capabilities = { elicitation: { form: {} } };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
};

interface Said {
  readonly params?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly principal?: string;
}

function speak(web: Web, method: string, { params = {}, headers = {}, principal = 'ann' }: Said = {}) {
  const own = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers };
  return web.post(request(method, { ...params, _meta: meta }), own, { principal });
}

describe('the revision 2026-07-28 over HTTP', () => {
  test('supports discovery, and serves each request separately', async () => {
    const web = openWeb([reviewFlow]);
    const discovered = await speak(web, 'server/discover');
    expect(discovered.headers.get('mcp-session-id')).toBeNull();
    expect((await messageOf(discovered)).result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      ttlMs: expect.any(Number),
      cacheScope: 'public',
    });
    const params = { name: 'workflow_list', arguments: {} };
    const called = await speak(web, 'tools/call', { params, headers: { 'mcp-name': 'workflow_list' } });
    expect((await messageOf(called)).result).toMatchObject({
      resultType: 'complete',
      structuredContent: { workflows: [{ id: 'review-flow' }] },
    });
  });

  test.each<[status: number, code: number, what: string, (web: Web) => Promise<Response>]>([
    [
      400,
      -32602,
      'a URI that no resource could have',
      (web) => speak(web, 'resources/read', { params: { uri: `workflow://${'x'.repeat(1_000_001)}` } }),
    ],
    [404, -32601, 'a direct method', (web) => speak(web, 'workflow_list')],
    [
      400,
      -32020,
      'a header that names another method',
      (web) => speak(web, 'tools/list', { headers: { 'mcp-method': 'ping' } }),
    ],
    [
      400,
      -32020,
      'a call without its name in a header',
      (web) => speak(web, 'tools/call', { params: { name: 'workflow_list' } }),
    ],
    [
      400,
      -32020,
      'a header of another version',
      (web) => speak(web, 'tools/list', { headers: { 'mcp-protocol-version': '2025-11-25' } }),
    ],
    [
      400,
      -32602,
      'a header without what the body must say',
      (web) => web.post(request('tools/list'), { 'mcp-protocol-version': '2026-07-28' }),
    ],
  ])('answers with the status %i and the code %i to %s', async (status, code, _what, send) => {
    const response = await send(openWeb([reviewFlow]));
    expect([response.status, (await messageOf(response)).error?.code]).toEqual([status, code]);
  });

  test('refuses an unknown revision', async () => {
    const version = '2099-01-01';
    const params = { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': version } };
    const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' };
    const response = await openWeb().post(request('tools/list', params), headers);
    expect(response.status).toBe(400);
    expect((await messageOf(response)).error).toMatchObject({ code: -32022, data: { requested: version } });
  });

  test('never uses the code -32002: a missing resource is -32602', async () => {
    const uri = 'workflow://none';
    const response = await speak(openWeb(), 'resources/read', {
      params: { uri },
      headers: { 'mcp-name': uri },
    });
    expect((await messageOf(response)).error?.code).toBe(-32602);
  });

  test('notifies listeners of changes, after an acknowledgement', async () => {
    const web = openWeb([reviewFlow]);
    const params = { notifications: { resourcesListChanged: true } };
    const events = eventsOf(await speak(web, 'subscriptions/listen', { params }));
    expect((await events.next())?.message?.method).toBe('notifications/subscriptions/acknowledged');
    web.workflows.set({ ...reviewFlow, digest: 'other' });
    expect((await events.next())?.message?.method).toBe('notifications/resources/list_changed');
    await events.cancel();
  });

  test('accepts a repeated call with the answer, but not with the state of another caller', async () => {
    const web = openWeb([], { tools: [askTool] });
    const params = { name: 'ask_me', arguments: {} };
    const headers = { 'mcp-name': 'ask_me' };
    const { result } = await messageOf(await speak(web, 'tools/call', { params, headers }));
    expect(result).toMatchObject({ resultType: 'input_required' });
    const again = {
      ...params,
      requestState: result?.['requestState'],
      inputResponses: { choice: { action: 'accept', content: { choice: 'merge' } } },
    };
    const other = await messageOf(
      await speak(web, 'tools/call', { params: again, headers, principal: 'bob' }),
    );
    expect(other.error).toMatchObject({ code: -32602, data: { details: messages.stateForged() } });
    const answered = await messageOf(await speak(web, 'tools/call', { params: again, headers }));
    expect(answered.result).toMatchObject({ content: [{ text: 'chosen: merge' }] });
  });

  test('logs an internal failure and shows no details of it', async () => {
    const web = openWeb([], { keys: () => Promise.reject(new Error('the disk is gone')) });
    const response = await speak(web, 'tools/list');
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('disk')]);
    expect(web.logged.join()).toContain('the disk is gone');
  });
});
