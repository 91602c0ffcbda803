import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { bearer, openService, openServiceWith } from '../support/service.ts';
import { openLocalBrowser } from '../support/browser.ts';
import { requestMessages } from '../../src/messages.ts';

const pages = fileURLToPath(new URL('pages', import.meta.url));
const open = (...flags: readonly string[]): TestService => openServiceWith({ pages }, ...flags);

test('The first page loads nothing from other origins, refuses frames and is not cached', async () => {
  const response = await open().fetch('/console/');
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
});

test('Files with a hash in their name are cached forever', async () => {
  const response = await open().fetch('/console/assets/app-1a2b3c.js');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test('Files are compressed for clients that accept it, but API responses are not', async () => {
  const root = mkdtempSync(join(tmpdir(), 'workflowlookup-pages-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const text = '// the same again and again\n'.repeat(1_000);
  mkdirSync(join(root, 'assets'));
  writeFileSync(join(root, 'assets', 'long-1a2b3c.js'), text);
  const service = openServiceWith({ pages: root });
  const headers = { 'accept-encoding': 'gzip' };
  const response = await service.fetch('/console/assets/long-1a2b3c.js', { headers });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('vary')).toMatch(/accept-encoding/i);
  expect(gunzipSync(await response.arrayBuffer()).toString()).toBe(text);
  const browser = await openLocalBrowser(service);
  expect((await browser.get('/workflows/review-flow', headers)).headers.get('content-encoding')).toBeNull();
});

test.each(['/console/sessions', '/console/sessions/ab-C_9', '/console/workflows/review-flow/steps'])(
  'The address %s of a page returns the first page',
  async (path) => {
    const response = await open().fetch(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
  },
);

test.each([
  '/console/assets/none.js',
  '/console/..%2f..%2fpackage.json',
  '/console/%2e%2e%2f%2e%2e%2fetc/passwd',
  '/console/.env',
  '/console/assets/..%5c..%5cindex.html',
])('The address %s returns 404', async (path) => {
  const { fetch } = open();
  expect((await fetch(path)).status).toBe(404);
});

test('The address without the final slash redirects to the one with it', async () => {
  const response = await open().fetch('/console');
  expect([response.status, response.headers.get('location')]).toEqual([308, '/console/']);
});

test('The console can be turned off, and a console that was not built reports that', async () => {
  const without = open('--no-console');
  expect(without.service.consoleLink()).toBeUndefined();
  for (const path of ['/console/', '/console/api/me']) expect((await without.fetch(path)).status).toBe(404);
  const unbuilt = openServiceWith({ pages: '/nowhere' });
  const response = await unbuilt.fetch('/console/');
  expect([response.status, await response.text()]).toEqual([404, requestMessages.notBuilt()]);
});

test('No log contains searched texts or paths', async () => {
  const service = open();
  const browser = await openLocalBrowser(service);
  await browser.get('/sessions?text=hidden-word');
  await service.fetch('/console/workflows/hidden-word');
  expect(service.logged.join()).not.toMatch(/hidden-word|sign-in/);
  expect(service.logged.join()).toContain('"route":"/console/api"');
});

test.each<[what: string, headers: Readonly<Record<string, string>>]>([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of another port of this machine', { 'sec-fetch-site': 'same-site' }],
  ['whose origin is another port', { origin: 'http://127.0.0.1:9999' }],
])('A request %s changes nothing, even with the token of a signed-in user', async (_, headers) => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  const response = await service.fetch('/console/api/sign-out', {
    method: 'POST',
    headers: { ...bearer(browser.token()), ...headers },
  });
  expect([response.status, await response.json()]).toMatchObject([403, { code: 'FORBIDDEN' }]);
  expect((await browser.get('/sessions')).status).toBe(200);
});

test('A page of another port can use /mcp, but cannot read the console', async () => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  const headers = { ...bearer(browser.token()), origin: 'http://127.0.0.1:9999' };
  const response = await service.fetch('/console/api/sessions', { headers });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test('The console works under its public name, which does not allow its page to use /mcp', async () => {
  const flags = ['--host', '0.0.0.0', '--allowed-host', 'workflows.example.com', '--auth', 'keys'];
  const { service, key } = openService(...flags);
  const own = await key({ principal: 'team-a', scopes: ['read'] });
  const post = (path: string, origin: string): Promise<Response> =>
    service.app.fetch(
      new Request(`http://workflows.example.com${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ key: own }),
      }),
    );
  expect((await post('/console/api/sign-in', 'https://workflows.example.com')).status).toBe(200);
  expect((await post('/console/api/sign-in', 'https://evil.example.com')).status).toBe(403);
  expect((await post('/console/api/sign-in', 'null')).status).toBe(403);
  expect((await post('/mcp', 'https://workflows.example.com')).status).toBe(403);
});
