import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts';
import type { TestService } from '../support/service.ts';
import { answerOf, bearer, openServiceWith, rpc } from '../support/service.ts';
import type { ReceivedSpan, Receiver } from '../support/otlp-receiver.ts';
import { openReceiver } from '../support/otlp-receiver.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A server with tracing, and the receiver of its spans. */
interface Traced extends TestService {
  /** Stops the server, and returns the spans that it sent. */
  spans(): Promise<readonly ReceivedSpan[]>;
  readonly receiver: Receiver;
}

async function openTraced(...flags: readonly string[]): Promise<Traced> {
  const receiver = await openReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url);
  const telemetry = (log: Parameters<typeof openTelemetry>[0]['log']) =>
    openTelemetry({ version: '1.2.3', database: 'sqlite', log });
  const server = openServiceWith({ telemetry }, ...flags);
  return {
    ...server,
    receiver,
    async spans() {
      await server.service.drain();
      await server.service.close();
      return receiver.spans;
    },
  };
}

const remote = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const other = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const parentOf = ({ traceId, spanId }: typeof remote, flags = '01') => `00-${traceId}-${spanId}-${flags}`;

/** Calls a tool as a client of 2026-07-28. */
function callModern({ post }: TestService, name: string, { args = {}, meta = {}, headers = {} } = {}) {
  const said = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  return post(rpc('tools/call', { name, arguments: args, _meta: said }), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...headers,
  });
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0] as ReceivedSpan;
};

describe('the span of a request', () => {
  test('has the call as a child, and each use of the database as a child of that', async () => {
    const traced = await openTraced();
    const session = await traced.open();
    await traced.post(rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' }), session);
    const spans = await traced.spans();
    const call = named(spans, 'start_session');
    const request = spans.find(({ spanId }) => spanId === call.parentSpanId);
    expect(request).toMatchObject({ name: 'POST /mcp', kind: 2, traceId: call.traceId, links: [] });
    expect(request).not.toHaveProperty('parentSpanId');
    expect(request?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/mcp',
      'http.response.status_code': 200,
      'url.path': '/mcp',
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': 8420,
    });
    expect(call).toMatchObject({ kind: 2, links: [] });
    expect(call.attributes).toEqual({
      'mcp.method.name': 'start_session',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'start_session',
      'network.protocol.name': 'http',
      'network.transport': 'tcp',
    });
    const create = named(spans, 'create sessions');
    expect(create).toMatchObject({ kind: 3, traceId: call.traceId, parentSpanId: call.spanId });
    expect(create.attributes).toEqual({ 'db.system.name': 'sqlite', 'db.operation.name': 'create' });
    expect(traced.receiver.resource).toMatchObject({
      'service.name': 'workflowlookup-http',
      'service.version': '1.2.3',
    });
  });

  test('continues the trace in its headers, and its id is in the log', async () => {
    const traced = await openTraced();
    const headers = { traceparent: parentOf(remote), tracestate: 'vendor=here' };
    await traced.post(rpc('workflow_list'), { ...(await traced.open()), ...headers });
    const spans = await traced.spans();
    const call = named(spans, 'workflow_list');
    expect(call).toMatchObject({ traceId: remote.traceId, traceState: 'vendor=here' });
    const request = spans.find(({ spanId }) => spanId === call.parentSpanId);
    expect(request).toMatchObject({ parentSpanId: remote.spanId, traceState: 'vendor=here' });
    expect(JSON.parse(traced.logged.at(-1) ?? '')).toMatchObject({ event: 'request', trace: remote.traceId });
  });

  test.each([
    ['no hexadecimal', parentOf({ ...remote, traceId: 'z'.repeat(32) })],
    ['a trace of zeros', parentOf({ ...remote, traceId: '0'.repeat(32) })],
    ['a span of zeros', parentOf({ ...remote, spanId: '0'.repeat(16) })],
    ['too short', parentOf({ ...remote, spanId: 'b7ad' })],
    ['a version that must not be', parentOf(remote).replace(/^00/, 'ff')],
    ['something else', '{"$ne":1}'],
  ])('begins a new trace if the traceparent is %s', async (_what, traceparent) => {
    const traced = await openTraced();
    await callModern(traced, 'workflow_list', { headers: { traceparent }, meta: { traceparent } });
    const spans = await traced.spans();
    const request = named(spans, 'POST /mcp');
    expect(request).not.toHaveProperty('parentSpanId');
    expect(named(spans, 'tools/call workflow_list')).toMatchObject({
      traceId: request.traceId,
      parentSpanId: request.spanId,
      links: [],
    });
  });

  test('is not recorded if its trace is not recorded', async () => {
    const traced = await openTraced();
    await traced.fetch('/healthz', { headers: { traceparent: parentOf(remote, '00') } });
    await traced.fetch('/healthz', { headers: { traceparent: parentOf(other) } });
    expect(await traced.spans()).toMatchObject([{ name: 'GET /healthz', traceId: other.traceId }]);
  });

  test('is an error if the server failed, and not if it refused the request', async () => {
    const traced = await openTraced('--state', '/dev/null/state');
    await traced.fetch('/readyz');
    await traced.fetch('/metrics/x');
    const [ready, nowhere] = await traced.spans();
    expect(ready).toMatchObject({ name: 'GET /readyz', status: { code: 2 } });
    expect(ready?.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': '503' });
    expect(nowhere).toMatchObject({ name: 'GET', status: { code: 0 } });
    expect(nowhere?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 404,
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': 8420,
    });
  });

  test('has no attributes that the sender can make up', async () => {
    const traced = await openTraced();
    await traced.service.app.fetch(new Request('http://elsewhere.example:99/mcp', { method: 'PURGE' }));
    expect((await traced.spans())[0]).toMatchObject({
      name: 'HTTP /mcp',
      attributes: { 'http.request.method': '_OTHER', 'http.response.status_code': 403 },
    });
    expect(traced.receiver.bytes).not.toContain('elsewhere');
    expect(traced.receiver.bytes).not.toContain('PURGE');
  });
});

