import { exec } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseProblems, keyMessages } from '../../../../packages/host/test/support/messages.ts';
import { databaseMessages, postgresFailures } from '../../../../packages/storage/test/support/messages.ts';
import { eventually } from '../../../stdio/test/support/server-process.ts';
import manifest from '../../package.json' with { type: 'json' };
import { optionMessages } from '../../src/messages/common.ts';
import { doctorMessages } from '../../src/messages/server.ts';
import { checkDisk, checkNode } from '../../src/server/doctor.ts';
import { oldestNode } from '@workflowlookup/host/flags';
import type { CliOptions } from '../support/cli-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import { atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  cli = await openTestCli(entry);
});

afterEach(() => cli.dispose());

afterAll(() => removeApp(entry));

interface Check {
  readonly name: string;
  readonly status: string;
  readonly says: string;
  readonly fix?: string;
}

/**
 * Runs doctor on the definitions, and returns its checks. Expects that each name occurs once and that problems come
 * first.
 */
async function examine(args: readonly string[] = [], more?: Partial<CliOptions>): Promise<readonly Check[]> {
  const flags = ['--no-bundled', '--workflows', 'definitions', ...args];
  const { code, out } = await cli.run(['doctor', '--json', ...flags], more);
  const { ok, checks } = jsonOf('doctor', out) as { ok: boolean; checks: readonly Check[] };
  expect(code).toBe(ok ? 0 : 1);
  for (const { status, fix } of checks) expect(fix !== undefined).toBe(status === 'problem');
  return checks;
}

const problemsOf = (checks: readonly Check[]) =>
  checks
    .filter(({ status }) => status === 'problem')
    .map(({ name, says, fix }) => ({ name, says: cli.mask(says), fix: cli.mask(fix ?? '') }));
const find = (checks: readonly Check[], name: string) => checks.find((check) => check.name === name);

test('doctor reports that there are no problems, and creates nothing', async () => {
  const { code, out, err } = await cli.run(['doctor', '--no-bundled', '--workflows', 'definitions']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const lines = cli.mask(out).split('\n');
  expect(lines.slice(0, -3).map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ['ok', 'node'],
    ['skipped', 'source user'],
    ['skipped', 'source project'],
    ['ok', 'source custom-1'],
    ['ok', 'definitions'],
    ['skipped', 'state'],
    ['ok', 'disk'],
    ['skipped', 'keys'],
    ['skipped', 'database'],
    ['ok', 'server'],
  ]);
  expect(lines.slice(-3)).toEqual(['', doctorMessages.noProblems, '']);
  expect(await readdir(cli.root)).toEqual(['definitions']);
});

test('doctor opens the stored data, and creates nothing', async () => {
  await atFetch(cli);
  await cli.host.close();
  const before = await readdir(cli.state, { recursive: true });
  const checks = await examine();
  for (const name of ['state', 'database', 'keys']) expect(find(checks, name)?.status).toBe('ok');
  expect(find(checks, 'database')?.says).toMatch(/\d{4}-\d\d-\d\dT/);
  expect(find(checks, 'keys')?.says).toBe(doctorMessages.keys(1));
  expect(await readdir(cli.state, { recursive: true })).toEqual(before);
});

