import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { appendHookLine } from '@workflowlookup/host/hook-acts';
import { expect, test, vi } from 'vitest';
import { createSessionCounts } from '../../src/telemetry/store-watch.ts';
import type { Headers, TestService } from '../support/service.ts';
import { answerOf, bearer, openService, openServiceWith, rpc } from '../support/service.ts';

const operations = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');

/** The names of the documented series. */
const documented = [
  ...(/^## Metrics$([\s\S]*?)^## /m.exec(operations)?.[1] ?? '').matchAll(/^\| `(\w+)`/gm),
].map(([, name = '']) => name);

/** Returns the samples of `/metrics`, by name and labels. */
async function samplesOf({ fetch }: TestService): Promise<Readonly<Record<string, number>>> {
  const page = await (await fetch('/metrics')).text();
  const samples = page.split('\n').flatMap((line): [string, number][] => {
    const [, name = '', value] = /^([^#].*) (\S+)$/.exec(line) ?? [];
    return value === undefined ? [] : [[name, Number(value)]];
  });
  return Object.fromEntries(samples);
}

/** Returns the samples of our own series, without those that depend on time. */
async function ownSamplesOf(service: TestService): Promise<Readonly<Record<string, number>>> {
  const all = Object.entries(await samplesOf(service));
  return Object.fromEntries(
    all.filter(([name]) => name.startsWith('workflowlookup_') && !/_(sum|bucket)\b/.test(name)),
  );
}

/** Returns a function that calls methods in an MCP session, each with the latest token. */
function talk(service: TestService, session: Headers) {
  let token = '';
  return async (method: string, params: object = {}): Promise<void> => {
    const known = token === '' ? {} : { session_token: token };
    const text = await (await service.post(rpc(method, { ...known, ...params }), session)).text();
    token = /"session_token":"(wl_[^"]+)"/.exec(text)?.[1] ?? token;
  };
}

/** Answers a checkpoint as a person does through elicitation by a client of 2026-07-28. */
async function elicit(service: TestService, handle: string, choice: string): Promise<void> {
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'present_checkpoint',
  };
  const call = (more: object) =>
    service.post(
      rpc('tools/call', {
        name: 'present_checkpoint',
        arguments: { checkpoint_handle: handle },
        ...more,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
      }),
      headers,
    );
  const { result } = await answerOf(await call({}));
  const inputResponses = { choice: { action: 'accept', content: { choice } } };
  const answered = await answerOf(await call({ requestState: result?.['requestState'], inputResponses }));
  expect(JSON.stringify(answered.result)).toContain('resolved');
}

interface Known {
  readonly session_token?: string;
}

const manifest = [{ step_id: 'read-it', output: 'Read' }];

/** Moves a new session to its checkpoint, and returns the handle. Repeats one of the moves on the way. */
async function stop(service: TestService, session: Headers): Promise<string> {
  const call = async (method: string, params: object): Promise<string> => {
    const { result } = await answerOf(await service.post(rpc(method, params), session));
    const { session_token: token, _meta: meta } = result as { session_token?: string; _meta?: Known };
    return token ?? meta?.session_token ?? '';
  };
  const started = await call('start_session', { agent_id: 'a', workflow_id: 'review-flow' });
  const read = await call('next_activity', { session_token: started });
  expect(await call('next_activity', { session_token: started })).toBe(read);
  const report = await call('next_activity', { session_token: read, step_manifest: manifest });
  return call('yield_checkpoint', { session_token: report, checkpoint_id: 'confirm' });
}

