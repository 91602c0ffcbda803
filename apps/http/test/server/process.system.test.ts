import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { optionMessages } from '../../src/messages.ts';
import { buildApp, removeApp } from '../../../stdio/test/support/built-app.ts';
import { answerOf, posting, rpc } from '../support/service.ts';
import { openReceiver } from '../support/otlp-receiver.ts';

const app = fileURLToPath(new URL('../..', import.meta.url));
let entry: string;
let state: string;

beforeAll(async () => {
  state = join(mkdtempSync(join(tmpdir(), 'workflowlookup-http-')), 'state');
  entry = await buildApp(app);
}, 60_000);

afterAll(async () => {
  rmSync(dirname(state), { recursive: true, force: true });
  await removeApp(entry);
});

/** Runs the app to its end. */
async function run(...args: readonly string[]) {
  const child = start(args);
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = (await once(child, 'close')) as [number];
  return { code, out: await out, err: await err };
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [entry, ...args], { env: { WORKFLOWLOOKUP_STATE: state, ...env } });
}

async function textOf(stream: ChildProcess['stdout']): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) text += String(chunk);
  return text;
}

/** Starts a server, and returns its address and its process. */
async function serve(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = start(['--port', '0', '--no-user', '--no-project', ...flags], env);
  const ended = once(child, 'close') as Promise<[number]>;
  const log = textOf(child.stderr);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const [url = ''] = line.toString().split('\n');
  const post = (body: object, headers = {}) => fetch(url, posting(body, headers));
  return { child, ended, log, url, post };
}

describe('the program', () => {
  test('creates only its keys at the start, and keeps all accepted data when SIGTERM ends it', async () => {
    const { child, ended, log, post } = await serve();
    expect(readdirSync(state)).toEqual(['keys']);
    const opened = await post(rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} }));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const params = { agent_id: 'a', workflow_id: 'change-review' };
    const started = await answerOf(await post(rpc('start_session', params), session));
    const token = String(started.result?.['session_token']);
    expect(token).toMatch(/^wl_/);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await log).toContain('"event":"draining"');
    expect(await log).not.toContain(token);
    expect(readdirSync(state)).toContain('sessions.db');
  });

  test('creates, lists and revokes keys, and shows each only once', async () => {
    const made = await run('keys', 'create', '--principal', 'ann', '--scope', 'read');
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^wlk_\S+\n$/)]);
    const id = made.out.slice(4, 16);
    const listed = await run('keys', 'list');
    expect(listed.out).toContain(`${id}  ann  read  created`);
    expect(listed.out).not.toContain(made.out.trim().slice(-43));
    expect((await run('keys', 'revoke', id)).out).toBe(`${optionMessages.revoked(id)}\n`);
    expect((await run('keys', 'list')).out).toContain('revoked 20');
    expect(await run('keys', 'revoke', 'none')).toMatchObject({
      code: 1,
      err: expect.stringContaining(optionMessages.noKey('none')),
    });
  });

  test.each([
    [2, ['--host', '0.0.0.0'], '--auth keys'],
    [2, ['--nonsense'], '--help'],
    [1, ['keys', 'create', '--principal', 'a', '--scope', 'all'], "'all'"],
  ])('exits with %i for %j', async (code, args, says) => {
    const ended = await run(...args);
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(says)]);
  });

  test('reports that a port is in use', async () => {
    const { child, url } = await serve();
    const { code, err } = await run('--port', new URL(url).port);
    child.kill('SIGKILL');
    expect([code, err]).toEqual([1, expect.stringContaining(new URL(url).port)]);
  });
});

