import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openKeyBrowser } from '../support/browser.ts';
import { answerOf, bearer, openServiceWith, posting, rpc } from '../support/service.ts';

const proxy = '10.1.2.3';

/** Opens a server behind a proxy, with an audit log. */
function openAudited(...flags: readonly string[]) {
  const files: string[] = [];
  const service = openServiceWith({ audit: files }, '--auth', 'keys', '--trusted-proxy', proxy, ...flags);
  const [file = ''] = files;
  const text = (): string => readFileSync(file, 'utf8');
  const entries = () =>
    text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
  const send = (body: object, headers: Readonly<Record<string, string>>) =>
    service.service.app.fetch(
      new Request(
        'http://127.0.0.1:8420/mcp',
        posting(body, { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'r-1', ...headers }),
      ),
      proxy,
    );
  return { ...service, entries, text, send };
}

describe('the audit log', () => {
  test('records who started, read and ended a session, with the key and the address', async () => {
    const { key, open, send, entries, text } = openAudited();
    const secret = await key({ principal: 'ann', scopes: ['read', 'write'] });
    const id = secret.slice(4, 16);
    const session = await open(bearer(secret));
    const begin = await answerOf(
      await send(rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' }), session),
    );
    const { session_id: sid, session_token: token } = begin.result as Record<string, string>;
    await send(rpc('get_workflow_status', { session_token: token }), session);
    await send(rpc('get_workflow_status', { session_token: 'wl_forged' }), session);
    const who = { channel: 'mcp', principal: 'ann', key: id, address: '203.0.113.7', request: 'r-1' };
    expect(entries()).toMatchObject([
      { action: 'key.create', outcome: 'done', channel: 'cli', target: expect.stringContaining(id) },
      { action: 'session.start', outcome: 'done', ...who, session: sid, via: 'start_session' },
      { action: 'call', outcome: 'done', ...who, session: sid, via: 'start_session' },
      { action: 'read', outcome: 'done', ...who, session: sid, via: 'get_workflow_status' },
      { action: 'read', outcome: 'refused', code: 'TOKEN_INVALID', ...who, via: 'get_workflow_status' },
    ]);
    expect(entries().at(-1)).not.toHaveProperty('session');
    expect(text()).not.toContain(secret.slice(-43));
    expect(text()).not.toMatch(/wl_/);
  });

  test('records refused requests, with a limit for each address', async () => {
    const { key, send, entries, revoke } = openAudited('--auth-failures', '2');
    const secret = await key({ principal: 'old', scopes: ['read'] });
    const id = secret.slice(4, 16);
    const session = { 'mcp-session-id': 'x' };
    await send(rpc('start_session', { agent_id: 'a' }), { ...bearer(secret), ...session });
    await revoke(id);
    for (let at = 0; at < 20; at += 1) await send(rpc('ping'), bearer(secret));
    for (let at = 0; at < 20; at += 1) await send(rpc('ping'), bearer(`wrong-${at}`));
    const refused = entries().filter(({ outcome }) => outcome === 'refused');
    expect(refused).toMatchObject([
      { action: 'call', code: 'insufficient_scope', principal: 'old', key: id, via: 'start_session' },
      { action: 'authenticate', code: 'invalid_token', key: id, address: '203.0.113.7' },
      { action: 'authenticate', code: 'invalid_token', key: id },
      { action: 'authenticate', code: 'invalid_token' },
      { action: 'authenticate', code: 'invalid_token' },
    ]);
    expect(entries().find(({ action }) => action === 'key.revoke')).toMatchObject({ target: id });
  });

  test('records sign-ins to the console, reads, exports and answers', async () => {
    const service = openAudited();
    const agent = await service.key({ principal: 'team', scopes: ['read', 'write'] });
    const session = await service.open(bearer(agent));
    const begin = await answerOf(
      await service.send(rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' }), session),
    );
    const sid = String(begin.result?.['session_id']);
    const secret = await service.key({ principal: 'team', scopes: ['read', 'checkpoints:respond'] });
    const id = secret.slice(4, 16);
    const before = service.entries().length;
    const browser = await openKeyBrowser(service, secret);
    await (await browser.get(`/sessions/${sid}`)).text();
    await (await browser.get(`/sessions/${sid}/export`)).text();
    await browser.send('POST', '/sign-in', { key: 'wlk_nothing' });
    await browser.send('POST', '/sign-out');
    const who = { channel: 'console', principal: 'team', key: id, person: `team (key ${id})` };
    const found = service.entries().slice(before);
    expect(found[0]).toMatchObject({ action: 'sign-in', outcome: 'done', ...who });
    expect(found).toContainEqual(
      expect.objectContaining({ action: 'read', outcome: 'done', session: sid, via: 'GET sessions', ...who }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ action: 'export', outcome: 'done', session: sid, ...who }),
    );
    expect(found.slice(-2)).toMatchObject([
      { action: 'sign-in', outcome: 'refused' },
      { action: 'sign-out', outcome: 'done', ...who },
    ]);
  });

  test('records which credential tried to answer or to trust in the console without permission', async () => {
    const service = openAudited();
    const agent = await service.key({ principal: 'team', scopes: ['read', 'write'] });
    const session = await service.open(bearer(agent));
    const begin = await answerOf(
      await service.send(rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' }), session),
    );
    const sid = String(begin.result?.['session_id']);
    const browser = await openKeyBrowser(service, agent);
    const before = service.entries().length;
    const answer = { mode: { kind: 'option', option: 'yes' }, revision: 1 };
    expect((await browser.send('POST', `/sessions/${sid}/answer`, answer)).status).toBe(403);
    const trust = { source: 'project', file: 'a.yaml', digest: 'sha256:0' };
    expect((await browser.send('POST', '/trust', trust)).status).toBe(403);
    const refused = { outcome: 'refused', code: 'FORBIDDEN', channel: 'console', key: agent.slice(4, 16) };
    expect(service.entries().slice(before)).toMatchObject([
      { action: 'answer', session: sid, ...refused },
      { action: 'trust', ...refused },
    ]);
  });

  test('records refused session tokens of the console', async () => {
    const service = openAudited();
    const secret = await service.key({ principal: 'team', scopes: ['read'] });
    const id = secret.slice(4, 16);
    const browser = await openKeyBrowser(service, secret);
    await service.revoke(id);
    const before = service.entries().length;
    expect((await browser.get('/sessions')).status).toBe(401);
    expect((await browser.get('/sessions', bearer('wrong'))).status).toBe(401);
    expect((await browser.get('/me', bearer('wrong'))).status).toBe(200);
    const refused = { action: 'authenticate', outcome: 'refused', channel: 'console', code: 'TOKEN_INVALID' };
    expect(service.entries().slice(before)).toMatchObject([{ ...refused, key: id }, refused, refused]);
  });

  test('does not delay requests if it cannot be written, and the server logs that once', async () => {
    const service = openServiceWith(
      { audit: [], auditPlace: join('/dev', 'null', 'audit') },
      '--auth',
      'keys',
    );
    const secret = await service.key({ principal: 'ann', scopes: ['read', 'write'] });
    const session = await service.open(bearer(secret));
    for (let at = 0; at < 3; at += 1)
      expect((await service.post(rpc('list_workflows'), session)).status).toBe(200);
    expect(service.logged.filter((line) => line.includes('"audit_lost"'))).toHaveLength(1);
    const metrics = await (await service.fetch('/metrics', { headers: bearer(secret) })).text();
    expect(metrics).toContain('workflowlookup_audit_failing 1');
  });
});