test('The metrics have every documented series, with the exact values after a script of calls', async () => {
  const service = openService('--min-response-seconds', '0');
  const session = await service.open();
  const call = talk(service, session);
  await call('start_session', { agent_id: 'a', workflow_id: 'review-flow' });
  await call('next_activity');
  await call('next_activity', { step_manifest: manifest });
  await call('yield_checkpoint', { checkpoint_id: 'confirm' });
  await call('resume_checkpoint');
  await call('respond_checkpoint', { option_id: 'confirm' });
  await call('resume_checkpoint');
  await call('next_activity', { step_manifest: [{ step_id: 'report', output: 'Done' }] });
  const handle = await stop(service, session);
  await elicit(service, handle, 'confirm');
  await service.post(rpc('respond_checkpoint', { session_token: handle, option_id: 'revise' }), session);
  await stop(service, session);
  await service.post(rpc('next_activity', { session_token: 'wl_no' }), session);
  await service.fetch('/mcp', { headers: { host: 'evil.example' } });
  await service.fetch('/nowhere');
  const act = { at: '2026-03-01T10:00:00Z', client: 'codex', rule: 'stop', act: 'blocked' };
  for (const _ of [1, 2]) appendHookLine(service.state, 'acts.jsonl', act);
  const samples = await ownSamplesOf(service);
  const names = new Set(Object.keys(samples).map((name) => name.replace(/(_count)?(\{.*)?$/, '')));
  expect(names).toEqual(new Set(documented));
  expect(samples).toEqual({
    'workflowlookup_http_requests_total{route="/mcp",method="POST",status="200"}': 23,
    'workflowlookup_http_requests_total{route="/mcp",method="GET",status="403"}': 1,
    'workflowlookup_http_requests_total{route="other",method="GET",status="404"}': 1,
    'workflowlookup_http_request_seconds_count{route="/mcp"}': 24,
    'workflowlookup_http_request_seconds_count{route="other"}': 1,
    'workflowlookup_tool_calls_total{tool="start_session"}': 3,
    'workflowlookup_tool_calls_total{tool="next_activity"}': 10,
    'workflowlookup_tool_calls_total{tool="yield_checkpoint"}': 3,
    'workflowlookup_tool_calls_total{tool="resume_checkpoint"}': 2,
    'workflowlookup_tool_calls_total{tool="respond_checkpoint"}': 2,
    'workflowlookup_tool_calls_total{tool="present_checkpoint"}': 1,
    'workflowlookup_refusals_total{code="CHECKPOINT_OPEN"}': 1,
    'workflowlookup_refusals_total{code="SESSION_CONFLICT"}': 1,
    'workflowlookup_refusals_total{code="TOKEN_INVALID"}': 1,
    workflowlookup_conflicts_total: 1,
    workflowlookup_advances_total: 7,
    workflowlookup_checkpoints_yielded_total: 3,
    workflowlookup_checkpoints_answered_total: 2,
    workflowlookup_checkpoint_wait_seconds_count: 2,
    'workflowlookup_gate_waits_total{found="none"}': 1,
    'workflowlookup_gate_waits_total{found="answer"}': 1,
    workflowlookup_audit_failing: 0,
    workflowlookup_database_failing: 0,
    workflowlookup_sessions: 1,
    workflowlookup_streams: 0,
    'workflowlookup_hook_acts{rule="stop",act="blocked"}': 2,
    'workflowlookup_workflow_sessions{status="active"}': 1,
    'workflowlookup_workflow_sessions{status="blocked"}': 1,
    'workflowlookup_workflow_sessions{status="parked"}': 0,
    'workflowlookup_workflow_sessions{status="completed"}': 1,
  });
});

test('Reading the metrics creates no database, and one that cannot be read is left out and logged', async () => {
  const service = openService();
  expect(await ownSamplesOf(service)).toMatchObject({
    'workflowlookup_workflow_sessions{status="active"}': 0,
    'workflowlookup_workflow_sessions{status="blocked"}': 0,
    'workflowlookup_workflow_sessions{status="parked"}': 0,
    'workflowlookup_workflow_sessions{status="completed"}': 0,
  });
  expect(existsSync(service.state)).toBe(false);
  const broken = openService();
  await broken.fetch('/readyz');
  await stop(broken, await broken.open());
  const file = join(broken.state, 'sessions.db');
  renameSync(file, `${file}.away`);
  const names = Object.keys(await ownSamplesOf(broken));
  renameSync(`${file}.away`, file);
  expect(names).toContain('workflowlookup_sessions');
  expect(names.join()).not.toContain('workflowlookup_workflow_sessions');
  expect(broken.logged.filter((line) => line.includes('"event":"database_failing"'))).toHaveLength(1);
});

test('Sessions are counted at most every few seconds, even if that fails', async () => {
  let nowMs = 0;
  let asked = 0;
  const errors: unknown[] = [];
  const counts = createSessionCounts({
    ask: () => {
      asked += 1;
      return asked === 2 ? Promise.reject(new Error('down')) : Promise.resolve(of(asked));
    },
    onError: (error) => errors.push(error),
    now: () => nowMs,
  });
  const of = (active: number) => ({ active, blocked: 0, parked: 0, completed: 0 });
  expect(await Promise.all([counts(), counts()])).toEqual([of(1), of(1)]);
  nowMs = 4_999;
  expect(await counts()).toEqual(of(1));
  nowMs = 5_000;
  expect([await counts(), await counts()]).toEqual([undefined, undefined]);
  nowMs = 10_000;
  expect(await counts()).toEqual(of(3));
  expect(errors).toEqual([new Error('down')]);
});

test('The metrics describe the process, including its event-loop lag', async () => {
  const samples = await samplesOf(openServiceWith({ processMetrics: true }));
  for (const name of [
    'nodejs_eventloop_lag_seconds',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
  ])
    expect(samples[name], name).toBeGreaterThanOrEqual(0);
  for (const [named] of operations.matchAll(/nodejs_\w+_seconds/g)) expect(samples).toHaveProperty(named);
});

test('Only a client that read the metrics before can read them during an outage', async () => {
  const service = openService('--auth', 'keys');
  const scrape = bearer(await service.key({ principal: 'prometheus', scopes: ['read'] }));
  const other = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
  const revokedKey = await service.key({ principal: 'ben', scopes: ['read'] });
  const revoked = bearer(revokedKey);
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await service.fetch(path, { headers })).status;
  expect(await statusOf('/metrics', scrape)).toBe(200);
  expect(await statusOf('/metrics', revoked)).toBe(200);
  await service.revoke(revokedKey.split('_')[1] ?? '');
  await vi.waitFor(async () => expect(await statusOf('/metrics', revoked)).toBe(401), 10_000);
  const file = join(service.state, 'sessions.db');
  renameSync(file, `${file}.away`);
  mkdirSync(file);
  const statuses = [
    await statusOf('/metrics', scrape),
    await statusOf('/metrics', other),
    await statusOf('/metrics', revoked),
    await statusOf('/mcp', scrape),
    await statusOf('/metrics', {}),
  ];
  const evidence = await service.fetch('/sessions/0123456789abcdef0123/evidence', { headers: scrape });
  rmdirSync(file);
  renameSync(`${file}.away`, file);
  expect(statuses).toEqual([200, 503, 503, 503, 401]);
  expect(await evidence.json()).toEqual({ error: 'authentication_unavailable' });
});
