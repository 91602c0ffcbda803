import { openService, rpc } from '../support/service.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf, sendBytes } from './outcome.ts';
import type { Case, Row } from './row.ts';

/** Sends a request to a server without credentials. */
const ask = (path: string, init: RequestInit = {}): Promise<Outcome> =>
  outcomeOf(openService().fetch(path, init));

const hosted = (what: string, host: string): Case => [what, () => ask('/mcp', { headers: { host } })];
const get = (what: string, target: string, host = 'Host: 127.0.0.1'): Case => [
  what,
  () => sendBytes(`GET ${target} HTTP/1.1\r\n${host}\r\n\r\n`),
];
const from = (what: string, origin: string, method = 'GET'): Case => [
  what,
  () => ask('/mcp', { method, headers: { origin } }),
];
const path = (what: string, target: string): Case => [what, () => ask(target)];

async function callById(method: string): Promise<Outcome> {
  const service = openService();
  const session = await service.open();
  const id = '../../etc/passwd';
  const params = method === 'tools/call' ? { name: 'workflow_get', arguments: { id } } : { id };
  return outcomeOf(service.post(rpc(method, params), session));
}

/** Requests with wrong hosts, origins, paths, methods and content types. */
export const pageRows: readonly Row[] = [
  {
    comes:
      'a `Host` that is not allowed, however it is spelled (any route except /healthz and /readyz); two `Host` headers; a request target with another host',
    answered: '403',
    cases: [
      hosted('an evil one', 'evil.example'),
      hosted('an evil one with our port', 'evil.example:8420'),
      hosted('one that begins like ours', '127.0.0.1.evil.example'),
      get('an evil one on another route', '/metrics', 'Host: evil.example'),
      get('ours with a final dot', '/metrics', 'Host: localhost.'),
      get('ours as a number', '/metrics', 'Host: 2130706433'),
      get('ours, then an evil one', '/metrics', 'Host: 127.0.0.1\r\nHost: evil.example'),
      get('an evil one, then ours', '/metrics', 'Host: evil.example\r\nHost: 127.0.0.1'),
      get('a URL with an evil host, and a good Host header', 'http://evil.example/metrics'),
      get(
        'a URL with a good host, and an evil Host header',
        'http://127.0.0.1/metrics',
        'Host: evil.example',
      ),
    ],
  },
  {
    comes: 'an invalid `Host`: empty; a list; with a user or a path; with a port that is not a number',
    answered: '400',
    cases: [
      get('an empty one', '/healthz', 'Host: '),
      get('a list', '/healthz', 'Host: 127.0.0.1, evil.example'),
      get('an evil one after a user', '/healthz', 'Host: 127.0.0.1@evil.example'),
      get('ours after a user', '/healthz', 'Host: evil.example@127.0.0.1'),
      get('one with a path', '/healthz', 'Host: 127.0.0.1/evil.example'),
      get('a port that is not a number', '/healthz', 'Host: 127.0.0.1:evil'),
    ],
  },
  {
    comes: 'an `Origin` that is not allowed, including `null`, and also in a preflight request',
    answered: '403',
    cases: [
      from('an evil one', 'https://evil.example'),
      from('null', 'null'),
      from('one that begins like ours', 'http://localhost.evil.example'),
      from('an evil one in a preflight request', 'https://evil.example', 'OPTIONS'),
    ],
  },
  {
    comes: 'a path that leads out of its folder (`..`), plain or percent-encoded',
    answered: '404',
    cases: [
      path('after a route', '/mcp/../../etc/passwd'),
      path('encoded', '/%2e%2e/%2e%2e/etc/passwd'),
      path('encoded twice', '/%252e%252e%252fetc/passwd'),
      path('with encoded slashes', '/healthz/..%2f..%2fetc%2fpasswd'),
      path('in an invalid encoding', '/%c0%ae%c0%ae/etc/passwd'),
      path('with a zero byte', '/%00'),
      get('sent without normalization', '/../../etc/passwd'),
      get('with two slashes', '//evil.example/../etc/passwd'),
    ],
  },
  {
    comes: 'a path in place of an id, in a tool call or a [direct method](tools.md#how-to-call-a-tool)',
    answered: 'error -32602',
    cases: [
      ['of a direct method', () => callById('workflow_get')],
      ['of a tool', () => callById('tools/call')],
    ],
  },
  {
    comes: 'a method that `/mcp` does not have',
    answered: '405',
    cases: [
      ['PUT', () => ask('/mcp', { method: 'PUT' })],
      ['TRACE', () => sendBytes('TRACE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')],
    ],
  },
  {
    comes: 'a body to `/mcp` that is not declared as JSON',
    answered: '415',
    cases: ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map(
      (type): Case => [
        type,
        () => ask('/mcp', { method: 'POST', headers: { 'content-type': type }, body: '{}' }),
      ],
    ),
  },
];
