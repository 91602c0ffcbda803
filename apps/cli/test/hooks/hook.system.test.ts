import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hookClients } from '../../src/hooks/hook/events.ts';
import type { RunningSession, TestCli } from '../support/test-cli.ts';
import { atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;

beforeAll(async () => {
  entry = await buildCli();
  cli = await openTestCli(entry);
}, 120_000);

afterAll(async () => {
  await cli.dispose();
  await removeApp(entry);
});

/** Sends an event to the hook as a client does, and returns what it prints. */
function send(
  event: object,
  { client = 'claude-code', state = cli.state, project = '' } = {},
): Record<string, unknown> | undefined {
  const args = [entry, 'hook', '--client', client, '--state', state];
  const input = JSON.stringify({ session_id: 'c1', cwd: cli.root, ...event });
  const env = { HOME: join(cli.root, 'home'), ...(project === '' ? {} : { CLAUDE_PROJECT_DIR: project }) };
  const text = execFileSync(process.execPath, args, { input, env, encoding: 'utf8' });
  return text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
}

function bind({ sid, token }: RunningSession, more: object = {}): void {
  const tool_response = [{ type: 'text', text: JSON.stringify({ session_id: sid, session_token: token }) }];
  const tool_name = 'mcp__workflowlookup__start_session';
  send({
    hook_event_name: 'PostToolUse',
    tool_name,
    tool_input: {},
    tool_use_id: 't',
    tool_response,
    ...more,
  });
}

const stop = { hook_event_name: 'Stop' };
const write = {
  hook_event_name: 'PreToolUse',
  tool_name: 'Write',
  tool_input: { file_path: 'a' },
  tool_use_id: 'w',
};

test('A stop in the middle is blocked with the next call, and after two blocks the session is parked', async () => {
  const running = await atFetch(cli);
  bind(running);
  const reply = send(stop);
  expect(reply).toMatchObject({ decision: 'block' });
  expect(reply?.['reason']).toContain(`next_activity {"session_token":"${running.token}"`);
  expect(reply?.['reason']).toContain('"step_id":"buy"');
  expect(send(stop)).toMatchObject({ decision: 'block' });
  expect(send(stop)).toBeUndefined();
  const { parked } = (await cli.host.operator.summary(running.sid)) ?? {};
  expect(parked).toMatchObject({ by: 'hook' });
  expect((await cli.host.operator.verify(running.sid)).problems).toEqual([]);
  // The agent can continue: the error has the current token.
  const error = await cli.host.sessions.move(running.token, {}).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'SESSION_CONFLICT', data: { session_token: expect.any(String) } });
});

test('After a compaction, a packet of at most 1,000 tokens says where the session is and what comes next', async () => {
  const running = await atFetch(cli);
  bind(running, { session_id: 'c2' });
  const reply = send({ hook_event_name: 'SessionStart', source: 'compact', session_id: 'c2' });
  const { additionalContext = '' } = (reply?.['hookSpecificOutput'] ?? {}) as {
    readonly additionalContext?: string;
  };
  for (const part of [
    running.sid,
    'errands',
    "'fetch'",
    'buy',
    `next_activity {"session_token":"${running.token}"`,
  ])
    expect(additionalContext).toContain(part);
  // A token of a model has about three characters, except in session tokens, where it has fewer.
  expect(additionalContext.length).toBeLessThanOrEqual(2500);
});

test('A policy that requires a session denies edits without one, in the format of each client', async () => {
  await mkdir(join(cli.root, '.workflowlookup'), { recursive: true });
  const policy = join(cli.root, '.workflowlookup', 'policy.yaml');
  await writeFile(policy, 'require_session: [edit]  # for everyone\n');
  const elsewhere = { session_id: 'none' };
  expect(send({ ...write, ...elsewhere })).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny' },
  });
  expect(send({ ...write, ...elsewhere }, { client: 'gemini' })).toMatchObject({ decision: 'deny' });
  expect(send({ ...write, ...elsewhere }, { client: 'cursor' })).toMatchObject({ permission: 'deny' });
  expect(send({ ...write, ...elsewhere }, { client: 'copilot' })).toMatchObject({
    permissionDecision: 'deny',
  });
  expect(send({ ...write, ...elsewhere }, { client: 'opencode' })).toMatchObject({ kind: 'deny' });
  await rm(policy);
  expect(send({ ...write, ...elsewhere })).toBeUndefined();
});

