import { expect, test } from 'vitest';
import { mountFixtures } from '../support/conformance/mount-fixtures.ts';
import { eventsOf, messageOf, posting, request, keyRing, url } from './web.ts';

/** Opens an HTTP session with the fixtures, which are another server of the SDK. */
async function open(capabilities: object = {}) {
  const logged: string[] = [];
  const handler = mountFixtures({
    keys: () => Promise.resolve(keyRing(1)),
    version: '1.2.3',
    onError: (error) => logged.push(String(error)),
  });
  const caller = { principal: 'ann' };
  const send = (body: object, headers = {}): Promise<Response> =>
    handler.fetch(new Request(url, posting(body, headers)), { caller });
  const opened = await send(request('initialize', { protocolVersion: '2025-06-18', capabilities }));
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  return { post: (body: object, headers = {}) => send(body, { ...session, ...headers }), logged };
}

const call = (name: string, more: object = {}): object => request('tools/call', { name, ...more }, name);

test('Messages that a server sends during a request come with its answer', async () => {
  const { post } = await open();
  const progressing = await post(call('test_tool_with_progress', { _meta: { progressToken: 'p' } }));
  const talking = await post(call('test_tool_with_logging'));
  const [progress, talk] = [eventsOf(progressing), eventsOf(talking)];
  for (const done of [0, 50, 100])
    expect((await progress.next())?.message).toMatchObject({
      params: { progressToken: 'p', progress: done },
    });
  expect((await progress.next())?.message).toMatchObject({ id: 'test_tool_with_progress' });
  expect(await progress.next()).toBeUndefined();
  expect((await talk.next())?.message).toMatchObject({ params: { data: 'Tool execution started' } });
});

test('A client that accepts no stream gets only the answer', async () => {
  const { post } = await open();
  const response = await post(call('test_tool_with_logging'), { accept: 'application/json' });
  expect(await messageOf(response)).toMatchObject({ result: { content: [{ text: 'Done' }] } });
});

test('The answer of the client to an elicitation reaches the server that asked', async () => {
  const { post, logged } = await open({ elicitation: {} });
  const events = eventsOf(await post(call('test_elicitation', { arguments: { message: 'Who?' } })));
  const question = (await events.next())?.message;
  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
  const content = { username: 'ann', email: 'ann@example.com' };
  await post({ jsonrpc: '2.0', id: question?.id, result: { action: 'accept', content } });
  expect(JSON.stringify((await events.next())?.message)).toContain('ann@example.com');
  expect(logged).toEqual([]);
});

test('A client that did not declare elicitation is not asked', async () => {
  const { post } = await open();
  const response = await post(call('test_elicitation', { arguments: { message: 'Who?' } }));
  expect(await messageOf(response)).toMatchObject({ result: { isError: true } });
});
