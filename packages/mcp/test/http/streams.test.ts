import { describe, expect, test } from 'vitest';
import { askTool } from '../support/ask-tool.ts';
import { reviewFlow } from '../support/flow.ts';
import { testTool } from '../support/test-tool.ts';
import type { Session, Web } from './web.ts';
import { eventsOf, messageOf, openWeb, request } from './web.ts';

const asking = { elicitation: {} };
const chosen = { action: 'accept', content: { choice: 'merge' } };
const ask = request('tools/call', { name: 'ask_me', arguments: {} }, 'asks');

const listen = (web: Web, session: Session, more: Readonly<Record<string, string>> = {}) =>
  web.fetch({ headers: { ...session, accept: 'text/event-stream', ...more } });

async function askOver(version: string) {
  const web = openWeb([], { tools: [askTool] });
  const session = await web.open(version, asking);
  const response = await web.post(ask, session);
  return { web, session, response, events: eventsOf(response) };
}

describe('a stream that answers a request', () => {
  test('sends the question to the person, and then the answer', async () => {
    const { web, session, response, events } = await askOver('2025-06-18');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const question = (await events.next())?.message;
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Merge it?' } });
    const accepted = await web.post({ jsonrpc: '2.0', id: question?.id, result: chosen }, session);
    expect(accepted.status).toBe(202);
    expect((await events.next())?.message).toMatchObject({
      id: 'asks',
      result: { content: [{ text: 'chosen: merge' }] },
    });
    expect(await events.next()).toBeUndefined();
  });

  test('starts with an event id in version 2025-11-25, for resumption', async () => {
    const { events } = await askOver('2025-11-25');
    expect(await events.next()).toEqual({ id: expect.stringMatching(/^\S+\.1$/) });
  });

  test('is resumed where its client lost it, without missing or repeated messages', async () => {
    const { web, session, events } = await askOver('2025-11-25');
    await events.next();
    const last = await events.next();
    await events.cancel();
    await web.post({ jsonrpc: '2.0', id: last?.message?.id, result: chosen }, session);
    const again = eventsOf(await listen(web, session, { 'last-event-id': last?.id ?? '' }));
    expect((await again.next())?.message).toMatchObject({ id: 'asks', result: {} });
    expect(await again.next()).toBeUndefined();
  });

  test('is not opened if the client accepts no streams, and then nobody is asked', async () => {
    const web = openWeb([], { tools: [askTool] });
    const session = await web.open('2025-11-25', asking);
    const response = await web.post(ask, { ...session, accept: 'application/json' });
    expect(await messageOf(response)).toMatchObject({ result: { content: [{ text: 'nobody to ask' }] } });
  });

  test('opens for a call that waits, and ends without an answer when the call is cancelled', async () => {
    const wait = testTool(
      'wait',
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ text: 'ended' }), { once: true });
        }),
      { waits: () => true },
    );
    const web = openWeb([], { tools: [wait] });
    const session = await web.open('2025-06-18');
    const events = eventsOf(await web.post(request('wait', {}, 'w'), session));
    const params = { requestId: 'w' };
    await web.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, session);
    expect(await events.next()).toBeUndefined();
  });

  test('ends with the session, and the waiting call is answered', async () => {
    const { web, session, events } = await askOver('2025-06-18');
    await events.next();
    await web.fetch({ method: 'DELETE', headers: session });
    const { message } = (await events.next()) ?? {};
    expect(message).toMatchObject({ method: 'notifications/cancelled' });
    expect((await events.next())?.message).toMatchObject({
      result: { content: [{ text: 'chosen: nothing' }] },
    });
    expect(await events.next()).toBeUndefined();
  });
});

describe('a listening stream', () => {
  test('is notified of changed definitions, with each message on one stream', async () => {
    const web = openWeb([reviewFlow]);
    const session = await web.open('2025-06-18');
    const older = eventsOf(await listen(web, session));
    const newer = eventsOf(await listen(web, session));
    expect(web.handler.counts().streams).toBe(2);
    await web.post(request('resources/list'), session);
    web.workflows.set({ ...reviewFlow, digest: 'other' });
    expect((await newer.next())?.message).toMatchObject({ method: 'notifications/resources/list_changed' });
    await newer.cancel();
    await older.cancel();
    expect(web.handler.counts().streams).toBe(0);
  });

  test('is not opened beyond the limit', async () => {
    const web = openWeb([], { limits: { maxStreams: 1 } });
    const session = await web.open();
    const first = await listen(web, session);
    const second = await listen(web, session);
    expect([first.status, second.status]).toEqual([200, 503]);
    expect(second.headers.get('retry-after')).toBe('5');
  });

  test('is replaced by single bodies beyond the limit, and nobody is asked', async () => {
    const web = openWeb([], { tools: [askTool], limits: { maxStreams: 1 } });
    const session = await web.open('2025-11-25', asking);
    const listening = await listen(web, session);
    const response = await web.post(ask, session);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await messageOf(response)).toMatchObject({ result: { content: [{ text: 'nobody to ask' }] } });
    await listening.body?.cancel();
  });

  test('ends when the server closes', async () => {
    const web = openWeb();
    const events = eventsOf(await listen(web, await web.open('2025-06-18')));
    await web.handler.close();
    expect(await events.next()).toBeUndefined();
  });
});
