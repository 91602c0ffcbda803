import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { GitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import { makeGitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import { trustChecksIn } from '../../../../packages/host/test/support/project.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import { buildApp, removeApp } from '../support/built-app.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { eventually, openServer } from '../support/server-process.ts';
import { answerOf } from '../support/served-host.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildApp();
}, 60_000);

afterAll(() => removeApp(entry));

/** A project with one check, whose command the test chooses, and with a server in its own process. */
interface Place extends GitFolder {
  readonly state: string;
  start(): Promise<ServerProcess>;
}

async function makePlace(check: object): Promise<Place> {
  const project = makeGitFolder();
  const { folder, write, commit } = project;
  const state = join(folder, '.git/state');
  write('.gitignore', 'reports\n');
  write('.workflowlookup/checks.yaml', JSON.stringify({ checks: { test: check } }));
  commit();
  const definitions = join(folder, '.git/definitions');
  await mkdir(definitions);
  const steps = [
    { id: 'build', title: 'Build', prompt: 'Build it.', evidence: [{ id: 'tests', check: 'test' }] },
    { id: 'report', title: 'Report', prompt: 'Report it.' },
  ];
  const definition = { id: 'build-it', name: 'Build', description: 'Builds it.', version: '1.0.0', steps };
  await writeFile(
    join(definitions, 'build-it.json'),
    JSON.stringify({ ...definition, enforcement: 'strict' }),
  );
  await trustChecksIn(state, folder);
  const flags = ['--no-bundled', '--no-user', '--workflows', definitions, '--state', state];
  return {
    ...project,
    state,
    async start() {
      const args = [...flags, '--min-response-seconds', '0'];
      const server = await openServer({ entry, args, cwd: folder, env: { HOME: folder } });
      onTestFinished(() => server.kill('SIGKILL'));
      return server;
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

interface Agent {
  /** Returns the fields of the response, or the name of the error as `error`. */
  call(name: string, args?: object): Promise<Fields>;
  collect(args?: object): Promise<Fields | undefined>;
  readonly token: string;
}

function agentAt(server: ServerProcess, from = ''): Agent {
  let token = from;
  const agent: Agent = {
    get token() {
      return token;
    },
    async call(name, args = {}) {
      const own = token === '' ? {} : { session_token: token };
      const reply = await server.request('tools/call', { name, arguments: { ...own, ...args } });
      const { json, error, token: next } = answerOf(JSON.stringify(reply));
      if (next !== '') token = next;
      return error === '' ? json : { error };
    },
    async collect(args = {}) {
      const { evidence } = await agent.call('collect_evidence', args);
      return (evidence as readonly Fields[] | undefined)?.[0];
    },
  };
  return agent;
}

async function atTheStep(server: ServerProcess): Promise<Agent> {
  const agent = agentAt(server);
  await agent.call('start_session', { agent_id: 'agent', workflow_id: 'build-it' });
  await agent.call('next_activity');
  return agent;
}

const leave = { step_manifest: [{ step_id: 'build', output: 'All tests pass.' }] };

/** Returns the ids of the processes whose command line contains a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      // The process has ended.
      return false;
    }
  });
}

const noneWith = (text: string) =>
  eventually(
    () => Promise.resolve(processesWith(text)),
    (found) => found.length === 0,
  );

/** Returns the memory of a process in megabytes. */
function memoryOf({ pid }: ServerProcess): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}

test('An agent cannot leave a step with evidence until the server has collected the evidence', async () => {
  const place = await makePlace({ run: 'test -e fixed', timeout: '20s' });
  const agent = await atTheStep(await place.start());
  expect(await agent.call('next_activity', leave)).toMatchObject({ error: 'EVIDENCE_REQUIRED' });
  expect(await agent.collect()).toMatchObject({ status: 'failed', exit_code: 1, check: 'test' });
  expect(await agent.call('next_activity', leave)).toMatchObject({ error: 'EVIDENCE_REQUIRED' });
  place.write('fixed', '');
  expect(await agent.call('next_activity', leave)).toMatchObject({ error: 'EVIDENCE_REQUIRED' });
  expect(await agent.collect()).toMatchObject({ status: 'passed', exit_code: 0, freshness: 'fresh' });
  expect(await agent.call('get_workflow_status')).toMatchObject({
    evidence: [{ evidence_id: 'tests', status: 'passed', collected_level: 'rerun' }],
  });
  expect(await agent.call('next_activity', leave)).toMatchObject({ activity_id: 'report' });
});

test('A running check reports its progress, and two calls share it', async () => {
  const place = await makePlace({
    run: 'echo run >> .git/runs; for n in 1 2 3 4 5 6; do echo line $n; sleep 0.5; done',
    timeout: '20s',
  });
  const server = await place.start();
  const agent = await atTheStep(server);
  const args = { session_token: agent.token };
  const [first, second] = await Promise.all([
    server.request('tools/call', {
      name: 'collect_evidence',
      arguments: args,
      _meta: { progressToken: 'p' },
    }),
    server.request('tools/call', { name: 'collect_evidence', arguments: { ...args, wait_ms: 100 } }),
  ]);
  expect(JSON.stringify(first)).toContain('passed');
  expect(JSON.stringify(second)).toContain('running');
  const updates = server.lines
    .map((line) => JSON.parse(line) as { method?: string; params?: { progress: number; message: string } })
    .flatMap(({ method, params }) => (method === 'notifications/progress' && params ? [params] : []));
  expect(updates.length).toBeGreaterThanOrEqual(2);
  expect(updates.map(({ progress }) => progress)).toEqual(updates.map((_, at) => at + 1));
  expect(updates.every(({ message }) => /^tests: \d+ s line \d$/.test(message))).toBe(true);
  expect(readFileSync(join(place.folder, '.git/runs'), 'utf8')).toBe('run\n');
});

// The tests find the processes of a check in /proc, which only Linux has.
describe.skipIf(process.platform !== 'linux')('a check on Linux', () => {
  test('ends if its call is cancelled, and the session continues', async () => {
    const place = await makePlace({ run: 'test -e fixed || { setsid sleep 411.1 & sleep 411.2; }' });
    const server = await place.start();
    const agent = await atTheStep(server);
    const id = 'to-cancel';
    const params = { name: 'collect_evidence', arguments: { session_token: agent.token } };
    server.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    await eventually(
      () => Promise.resolve(processesWith('411.')),
      (found) => found.length >= 2,
    );
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
    server.write(`${JSON.stringify(notification)}\n`);
    expect(await noneWith('411.')).toEqual([]);
    place.write('fixed', '');
    await eventually(
      () => agent.collect(),
      (found) => found?.['status'] === 'passed',
    );
    expect(await agent.call('next_activity', leave)).toMatchObject({ activity_id: 'report' });
  });

  test.each([
    ['prints 50 MB', 'head -c 50000000 /dev/zero | tr "\\0" x', 'passed'],
    ['prints 50 MB in lines', 'yes "a line of a test that says something" | head -c 50000000', 'passed'],
    ['never ends', "trap '' TERM; while :; do sleep 412.1; done", 'failed'],
    ['never stops printing', 'yes sleep 412.2', 'failed'],
    ['leaves processes behind', '(setsid sleep 412.3 &) ; nohup sleep 412.4 & sleep 412.5 & true', 'passed'],
    [
      'starts a daemon',
      'perl -MPOSIX -e "fork && exit; POSIX::setsid(); fork && exit; chdir q(/); close STDOUT; close STDERR; exec qw(sleep 412.6)"; sleep 0.2',
      'passed',
    ],
    [
      'starts more and more processes',
      'fork() { sleep 412.7 & }; while :; do fork; sleep 0.02; done',
      'failed',
    ],
    ['waits for input', 'read -r line || cat', 'passed'],
    ['reads from the terminal', 'read -r line < /dev/tty', 'failed'],
  ])('does not harm the server or the session if it %s', async (what, run, status) => {
    const place = await makePlace({ run: `test ! -e go || { ${run}; }`, timeout: '2s' });
    const server = await place.start();
    const agent = await atTheStep(server);
    expect(await agent.collect()).toMatchObject({ status: 'passed' });
    const idle = memoryOf(server);
    place.write('go', '');
    let peak = idle;
    const timer = setInterval(() => (peak = Math.max(peak, memoryOf(server))), 10);
    const from = performance.now();
    expect(await agent.collect()).toMatchObject({ status });
    clearInterval(timer);
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(await noneWith('412.')).toEqual([]);
    printFigures(`memory while a check ${what}`, {
      idle: `${idle.toFixed(0)} MB`,
      peak: `${peak.toFixed(0)} MB`,
    });
    expect(peak).toBeLessThan(1.25 * idle);
    await rm(join(place.folder, 'go'));
    expect(await agent.collect()).toMatchObject({ status: 'passed' });
    expect(await agent.call('next_activity', leave)).toMatchObject({ activity_id: 'report' });
  });

  test.each(['SIGKILL', 'SIGTERM', 'end of input'] as const)(
    'leaves no process if the server ends by %s, and the session continues on another server',
    async (how) => {
      const place = await makePlace({ run: 'test -e fixed || { setsid sleep 413.1 & sleep 413.2; }' });
      const server = await place.start();
      const agent = await atTheStep(server);
      expect(await agent.collect({ wait_ms: 300 })).toMatchObject({ status: 'running' });
      await eventually(
        () => Promise.resolve(processesWith('413.')),
        (found) => found.length >= 2,
      );
      if (how === 'end of input') server.endInput();
      else server.kill(how);
      await Promise.race([
        server.ended,
        pause(5000).then(() => Promise.reject(new Error('The server did not end.'))),
      ]);
      expect(await noneWith('413.')).toEqual([]);
      place.write('fixed', '');
      const later = agentAt(await place.start(), agent.token);
      expect(await later.call('next_activity', leave)).toMatchObject({ error: 'EVIDENCE_REQUIRED' });
      expect(await later.collect()).toMatchObject({ status: 'passed' });
      expect(await later.call('next_activity', leave)).toMatchObject({ activity_id: 'report' });
      expect(existsSync(join(place.folder, '.git/index.lock'))).toBe(false);
    },
  );
});