test('An agent that leaves the folder of the project still has to follow its policy', async () => {
  const away = { ...write, session_id: 'away', cwd: '/' };
  await withPolicy('require_session: [edit]\n', () => {
    expect(send(away)).toBeUndefined();
    expect(send({ ...away, workspace_roots: [cli.root] }, { client: 'cursor' })).toMatchObject({
      permission: 'deny',
    });
    expect(send(away, { project: cli.root })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });
}, 30_000);

test('A broken database does not block the client and is logged, unless the policy blocks tools then', async () => {
  const state = join(cli.root, 'broken');
  await mkdir(join(state, 'hooks'), { recursive: true });
  const running = await atFetch(cli);
  bind(running, { session_id: 'c3' });
  execFileSync('cp', ['-r', join(cli.state, 'hooks'), state]);
  await writeFile(join(state, 'sessions.db'), 'not a database');
  const client = { session_id: 'c3' };
  expect(send({ ...stop, ...client }, { state })).toBeUndefined();
  expect(send({ ...write, ...client }, { state })).toBeUndefined();
  expect(await readFile(join(state, 'hooks', 'errors.jsonl'), 'utf8')).toContain('"what":"Stop"');
  const policy = join(cli.root, '.workflowlookup', 'policy.yaml');
  await writeFile(policy, 'failure: block\n');
  expect(send({ ...write, ...client }, { state })).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny' },
  });
  expect(send({ ...stop, ...client }, { state })).toBeUndefined();
  await rm(policy);
});

/** Sends any text to the hook, and returns what it prints. */
function sendText(input: string | Buffer, client = 'claude-code'): string {
  const args = [entry, 'hook', '--client', client, '--state', cli.state];
  const options = { input, env: { HOME: cli.root }, cwd: cli.root, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, args, options);
}

async function withPolicy(text: string, work: () => void | Promise<void>): Promise<void> {
  const policy = join(cli.root, '.workflowlookup', 'policy.yaml');
  await mkdir(dirname(policy), { recursive: true });
  await writeFile(policy, text);
  try {
    await work();
  } finally {
    await rm(policy, { recursive: true });
  }
}

const texts = [
  '',
  'not JSON',
  '{"hook_event_name":"Stop"',
  'null',
  '[]',
  '7',
  '"Stop"',
  '{}',
  '{"hook_event_name":7}',
];

test.each(hookClients)(
  'A text that is not an event blocks nothing in %s',
  async (client) => {
    for (const text of texts) expect(sendText(text, client), text).toBe('');
    expect(sendText(Buffer.from([0xff, 0xfe, 0x00, 0x7b]), client)).toBe('');
    await withPolicy('failure: block\n', () => expect(sendText('not JSON', client)).toBe(''));
  },
  60_000,
);

test('An event without fields blocks nothing, unless it is a call and the policy denies it', async () => {
  const names = [
    'SessionStart',
    'SessionEnd',
    'UserPromptSubmit',
    'BeforeModel',
    'PreToolUse',
    'PostToolUse',
    'Stop',
  ];
  for (const hook_event_name of names) expect(sendText(JSON.stringify({ hook_event_name }))).toBe('');
  const call = { hook_event_name: 'PreToolUse', tool_name: 'Write' };
  await withPolicy('failure: block\n', () => {
    expect(sendText(JSON.stringify(call))).toContain('"deny"');
    expect(sendText(JSON.stringify({ hook_event_name: 'Stop' }))).toBe('');
  });
}, 30_000);

test('An event of 64 MB is read and handled like others', async () => {
  const content = 'x'.repeat(64 * 1024 * 1024);
  const big = { ...write, session_id: 'big', cwd: cli.root, tool_input: { file_path: 'a', content } };
  expect(sendText(JSON.stringify(big))).toBe('');
  await withPolicy('require_session: [edit]\n', () =>
    expect(sendText(JSON.stringify(big))).toContain('"deny"'),
  );
}, 60_000);