describe('doctor reports', () => {
  test('missing and invalid directories, and unusable files', async () => {
    await writeFile(join(cli.root, 'file'), '');
    await writeFile(join(cli.definitions, 'broken.json'), '{');
    const checks = await examine(['--workflows', 'nowhere', '--workflows', 'file']);
    expect(problemsOf(checks)).toEqual([
      { name: 'source custom-2', ...doctorMessages.sourceMissing('ROOT/nowhere') },
      { name: 'source custom-3', ...doctorMessages.sourceNotDirectory('ROOT/file') },
      { name: 'definitions', ...doctorMessages.refused(1, ['broken.json']) },
      // A server does not start with such a flag.
      { name: 'server', says: expect.any(String), fix: doctorMessages.runStdio },
    ]);
  });

  test('files that others can read, with the command that fixes it', async () => {
    await atFetch(cli);
    await cli.host.close();
    await chmod(cli.state, 0o755);
    await chmod(join(cli.state, 'keys', 'token-key'), 0o640);
    const [found, ...others] = problemsOf(await examine());
    // A key that others can read is not used.
    expect(others).toContainEqual({
      name: 'keys',
      says: expect.stringMatching(/'keys\/token-key'.*0640/),
      fix: expect.stringContaining('chmod go-rwx keys/token-key'),
    });
    const open = doctorMessages.stateOpen('ROOT/state, ROOT/state/keys/token-key', 'ROOT/state');
    expect(found).toEqual({ name: 'state', ...open });
    const [, command = ''] = (found?.fix ?? '').replace('ROOT', cli.root).split(': ');
    await promisify(exec)(command);
    expect(problemsOf(await examine())).toEqual([]);
    expect((await stat(join(cli.state, 'keys', 'token-key'))).mode & 0o777).toBe(0o600);
  });

  test('an unsealed line in the list of revoked keys', async () => {
    await atFetch(cli);
    await cli.host.close();
    const [file, id] = [join(cli.state, 'revoked-keys.jsonl'), '1f4c9a20b7e3'];
    const line = JSON.stringify({ id, at: '2020-01-01T00:00:00.000Z' });
    await writeFile(file, `${line}\n`, { mode: 0o600 });
    expect(problemsOf(await examine())).toEqual([
      { name: 'keys', ...doctorMessages.unsealedRevocations([id]) },
    ]);
    expect(await readFile(file, 'utf8')).toBe(`${line}\n`);
  });

  test('a damaged database and unreadable keys', async () => {
    await mkdir(join(cli.state, 'keys'), { recursive: true, mode: 0o700 });
    await chmod(cli.state, 0o700);
    await writeFile(join(cli.state, 'sessions.db'), 'no database, but long enough to be read', {
      mode: 0o600,
    });
    await writeFile(join(cli.state, 'keys', 'token-key'), 'short\n', { mode: 0o600 });
    expect(problemsOf(await examine())).toEqual([
      {
        name: 'keys',
        says: expect.stringContaining(keyMessages.lineOfFile(0, 'keys/token-key')),
        fix: expect.any(String),
      },
      { name: 'database', says: expect.any(String), fix: expect.any(String) },
    ]);
  });

  test('invalid keys in the environment', async () => {
    const [found] = problemsOf(await examine([], { env: { WORKFLOWLOOKUP_KEYS: 'abc' } }));
    expect(found?.name).toBe('keys');
    expect(`${found?.says} ${found?.fix}`).not.toContain('abc');
  });

  test('a remote database that does not answer', async () => {
    const [found] = problemsOf(await examine(['--database', 'postgres://ana:secret@127.0.0.1:1/x']));
    const fix = `${postgresFailures.unavailable.remedy}.`;
    const says = databaseMessages.failed(postgresFailures.unavailable).replace(` ${fix}`, '');
    expect(found).toEqual({ name: 'database', says, fix });
  });

  test('a state directory that is a file', async () => {
    await writeFile(join(cli.root, 'file'), '');
    expect(problemsOf(await examine(['--state', 'file']))[0]).toEqual({
      name: 'state',
      ...doctorMessages.stateNotDirectory('ROOT/file'),
    });
  });

  test('a nearly full disk, and a Node.js that is too old', async () => {
    const room = (bytes: number) => async () => ({ bavail: bytes / 4096, bsize: 4096 });
    expect(await checkDisk(cli.root, room(99_000_000))).toMatchObject({ status: 'problem' });
    expect(await checkDisk(cli.root, room(101_000_000))).toMatchObject({ status: 'ok' });
    for (const version of ['18.20.0', '20.18.3'])
      expect(checkNode(version)).toMatchObject({
        status: 'problem',
        fix: 'Install Node.js 20.19 or later.',
      });
    expect(manifest.engines.node).toBe(`>=${oldestNode}`);
    for (const version of ['20.19.0', '22.0.0', '24.1.0'])
      expect(checkNode(version)).toMatchObject({ status: 'ok' });
  });

  test('a state directory that this user cannot write to', async (context) => {
    const other = { uid: 65_534, gid: 65_534 };
    const user = process.getuid?.() === 0 ? other : {};
    await chmod(cli.root, 0o755);
    const { code } = await cli.run(['--version'], user).catch(() => ({ code: 1 }));
    if (code !== 0) return context.skip('another user cannot read this checkout');
    await mkdir(cli.state, { mode: 0o500 });
    await chmod(cli.root, 0o555);
    const found = problemsOf(await examine(['--state', 'below/state'], user));
    await chmod(cli.root, 0o755);
    expect(found).toEqual([{ name: 'state', ...doctorMessages.stateNotWritable('ROOT', 'EACCES', 'ROOT') }]);
  });
});

