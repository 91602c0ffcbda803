import type { Environment } from '@workflowlookup/host/flags';
import { describe, expect, test } from 'vitest';
import {
  databaseProblems,
  optionMessages as hostMessages,
} from '../../../../packages/host/test/support/messages.ts';
import { optionMessages } from '../../src/messages.ts';
import { readOptions } from '../../src/options.ts';

describe('the command line of the HTTP server', () => {
  test('starts a server for this machine only without options', () => {
    expect(readOptions([], {})).toMatchObject({
      kind: 'serve',
      tools: 'extended',
      network: { port: 8420, address: '127.0.0.1', keys: false, rateLimit: 0, drainMs: 10_000 },
    });
  });

  test.each<[says: string, args: readonly string[]]>([
    [optionMessages.needsAuth('0.0.0.0'), ['--host', '0.0.0.0', '--allowed-host', 'a.example']],
    [optionMessages.needsAuth('::'), ['--host', '::', '--allowed-host', 'a.example', '--auth', 'none']],
    [optionMessages.needsHosts('0.0.0.0'), ['--host', '0.0.0.0', '--auth', 'keys']],
    [optionMessages.wrongNumber('port', 65_535, '70000'), ['--port', '70000']],
    [optionMessages.wrongNumber('max-streams', 999_999_999, '-1'), ['--max-streams=-1']],
    [optionMessages.wrongAuth('basic'), ['--auth', 'basic']],
    [optionMessages.authNotAlone('none'), ['--auth', 'none', '--auth', 'keys']],
    [optionMessages.oauthIncomplete(), ['--auth', 'oauth']],
    [
      optionMessages.wrongUrl('oauth-issuer', 'http://a.example'),
      ['--auth', 'oauth', '--oauth-issuer', 'http://a.example', '--public-url', 'https://b.example'],
    ],
    [optionMessages.wrongNumber('auth-failures', 999_999_999, 'many'), ['--auth-failures', 'many']],
    [optionMessages.wrongProxy('proxy'), ['--trusted-proxy', '10.0.0.1', '--trusted-proxy', 'proxy']],
    [databaseProblems.notPostgres(), ['--database', 'x']],
    [hostMessages.wrongWord('tools', ['lookup', 'sessions', 'all', 'extended'], 'some'), ['--tools', 'some']],
    [hostMessages.wrongWord('gates', ['declared', 'human'], 'x'), ['--gates', 'x']],
    ['Unknown option', ['--nonsense']],
    [optionMessages.wrongKeysAction(), ['keys']],
    [optionMessages.keyIncomplete(), ['keys', 'create', '--scope', 'read']],
  ])('is refused with the message %j', (says, args) => {
    const request = readOptions(args, {});
    expect(request).toEqual({ kind: 'refused', reason: expect.stringContaining(says) });
  });

  test.each<[found: boolean | string, args: readonly string[], env: Environment]>([
    [false, [], { OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' }],
    [true, ['--telemetry'], {}],
    [true, [], { WORKFLOWLOOKUP_TELEMETRY: 'TRUE' }],
    [false, [], { WORKFLOWLOOKUP_TELEMETRY: '0' }],
    [true, ['--telemetry'], { WORKFLOWLOOKUP_TELEMETRY: 'no' }],
    [hostMessages.wrongSwitch('WORKFLOWLOOKUP_TELEMETRY', 'on'), [], { WORKFLOWLOOKUP_TELEMETRY: 'on' }],
    [true, ['--telemetry'], { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://u:p@c.example/otlp' }],
    [
      optionMessages.wrongEndpoint('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
      ['--telemetry'],
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'c.example:4317' },
    ],
    [
      optionMessages.wrongProtocol('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'),
      ['--telemetry'],
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    ],
  ])('has the trace setting or refusal %j for the flags %j and the environment %j', (found, args, env) => {
    const request = readOptions(args, env);
    expect(request).toMatchObject(
      typeof found === 'string' ? { kind: 'refused', reason: found } : { kind: 'serve', telemetry: found },
    );
  });

  test('allows other machines with credentials and host names', () => {
    const args = ['--host', '0.0.0.0', '--allowed-host', 'a.example', '--auth', 'keys', '--auth', 'oauth'];
    const oauth = ['--oauth-issuer', 'https://i.example', '--public-url', 'https://a.example/'];
    expect(readOptions([...args, ...oauth], {})).toMatchObject({
      network: {
        keys: true,
        rateLimit: 100,
        oauth: {
          issuer: 'https://i.example',
          audience: 'https://a.example/mcp',
          resource: 'https://a.example/mcp',
        },
      },
    });
  });

  test('creates, lists and revokes keys', () => {
    const create = [
      'keys',
      'create',
      '--principal',
      'ann',
      '--scope',
      'read,write',
      '--expires',
      '2030-01-01',
    ];
    expect(readOptions(create, { WORKFLOWLOOKUP_STATE: '/s' })).toEqual({
      kind: 'keys',
      request: {
        action: 'create',
        key: { principal: 'ann', scopes: ['read', 'write'], expiresAt: '2030-01-01' },
        place: { stateDirectory: '/s', environment: { WORKFLOWLOOKUP_STATE: '/s' } },
      },
    });
    expect(readOptions(['keys', 'revoke', 'a1'], {})).toEqual({
      kind: 'keys',
      request: { action: 'revoke', id: 'a1', place: { environment: {} } },
    });
    const database = 'postgres://user@host/database?sslmode=verify-full';
    const request = { kind: 'keys', request: { action: 'list', place: { database } } };
    expect(readOptions(['keys', 'list', '--database', database], {})).toMatchObject(request);
    expect(readOptions(['keys', 'list'], { WORKFLOWLOOKUP_DATABASE: database })).toMatchObject(request);
  });
});