/** A Python program that starts a program with a non-blocking standard input, because Node cannot. */
const withoutWaiting = `import fcntl, os, subprocess, sys, time
r, w = os.pipe()
fcntl.fcntl(r, fcntl.F_SETFL, os.O_NONBLOCK)
child = subprocess.Popen(sys.argv[2:], stdin=r)
time.sleep(1)
os.write(w, sys.argv[1].encode())
os.close(w)
child.wait()
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

test.runIf(hasPython)(
  'An event that comes late through a non-blocking pipe is read',
  async () => {
    const event = JSON.stringify({ ...write, session_id: 'late', cwd: cli.root });
    const hook = [process.execPath, entry, 'hook', '--client', 'claude-code', '--state', cli.state];
    await withPolicy('require_session: [edit]\n', () => {
      const env = { HOME: cli.root, PATH: process.env['PATH'] };
      const options = { env, encoding: 'utf8' } as const;
      expect(execFileSync('python3', ['-c', withoutWaiting, event, ...hook], options)).toContain('"deny"');
    });
  },
  30_000,
);

test('A locked database lets the client continue before it ends the hook', async () => {
  const running = await atFetch(cli);
  bind(running, { session_id: 'locked' });
  const db = new Database(join(cli.state, 'sessions.db'));
  const startMs = performance.now();
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    expect(send({ ...stop, session_id: 'locked' })).toBeUndefined();
    expect(send({ ...write, session_id: 'locked' })).toBeUndefined();
    expect(
      send({ hook_event_name: 'SessionStart', source: 'compact', session_id: 'locked' }),
    ).toBeUndefined();
  } finally {
    db.exec('ROLLBACK');
    // SQLite releases the lock at the next access in this mode. After close() alone, it can stay until garbage
    // collection.
    db.pragma('locking_mode = NORMAL');
    db.prepare('SELECT * FROM meta').all();
    db.close();
  }
  expect(performance.now() - startMs).toBeLessThan(25_000);
}, 60_000);

test.each([
  ['a folder', (file: string) => mkdir(file)],
  ['a link to a device that never ends', (file: string) => symlink('/dev/zero', file)],
  ['a mistake', (file: string) => writeFile(file, 'stop: [')],
])('A policy that is %s blocks nothing', async (_, make) => {
  const folder = join(cli.root, 'odd-policy');
  const file = join(folder, '.workflowlookup', 'policy.yaml');
  await mkdir(dirname(file), { recursive: true });
  await make(file);
  expect(send({ ...write, cwd: folder, session_id: 'odd' })).toBeUndefined();
  expect(send({ ...stop, cwd: folder, session_id: 'odd' })).toBeUndefined();
  await rm(folder, { recursive: true });
});

test('A state directory that cannot be written to blocks nothing', async () => {
  const running = await atFetch(cli);
  bind(running, { session_id: 'full' });
  const hooks = join(cli.state, 'hooks');
  await rename(hooks, `${hooks}-before`);
  try {
    await writeFile(hooks, 'no folder');
    for (const event of [stop, write, { hook_event_name: 'SessionStart', source: 'compact' }])
      expect(send({ ...event, session_id: 'full' })).toBeUndefined();
  } finally {
    await rm(hooks);
    await rename(`${hooks}-before`, hooks);
  }
  expect(send({ ...stop, session_id: 'full' })).toMatchObject({ decision: 'block' });
}, 60_000);

/**
 * Returns the shortest time of several runs of each program in milliseconds, because a busy machine delays some runs.
 */
function shortest(runs: number, ...programs: readonly (() => void)[]): readonly number[] {
  const best = programs.map(() => Infinity);
  for (let run = 0; run < runs; run += 1)
    for (const [at, program] of programs.entries()) {
      const startMs = performance.now();
      program();
      best[at] = Math.min(best[at] ?? Infinity, performance.now() - startMs);
    }
  return best;
}

test('The hook starts in twice the time of Node if nothing is bound, and in three times with 10,000 sessions', async () => {
  const running = await atFetch(cli);
  bind(running, { session_id: 'c4' });
  await cli.host.close();
  const db = new Database(join(cli.state, 'sessions.db'));
  db.pragma('foreign_keys = OFF');
  const columns = db.prepare('SELECT * FROM sessions WHERE sid = ?').all(running.sid) as Record<
    string,
    unknown
  >[];
  const names = Object.keys(columns[0] ?? {}).filter((name) => name !== 'sid');
  const insert = db.prepare(
    `INSERT INTO sessions (sid, ${names.join(', ')}) SELECT ?, ${names.join(', ')} FROM sessions WHERE sid = ?`,
  );
  db.exec('BEGIN');
  for (let at = 0; at < 10_000; at += 1) insert.run(at.toString(16).padStart(20, '0'), running.sid);
  db.exec('COMMIT');
  db.close();
  const node = (): void => void execFileSync(process.execPath, ['-e', '']);
  const [floor = 0, unbound = 0, bound = 0] = shortest(
    15,
    node,
    () => expect(send({ ...write, session_id: 'unbound' })).toBeUndefined(),
    () => expect(send({ ...write, session_id: 'c4' })).toBeUndefined(),
  );
  expect(unbound).toBeLessThanOrEqual(2 * floor);
  expect(bound).toBeLessThanOrEqual(3 * floor);
}, 120_000);