describe('traces', () => {
  test('are sent before the program ends, and have ids in its log', async () => {
    const receiver = await openReceiver();
    const { child, ended, log, post } = await serve([], {
      WORKFLOWLOOKUP_TELEMETRY: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-of-receiver=its-secret',
      OTEL_SERVICE_NAME: 'workflows-of-ann',
    });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await post(rpc('ping'), { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    expect(receiver.spans).toEqual([]);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(receiver.spans).toMatchObject([{ name: 'POST /mcp', traceId, parentSpanId: 'b7ad6b7169203331' }]);
    expect(receiver.resource).toMatchObject({ 'service.name': 'workflows-of-ann' });
    expect(receiver.headers).toMatchObject([
      { 'x-of-receiver': 'its-secret', 'content-type': 'application/json' },
    ]);
    expect(await log).toContain(`"trace":"${traceId}"`);
    expect(await log).not.toContain('its-secret');
  });

  test('do not delay requests or the end if nobody receives them', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_BSP_SCHEDULE_DELAY: '1' };
    const { child, ended, post } = await serve(['--telemetry'], env);
    expect((await post(rpc('ping'))).status).toBe(200);
    expect((await post(rpc('ping'))).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('load no code unless they are turned on', async () => {
    const mark = 'telemetry.sdk.name';
    expect(await codeLoadedBy([])).not.toContain(mark);
    expect(await codeLoadedBy(['--telemetry'])).toContain(mark);
  });
});

/** Returns all code of the bundle that a server loads before it ends. */
async function codeLoadedBy(flags: readonly string[]): Promise<string> {
  const coverage = mkdtempSync(join(tmpdir(), 'workflowlookup-http-'));
  const { child, ended, post } = await serve(flags, { NODE_V8_COVERAGE: coverage });
  await post(rpc('ping'));
  child.kill('SIGTERM');
  await ended;
  const [file = ''] = readdirSync(coverage);
  const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as Coverage;
  rmSync(coverage, { recursive: true });
  const own = result
    .map(({ url }) => url)
    .filter((url) => url.startsWith('file:') && url.includes(dirname(entry)));
  expect(own.length).toBeGreaterThan(2);
  return own.map((url) => readFileSync(fileURLToPath(url), 'utf8')).join('');
}

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

describe('a full disk', () => {
  const canLimit = spawnSync('prlimit', ['--version']).status === 0;

  test('is reported by /readyz, health_check, the log and a metric, and so is its end', async (context) => {
    if (!canLimit) context.skip('prlimit is missing, which changes the limits of a running process');
    const folder = mkdtempSync(join(tmpdir(), 'workflowlookup-full-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { child, ended, log, url, post } = await serve([], { WORKFLOWLOOKUP_STATE: folder });
    // Limits the size of files, so that writes fail as on a full disk.
    const limit = (bytes: string): void =>
      void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:`]);
    const opened = await post(rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} }));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const call = async (method: string, params: object = {}) =>
      answerOf(await post(rpc(method, params), session));
    const begin = () => call('start_session', { agent_id: 'a', workflow_id: 'change-review' });
    const read = async (path: string) => (await fetch(new URL(path, url))).text();
    expect((await begin()).error).toBeUndefined();
    expect(await read('/readyz')).toContain('"ready"');
    limit('1');
    expect((await begin()).error).toMatchObject({ code: -32006 });
    expect(JSON.parse(await read('/readyz'))).toMatchObject({
      status: 'not_ready',
      database: false,
      reason: 'io',
    });
    expect((await call('health_check')).result).toMatchObject({ status: 'degraded', store: { ok: false } });
    expect(await read('/metrics')).toContain('workflowlookup_database_failing 1');
    for (let at = 0; at < 5; at += 1) await begin();
    limit('unlimited');
    expect(JSON.parse(await read('/readyz'))).toMatchObject({ status: 'ready' });
    expect((await begin()).error).toBeUndefined();
    expect(await read('/metrics')).toContain('workflowlookup_database_failing 0');
    child.kill('SIGTERM');
    await ended;
    const events = (await log)
      .split('\n')
      .flatMap((line) => (line.includes('"database_') ? [JSON.parse(line) as object] : []));
    expect(events).toMatchObject([
      { level: 'error', event: 'database_failing', reason: 'io' },
      { level: 'warn', event: 'database_recovered' },
    ]);
  });
});
