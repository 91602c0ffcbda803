import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, test } from 'vitest';
import { CallInProgress } from '../../src/json-rpc/connection.ts';
import { servicesOver } from '../support/services.ts';
import { serve } from '../support/streams.ts';
import { testTool } from '../support/test-tool.ts';

/** Creates a tool that waits for `tell`, or for its signal if it heeds that, and answers which of them ended its wait. */
function waitingTool(settings: { readonly heeds: boolean }) {
  let settle: (answer: string) => void = () => undefined;
  let started: () => void = () => undefined;
  const hasStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const tool = testTool(
    'wait_here',
    async ({ signal }) => {
      const answer = new Promise<string>((resolve) => {
        settle = resolve;
        if (signal.aborted && settings.heeds) resolve('ended');
        if (settings.heeds) signal.addEventListener('abort', () => resolve('ended'), { once: true });
      });
      started();
      return { text: await answer };
    },
    { waits: (args) => (args as { briefly?: boolean }).briefly !== true },
  );
  return { tool, hasStarted, tell: (answer: string) => settle(answer) };
}

async function open(settings = { heeds: true }) {
  const waiting = waitingTool(settings);
  const quick = testTool('be_quick', () => Promise.resolve({ text: 'done' }));
  const session = serve([], { tools: [waiting.tool, quick] });
  await session.open();
  const call = (id: string, name: string, args: object = {}) =>
    session.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  const ids = () => session.messages.slice(1).map(({ id }) => id);
  return { ...waiting, session, call, ids };
}

describe('a call that waits for a person', () => {
  test.each(['tools/call', 'wait_here'])('by %s does not block later calls', async (method) => {
    const { session, call, tell, ids } = await open();
    call('before', 'be_quick');
    session.send({ jsonrpc: '2.0', id: 'waits', method, params: { name: 'wait_here', arguments: {} } });
    call('after', 'be_quick');
    expect((await session.reply(3)).id).toBe('after');
    tell('yes');
    expect(await session.reply(4)).toMatchObject({ id: 'waits' });
    expect(ids()).toEqual(['before', 'after', 'waits']);
  });

  test('is answered in order if its arguments do not make it wait', async () => {
    const { session, call, tell, hasStarted, ids } = await open();
    call('waits', 'wait_here', { briefly: true });
    call('after', 'be_quick');
    await hasStarted;
    await session.request('ping');
    expect(ids()).not.toContain('after');
    tell('yes');
    await session.reply(4);
    expect(ids().slice(1)).toEqual(['waits', 'after']);
  });

  test('is notified when it is cancelled, and gets no reply', async () => {
    const { session, call, hasStarted, ids } = await open();
    call('waits', 'wait_here');
    await hasStarted;
    session.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'waits' } });
    call('after', 'be_quick');
    await session.end();
    expect(ids()).toEqual(['after']);
  });

  test('is ended and answered at the end of input', async () => {
    const { session, call, hasStarted, ids } = await open();
    call('before', 'be_quick');
    call('waits', 'wait_here');
    await hasStarted;
    await session.end();
    expect(ids()).toEqual(['before', 'waits']);
    expect(session.messages.at(-1)?.result).toEqual({ content: [{ type: 'text', text: 'ended' }] });
  });

  test('is ended at once if it only begins after the end of input', async () => {
    let load: () => void = () => undefined;
    const loaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    const { tool } = waitingTool({ heeds: true });
    const services = servicesOver(createMemoryStore([]));
    const session = serve([], { tools: [tool], services: () => loaded.then(services) });
    await session.open();
    session.send({ jsonrpc: '2.0', id: 'waits', method: 'wait_here' });
    await session.request('ping');
    const stopped = session.service.stop();
    load();
    await stopped;
    expect(session.messages.at(-1)).toMatchObject({ id: 'waits', result: { text: 'ended' } });
  });

  test('is answered before shutdown', async () => {
    const { session, call, ids } = await open();
    call('waits', 'wait_here');
    session.send({ jsonrpc: '2.0', id: 'bye', method: 'shutdown' });
    await session.service.ended;
    expect(ids()).toEqual(['waits', 'bye']);
  });

  test('delays neither shutdown nor the end of input if it ignores its signal', async () => {
    const { session, call, hasStarted, ids } = await open({ heeds: false });
    call('waits', 'wait_here');
    await hasStarted;
    session.send({ jsonrpc: '2.0', id: 'bye', method: 'shutdown' });
    await session.service.ended;
    expect(ids()).toEqual(['waits', 'bye']);
  });

  test('is ended in version 2026-07-28 by a cancellation and by the end of input', async () => {
    for (const end of ['cancel', 'input'] as const) {
      const { session, hasStarted } = await open();
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      };
      session.send({
        jsonrpc: '2.0',
        id: 'waits',
        method: 'tools/call',
        params: { name: 'wait_here', arguments: {}, _meta: meta },
      });
      await hasStarted;
      if (end === 'cancel')
        session.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'waits' } });
      await session.end();
      const replies = session.messages.filter(({ id }) => id === 'waits');
      expect(replies).toHaveLength(end === 'cancel' ? 0 : 1);
      expect(session.logged).toEqual([]);
    }
  });
});

test('a tool that throws because its call was ended is not logged as a failure', async () => {
  const tool = testTool(
    'wait_here',
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        const fail = () => reject(new Error('aborted'));
        if (signal.aborted) fail();
        else signal.addEventListener('abort', fail, { once: true });
      }),
    { waits: () => true },
  );
  const session = serve([], { tools: [tool] });
  await session.open();
  session.send({ jsonrpc: '2.0', id: 'waits', method: 'wait_here' });
  await session.end();
  expect(session.messages.at(-1)).toMatchObject({ id: 'waits', error: { code: -32000 } });
  expect(session.logged).toEqual([]);
});

test('A call in progress is aborted by its outer signal until it has finished', () => {
  const outer = new AbortController();
  const [running, finished] = [new CallInProgress(outer.signal), new CallInProgress(outer.signal)];
  finished.finish();
  outer.abort();
  expect([running.signal.aborted, finished.signal.aborted]).toEqual([true, false]);
});