describe('doctor with the address of a server', () => {
  const flags = ['--port', '0', '--no-bundled', '--no-user', '--no-project', '--workflows', 'definitions'];

  async function serving(more: readonly string[], work: (url: string) => Promise<void>): Promise<void> {
    const server = cli.start(['serve', 'http', ...flags, ...more]);
    const url = await eventually(
      async () => server.out().split('\n', 1)[0] ?? '',
      (line) => /\/mcp(\/[\w-]+)?$/.test(line),
    );
    await work(url);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  }

  test('checks its health, its readiness and an answer to a client', async () => {
    await serving([], async (url) => {
      const checks = await examine(['--url', url]);
      expect(checks.map(({ name, status }) => [name, status])).toEqual([
        ['node', 'ok'],
        ['health', 'ok'],
        ['ready', 'ok'],
        ['server', 'ok'],
      ]);
      const says = find(checks, 'server')?.says.replace(/\d+ ms/, '0 ms');
      expect(says).toBe(doctorMessages.answers(24, 1, 0));
    });
  });

  test('reports that the address lacks its token', async () => {
    await serving([], async (url) => {
      expect(url).toMatch(/\/mcp\/[\w-]{32}$/);
      for (const wrong of [url.replace(/\/[\w-]+$/, ''), `${url}x`])
        expect(problemsOf(await examine(['--url', wrong]))).toEqual([
          {
            name: 'server',
            says: expect.stringContaining('403'),
            fix: doctorMessages.giveWholeUrl,
          },
        ]);
    });
  });

  test('names the missing key, and accepts the one that is created', async () => {
    await serving(['--auth', 'keys'], async (url) => {
      expect(problemsOf(await examine(['--url', url]))).toEqual([
        {
          name: 'server',
          says: expect.stringContaining('401'),
          fix: doctorMessages.nameKey,
        },
      ]);
      const made = await cli.run(['keys', 'create', '--principal', 'ana', '--scope', 'read']);
      const env = { TEAM_KEY: made.out.trim() };
      expect(problemsOf(await examine(['--url', url, '--key-env', 'TEAM_KEY'], { env }))).toEqual([]);
    });
  });

  test('reports an address where nobody or another program answers', async () => {
    const [nobody] = problemsOf(await examine(['--url', 'http://127.0.0.1:9/mcp']));
    expect(nobody).toMatchObject({ name: 'health', fix: doctorMessages.unreachable('', '').fix });
    await serving([], async (url) => {
      const [wrong] = problemsOf(await examine(['--url', new URL('/some/where/', url).href]));
      expect(wrong).toMatchObject({ name: 'health', fix: doctorMessages.giveUrl });
    });
  });

  test.each([
    { args: ['--url', 'flows'], says: optionMessages.url },
    { args: ['--url', 'http://ana:secret@127.0.0.1:1/mcp'], says: optionMessages.url },
    {
      args: ['--url', 'http://127.0.0.1:1', '--key-env', 'NO_SUCH_KEY'],
      says: optionMessages.keyEnvUnset('NO_SUCH_KEY'),
    },
    { args: ['--key-env', 'PATH'], says: optionMessages.keyEnvWithoutUrl },
    { args: ['--database', 'mysql://x'], says: databaseProblems.notPostgres() },
  ])('refuses $args', async ({ args, says }) => {
    const { code, out, err } = await cli.run(['doctor', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
    expect(err).not.toContain('secret');
  });
});