describe('the span of a call', () => {
  test.each(['2025-11-25', '2026-07-28'])(
    'has the parent in its _meta, and a link to the span of the request, in %s',
    async (revision) => {
      const traced = await openTraced();
      const meta = { traceparent: parentOf(other), tracestate: 'vendor=meta' };
      const headers = { traceparent: parentOf(remote) };
      if (revision === '2026-07-28') await callModern(traced, 'health_check', { meta, headers });
      else {
        const session = { ...(await traced.open()), ...headers };
        await traced.post(rpc('tools/call', { name: 'health_check', arguments: {}, _meta: meta }), session);
      }
      const spans = await traced.spans();
      const call = named(spans, 'tools/call health_check');
      expect(call).toMatchObject({
        traceId: other.traceId,
        parentSpanId: other.spanId,
        traceState: 'vendor=meta',
      });
      const request = spans.find(({ parentSpanId }) => parentSpanId === remote.spanId);
      expect(request).toMatchObject({ name: 'POST /mcp', traceId: remote.traceId });
      expect(call.links).toMatchObject([{ traceId: remote.traceId, spanId: request?.spanId }]);
    },
  );

  test('contains the uses of the database', async () => {
    const traced = await openTraced();
    await callModern(traced, 'discover', { meta: { traceparent: parentOf(other) } });
    const found = (await traced.spans()).filter(({ name }) => name === 'find sessions');
    // Open and parked sessions have separate limits, so each needs its own query.
    expect(found.map(({ traceId }) => traceId)).toEqual([other.traceId, other.traceId]);
  });

  test('has the code of the error if the call fails, however it was sent', async () => {
    const traced = await openTraced();
    const session = await traced.open();
    const wrong = { session_token: 'wl_no' };
    await traced.post(rpc('next_activity', wrong), session);
    await traced.post(rpc('tools/call', { name: 'workflow_get', arguments: { id: 'none' } }), session);
    await callModern(traced, 'get_trace');
    const spans = await traced.spans();
    for (const [name, code] of [
      ['next_activity', 'TOKEN_INVALID'],
      ['tools/call workflow_get', 'WORKFLOW_NOT_FOUND'],
      ['tools/call get_trace', 'INVALID_INPUT'],
    ] as const) {
      const span = named(spans, name);
      expect([span.attributes['error.type'], span.status.code], name).toEqual([code, 2]);
    }
  });

  test('has the error of the database if that made the call fail', async () => {
    const traced = await openTraced();
    const session = await traced.open();
    const started = await answerOf(
      await traced.post(rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' }), session),
    );
    const file = join(traced.state, 'sessions.db');
    renameSync(file, `${file}.away`);
    const args = { session_token: started.result?.['session_token'] };
    // Requests of older clients fail before they call a tool, because the server can't check their MCP session.
    await callModern(traced, 'get_workflow_status', { args });
    renameSync(`${file}.away`, file);
    const spans = await traced.spans();
    const call = named(spans, 'tools/call get_workflow_status');
    expect(call.attributes['error.type']).toBe('STORE_UNAVAILABLE');
    expect(named(spans, 'load sessions')).toMatchObject({
      parentSpanId: call.spanId,
      status: { code: 2 },
      attributes: { 'error.type': 'STORE_UNAVAILABLE' },
    });
  });
});

test('No span contains a credential, token, query, argument or output', async () => {
  const traced = await openTraced('--auth', 'keys');
  const secret = await traced.key({ principal: 'ann', scopes: ['read', 'write'] });
  const session = await traced.open(bearer(secret));
  const start = { agent_id: 'agent-of-ann', workflow_id: 'review-flow' };
  const started = await answerOf(await traced.post(rpc('start_session', start), session));
  const token = String(started.result?.['session_token']);
  const entered = await answerOf(await traced.post(rpc('next_activity', { session_token: token }), session));
  const next = String(entered.result?.['session_token']);
  const manifest = [{ step_id: 'read-it', output: 'output-of-ann' }];
  const left = await answerOf(
    await traced.post(rpc('next_activity', { session_token: next, step_manifest: manifest }), session),
  );
  await traced.post(rpc('workflow_get', { id: 'argument-of-ann' }), session);
  await traced.post(rpc('tools/call', { name: 'argument-of-ann', arguments: {} }), session);
  await traced.post(rpc('ping'), bearer('wlk_guess'));
  await traced.fetch('/mcp?token=query-of-ann');
  await traced.fetch('/path-of-ann?token=query-of-ann', { headers: { 'user-agent': 'agent-of-ann' } });
  await traced.spans();
  const { bytes } = traced.receiver;
  for (const sought of ['POST /mcp', 'next_activity', 'append sessions']) expect(bytes).toContain(sought);
  const secrets = [
    secret.slice('wlk_0123456789ab_'.length),
    session['mcp-session-id'],
    token,
    next,
    left.result?.['session_token'],
    'of-ann',
    'wlk_',
    'review-flow',
    'Bearer',
  ];
  for (const kept of secrets) {
    expect(String(kept).length).toBeGreaterThan(3);
    expect(bytes).not.toContain(String(kept));
  }
});
