import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCommand, commandEnvironment } from '../../src/checks/run-command.ts';

const environment = { PATH: process.env['PATH'] ?? '' };

function start(command: string | readonly string[], more: object = {}): ReturnType<typeof runCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  return runCommand({ command, folder, environment, timeoutMs: 20_000, ...more });
}

function run(...request: Parameters<typeof start>): ReturnType<typeof start>['result'] {
  return start(...request).result;
}

/** Returns the processes whose command line contains a text. */
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

/** Waits until no process has this text, because a killed process ends only when the machine finds time for it. */
async function expectNoProcess(text: string): Promise<void> {
  await expect.poll(() => processesWith(text)).toEqual([]);
}

test('A list is run without a shell, and a text with one', async () => {
  const list = await run(['echo', '$HOME; false']);
  expect(list).toMatchObject({ ended: 'itself', exitCode: 0, output: { tail: '$HOME; false\n' } });
  const text = await run('echo one >&2; echo two; exit 3');
  expect(text).toMatchObject({ ended: 'itself', exitCode: 3, output: { tail: 'one\ntwo\n', bytes: 8 } });
});

test('A command that does not exist, or that is ended by a signal, fails', async () => {
  expect(await run(['no-such-command'])).toMatchObject({ ended: 'itself', exitCode: 127 });
  expect(await run('kill -9 $$')).toMatchObject({ ended: 'itself', endedBy: 'SIGKILL' });
  expect(await run(['true'], { folder: '/no/such/folder' })).toMatchObject({ ended: 'not-started' });
});

test('An output of 50 MB is hashed completely and stored as 4 kB, within the memory of an idle server', async () => {
  const before = process.memoryUsage().rss;
  const { output } = await run("head -c 50000000 /dev/zero | tr '\\0' x; echo end");
  expect(output.bytes).toBe(50_000_004);
  expect(output.tail.length).toBe(4096);
  expect(output.tail.endsWith('xend\n')).toBe(true);
  const hash = createHash('sha256').update('x'.repeat(50_000_000)).update('end\n').digest('hex');
  expect(output.digest).toBe(`sha256:${hash}`);
  // The expected digest itself takes 50 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});

test('A command that never ends is killed at its timeout, even if it ignores SIGTERM', async ({ signal }) => {
  // Time only passes after the shell has written its line, because that can take a busy machine longer than a timeout.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { result, lastLine } = start(
    "exec 2>/dev/null; trap 'echo asked' TERM; echo on; while true; do sleep 0.0713; done",
    { timeoutMs: 200 },
  );
  // A failed expect.poll would let time pass.
  while (lastLine() !== 'on' && !signal.aborted) await nextTurn();
  vi.advanceTimersByTime(200);
  while (lastLine() !== 'asked' && !signal.aborted) await nextTurn();
  vi.advanceTimersByTime(1000);
  const { output, ...how } = await result;
  expect(how).toEqual({ ended: 'timeout', durationMs: expect.any(Number) });
  expect(output.tail).toBe('on\nasked\n');
  await expectNoProcess('0.0713');
});

test('A command that never stops writing is killed', async () => {
  expect(await run('yes', { maxBytes: 1_000_000 })).toMatchObject({ ended: 'too-much-output' });
});

test('A command that waits for input gets the end of input', async () => {
  expect(await run('read -r line; echo "got $?"')).toMatchObject({ output: { tail: 'got 1\n' } });
});

// After a longer command, another process may have the id of an earlier one.
test.each([0, 0.2])(
  'The processes that a command of %d seconds leaves behind are killed, even in their own session',
  async (seconds) => {
    const { ended, output } = await run(
      `sleep 310.1 & setsid sleep 310.2 & (setsid sh -c "sleep 310.3; true" &) ; sleep ${seconds}; echo left`,
    );
    expect({ ended, tail: output.tail }).toEqual({ ended: 'itself', tail: 'left\n' });
    for (const time of ['310.1', '310.2', '310.3']) await expectNoProcess(time);
  },
);

test('A cancelled command is killed with all its processes', async () => {
  const cancel = new AbortController();
  const running = run('sleep 311.1 & exec sleep 311.2', { signal: cancel.signal });
  await expect.poll(() => processesWith('sleep\u0000311.')).toHaveLength(2);
  cancel.abort();
  expect(await running).toMatchObject({ ended: 'cancelled' });
  await expectNoProcess('311.');
  expect(await run(['true'], { signal: cancel.signal })).toMatchObject({ ended: 'cancelled' });
});

test('No process of the command remains when the server is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  const program = join(folder, 'server.mjs');
  const command = 'sleep 312.1 & setsid sleep 312.2 & echo started > started; sleep 312.3';
  await build({
    stdin: {
      contents: `import { runCommand } from './run-command.ts';
runCommand({ command: '${command}', folder: '${folder}', environment: { PATH: process.env.PATH }, timeoutMs: 60000 });`,
      resolveDir: join(import.meta.dirname, '../../src/checks'),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@workflowlookup/source'],
    outfile: program,
  });
  const server = spawn(process.execPath, [program], { stdio: 'inherit' });
  await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true);
  expect(processesWith('312.').length).toBeGreaterThan(2);
  server.kill('SIGKILL');
  await expectNoProcess('312.');
});

test('The environment of a command has no secrets and no settings of the server', async () => {
  const from = {
    PATH: environment.PATH,
    HOME: '/home/ada',
    WORKFLOWLOOKUP_KEYS: 'a',
    GITHUB_TOKEN: 'b',
    NPM_TOKEN: 'c',
    PGPASSWORD: 'd',
    AWS_SECRET_ACCESS_KEY: 'e',
    GIT_DIR: '/elsewhere',
  };
  const names = Object.keys(commandEnvironment(from, { folder: '/work' })).toSorted();
  expect(names).toEqual(['CI', 'HOME', 'NO_COLOR', 'PATH']);
  const allowed = commandEnvironment(from, {
    folder: '/work',
    allowed: ['NPM_TOKEN', 'WORKFLOWLOOKUP_KEYS'],
  });
  expect(Object.keys(allowed)).toContain('NPM_TOKEN');
  expect(Object.keys(allowed)).not.toContain('WORKFLOWLOOKUP_KEYS');
  const { output } = await run('env', { environment: commandEnvironment(from, { folder: '/work' }) });
  expect(output.tail).not.toMatch(/=[a-e]$/m);
});

test.each(['', 'bin', '/project/bin'])('A search path %j does not find a program of the project', (PATH) => {
  expect(commandEnvironment({ PATH }, { folder: '/project' })).not.toHaveProperty('PATH');
});

test('An output is shown without control characters', async () => {
  const { output } = await run([
    'printf',
    '\\033[31mred\\033[0m\\033]0;title\\007 \\a\\r\\n\\342\\200\\256back',
  ]);
  expect(output.tail).toBe('red \\u{7}\n\\u{202e}back');
});
