import { servicesOver } from '../support/services.ts';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, test } from 'vitest';
import { reviewFlow, workflow } from '../support/flow.ts';
import { serve } from '../support/streams.ts';

/** The `_meta` of a request in revision 2026-07-28. */
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/skills': {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
};
const speak = (params: object = {}) => ({ ...params, _meta: meta });

describe('the revision 2026-07-28', () => {
  test('is discovered without a handshake, with cacheable results', async () => {
    const session = serve([reviewFlow]);
    expect((await session.request('server/discover', speak())).result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        extensions: { 'io.modelcontextprotocol/skills': {} },
      },
      instructions: expect.stringContaining('workflow_next'),
      ttlMs: expect.any(Number),
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'workflowlookup', version: '1.2.3' } },
    });
  });

  test.each(['tools/list', 'resources/list', 'prompts/list', 'resources/templates/list'])(
    'says for %s how long the result may be cached',
    async (method) => {
      const { result } = await serve([reviewFlow]).request(method, speak());
      expect(result).toMatchObject({
        ttlMs: expect.any(Number),
        cacheScope: expect.stringMatching(/^(public|private)$/),
      });
    },
  );

  test.each(['workflow_list', 'workflow_get', 'ping', 'shutdown'])(
    'does not have the method %s',
    async (method) => {
      const { error } = await serve([reviewFlow]).request(method, speak({ id: 'review-flow' }));
      expect(error?.code).toBe(-32601);
    },
  );

  test('refuses an unknown revision with its own code', async () => {
    const params = { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } };
    const { error } = await serve([]).request('tools/list', params);
    expect(error).toMatchObject({ code: -32022, data: { requested: '2099-01-01' } });
  });

  test('never uses the code -32002: a broken workflow is a tool error, a missing resource -32602', async () => {
    const issue = {
      severity: 'error',
      code: 'wrong-value',
      pointer: '',
      message: 'bad',
      line: 1,
      column: 1,
    } as const;
    const broken = {
      id: 'broken',
      file: 'broken.json',
      severity: 'error',
      code: 'INVALID_WORKFLOW',
      issues: [issue],
    } as const;
    const workflows = { ...createMemoryStore([]), problems: () => Promise.resolve([broken]) };
    const session = serve([], { services: servicesOver(workflows) });
    const called = await session.request(
      'tools/call',
      speak({ name: 'workflow_get', arguments: { id: 'broken' } }),
    );
    expect(called.result).toMatchObject({
      isError: true,
      _meta: { 'workflowlookup/error': { code: -32002, name: 'INVALID_WORKFLOW' } },
    });
    const read = await session.request('resources/read', speak({ uri: 'workflow://nope-nope' }));
    expect(read.error?.code).toBe(-32602);
  });

  test('answers requests when they are finished, not in order', async () => {
    const session = serve([reviewFlow]);
    session.send(
      ...['a', 'b', 'c'].map((id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: speak({ name: 'workflow_list', arguments: {} }),
      })),
    );
    await session.end();
    expect(new Set(session.messages.map(({ id }) => id))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('notifies a listener of a changed workflow, but only if it subscribed to it', async () => {
    const store = createMemoryStore([reviewFlow]);
    const session = serve([], { services: servicesOver(store) });
    const notifications = { resourceSubscriptions: ['workflow://review-flow'] };
    session.send({
      jsonrpc: '2.0',
      id: 'ear',
      method: 'subscriptions/listen',
      params: speak({ notifications }),
    });
    expect(await session.reply(1)).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    store.set(workflow({ ...reviewFlow.definition, id: 'other-flow' }));
    store.set(workflow({ ...reviewFlow.definition, name: 'Renamed' }));
    await session.request('tools/list', speak());
    await session.end();
    const heard = session.messages.filter(({ method }) => method?.startsWith('notifications/resources'));
    expect(heard).toMatchObject([
      { method: 'notifications/resources/updated', params: { uri: 'workflow://review-flow' } },
    ]);
  });
});

test('Tools are listed and called in the same way in both revisions', async () => {
  const older = serve([reviewFlow]);
  await older.open();
  const newer = serve([reviewFlow]);
  const listed = await older.request('tools/list');
  expect((await newer.request('tools/list', speak())).result?.['tools']).toEqual(listed.result?.['tools']);
  for (const args of [{ id: 'review-flow' }, { id: 'nope-nope' }, { id: 7 }]) {
    const call = { name: 'workflow_get', arguments: args };
    const {
      resultType: _type,
      _meta: newerMeta,
      ...newerAnswer
    } = (await newer.request('tools/call', speak(call))).result ?? {};
    const { _meta: olderMeta, ...olderAnswer } = (await older.request('tools/call', call)).result ?? {};
    expect(newerAnswer).toEqual(olderAnswer);
    expect((newerMeta as Record<string, unknown>)['workflowlookup/error']).toEqual(
      (olderMeta as Record<string, unknown> | undefined)?.['workflowlookup/error'],
    );
  }
});

describe('the skills', () => {
  test('include each workflow with instructions for following it', async () => {
    const session = serve([reviewFlow]);
    const { result } = await session.request('skills/list', speak());
    expect(result?.['skills']).toMatchObject([{ uri: 'skill://review-flow/SKILL.md' }]);
    const entry = await session.request('skills/get', speak({ uri: 'skill://review-flow/SKILL.md' }));
    expect(JSON.stringify(entry.result)).toContain('review-flow');
    const read = await session.request('resources/read', speak({ uri: 'skill://review-flow/SKILL.md' }));
    expect(JSON.stringify(read.result)).toContain('workflow_next');
    expect(
      (await session.request('resources/read', speak({ uri: 'skill://nope-nope/SKILL.md' }))).error?.code,
    ).toBe(-32602);
  });
});
