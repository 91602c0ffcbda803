import { describe, expect, test } from 'vitest';
import type { Phase } from '../../src/json-rpc/rpc-messages.ts';
import { route, legacyVersions } from '../../src/json-rpc/rpc-messages.ts';
import { messages } from '../../src/messages.ts';

const toolNames: ReadonlySet<string> = new Set(['workflow_list']);
const fresh: Phase = { kind: 'new' };
const open: Phase = { kind: 'legacy', version: '2025-06-18', canElicit: false };

function call(method: string, params?: Record<string, unknown>) {
  return { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) } as const;
}

const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

describe('a connection before initialize', () => {
  test.each(['workflow_list', 'tools/list', 'tools/call', 'shutdown', 'server/discover', 'anything'])(
    'refuses %s',
    (method) => {
      expect(route(call(method), fresh, toolNames)).toEqual({
        kind: 'refuse',
        error: { code: -32000, message: 'Server not initialized' },
      });
    },
  );

  test('answers ping', () => {
    expect(route(call('ping'), fresh, toolNames)).toEqual({ kind: 'acknowledge' });
  });

  test('accepts a request that carries its own protocol version', () => {
    expect(route(call('tools/list', modern), fresh, toolNames)).toEqual({ kind: 'concurrent' });
  });
});

describe('initialize', () => {
  test.each(legacyVersions)('returns the requested version %s', (version) => {
    const opening = call('initialize', { protocolVersion: version, capabilities: {} });
    expect(route(opening, fresh, toolNames)).toEqual({ kind: 'initialize', version });
  });

  test.each(['2024-10-01', '2026-07-28', ''])(
    'refuses %j with the list of supported versions',
    (requestedVersion) => {
      const opening = call('initialize', { protocolVersion: requestedVersion, capabilities: {} });
      expect(route(opening, fresh, toolNames)).toEqual({
        kind: 'refuse',
        error: {
          code: -32000,
          message: 'Unsupported protocol version',
          data: {
            supportedVersions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'],
            requestedVersion,
          },
        },
      });
    },
  );

  test.each([
    { params: undefined, details: messages.fieldRequired('protocolVersion') },
    { params: { capabilities: {} }, details: messages.fieldRequired('protocolVersion') },
    { params: { protocolVersion: 5 }, details: messages.fieldMustBe('protocolVersion', 'a string') },
    { params: { protocolVersion: '2024-11-05' }, details: messages.fieldRequired('capabilities') },
    {
      params: { protocolVersion: '2024-11-05', capabilities: [] },
      details: messages.fieldMustBe('capabilities', 'an object'),
    },
    {
      params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: 'me' },
      details: messages.fieldMustBe('clientInfo', 'an object'),
    },
  ])('refuses $params because $details', ({ params, details }) => {
    expect(route(call('initialize', params), fresh, toolNames)).toEqual({
      kind: 'refuse',
      error: { code: -32602, message: 'Invalid params', data: { details } },
    });
  });

  test('opens a session once', () => {
    const opening = call('initialize', { protocolVersion: '2024-11-05', capabilities: {} });
    expect(route(opening, open, toolNames)).toMatchObject({ kind: 'refuse', error: { code: -32600 } });
  });
});

describe('an open session', () => {
  test.each([
    { method: 'workflow_list', kind: 'tool' },
    { method: 'tools/list', kind: 'tool' },
    { method: 'tools/call', kind: 'tool' },
    { method: 'resources/list', kind: 'ordered' },
    { method: 'no_such_thing', kind: 'ordered' },
    { method: 'shutdown', kind: 'shutdown' },
    { method: 'ping', kind: 'acknowledge' },
  ])('routes $method as $kind', ({ method, kind }) => {
    expect(route(call(method), open, toolNames)).toEqual({ kind });
  });

  test('leaves tools to the backend if it has none of its own', () => {
    const without = new Set<string>();
    expect(route(call('tools/call'), open, without)).toEqual({ kind: 'ordered' });
  });

  test('accepts every log level, and refuses unknown ones', () => {
    const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
    for (const level of levels)
      expect(route(call('logging/setLevel', { level }), open, toolNames)).toEqual({ kind: 'acknowledge' });
    expect(route(call('logging/setLevel', { level: 'loud' }), open, toolNames)).toMatchObject({
      kind: 'refuse',
      error: { code: -32602, data: { details: messages.wrongLogLevel(levels) } },
    });
  });

  test('refuses every call once it is closing', () => {
    expect(route(call('ping'), { kind: 'closing' }, toolNames)).toMatchObject({
      kind: 'refuse',
      error: { code: -32000 },
    });
  });
});
