import { mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseProblems, optionMessages } from '../../../../packages/host/test/support/messages.ts';
import type { Sandbox } from '../support/built-app.ts';
import { buildApp, createSandbox, flagsOf, removeApp } from '../support/built-app.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { eventually, openServer, startServer } from '../support/server-process.ts';

let entry: string;
let sandbox: Sandbox;
const started: ServerProcess[] = [];

beforeAll(async () => {
  entry = await buildApp();
}, 60_000);

beforeEach(async () => {
  sandbox = await createSandbox();
});

afterEach(async () => {
  for (const server of started.splice(0)) server.kill('SIGKILL');
  await sandbox.dispose();
});

afterAll(() => removeApp(entry));

function start(args = flagsOf(sandbox), env: Record<string, string> = {}): ServerProcess {
  const server = startServer({ entry, args, env: { HOME: sandbox.root, ...env }, cwd: sandbox.root });
  started.push(server);
  return server;
}

async function open(args = flagsOf(sandbox), env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await openServer({ entry, args, env: { HOME: sandbox.root, ...env }, cwd: sandbox.root });
  started.push(server);
  return server;
}

describe('the command line of the stdio server', () => {
  test('prints the version with --version and the usage with --help to standard output', async () => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    const version = start(['--version']);
    expect(await version.ended).toBe(0);
    expect(version.lines).toEqual([manifest.version]);
    const help = start(['--help']);
    expect(await help.ended).toBe(0);
    expect(help.lines[0]).toContain('Usage: workflowlookup-stdio');
  });

  test.each([
    {
      args: ['--tools', 'everything'],
      says: optionMessages.wrongWord('tools', ['lookup', 'sessions', 'all', 'extended'], 'everything'),
    },
    {
      args: ['--tokens', 'short'],
      says: optionMessages.wrongWord('tokens', ['reference', 'self-contained'], 'short'),
    },
    {
      args: ['--enforcement=hard'],
      says: optionMessages.wrongWord('enforcement', ['advisory', 'strict'], 'hard'),
    },
    { args: ['--gates', 'nobody'], says: optionMessages.wrongWord('gates', ['declared', 'human'], 'nobody') },
    {
      args: ['--autonomy', 'full'],
      says: optionMessages.wrongWord('autonomy', ['ask', 'reversible'], 'full'),
    },
    {
      args: ['--min-response-seconds', 'soon'],
      says: optionMessages.wrongSeconds('soon'),
    },
    { args: ['--writable'], says: "Unknown option '--writable'" },
    { args: ['--database', 'mysql://x'], says: databaseProblems.notPostgres() },
    { args: ['--wrokflows', 'x'], says: '--wrokflows' },
    { args: ['--workflows'], says: '--workflows' },
    { args: ['stray'], says: 'stray' },
  ])('refuses $args with a reason and exit code 2', async ({ args, says }) => {
    const server = start(args);
    expect(await server.ended).toBe(2);
    expect(server.errors()).toContain(says);
    expect(server.errors()).not.toContain('    at ');
    expect(server.lines).toEqual([]);
  });

  test('refuses a boolean environment variable with an unknown value', async () => {
    const server = start([], { WORKFLOW_INCLUDE_USER: 'perhaps' });
    expect(await server.ended).toBe(2);
    expect(server.errors()).toContain(optionMessages.wrongSwitch('WORKFLOW_INCLUDE_USER', 'perhaps'));
  });

  test.each([
    { args: ['--tools', 'lookup'], count: 5 },
    { args: ['--tools', 'sessions'], count: 17 },
    { args: ['--tools=all'], count: 22 },
    { args: ['--tools=extended'], count: 24 },
    { args: [], count: 24 },
  ])('offers $count tools with $args', async ({ args, count }) => {
    const server = await open([...flagsOf(sandbox), ...args]);
    const { result } = await server.request('tools/list');
    expect(result?.['tools']).toHaveLength(count);
  });
});

describe('the sources of definitions', () => {
  test('are the bundled workflows by default', async () => {
    const server = await open(['--no-user', '--no-project']);
    const { result } = await server.request('workflow_list');
    expect(result?.['workflows']).toHaveLength(11);
    expect(result?.['problems']).toBeUndefined();
  });

  test('override earlier ones, and a broken file does not fall back to an earlier one', async () => {
    await mkdir(join(sandbox.root, 'workflows'));
    await sandbox.write('workflows/release.json', {
      id: 'release',
      name: 'Ours',
      description: 'd',
      steps: [{ id: 'one', title: 't', prompt: 'p' }],
    });
    await sandbox.write('workflows/change-review.yaml', 'id: change-review\nname: [');
    const server = await open(['--workflows', './workflows']);
    expect(await server.request('workflow_get', { id: 'release' })).toMatchObject({
      result: { name: 'Ours' },
    });
    expect(await server.request('workflow_get', { id: 'change-review' })).toMatchObject({
      error: { code: -32002, data: { issues: [{ line: expect.any(Number), column: expect.any(Number) }] } },
    });
  });

  test('include directories from the environment and from options, with ~ for the home folder', async () => {
    await mkdir(join(sandbox.root, 'a'));
    await mkdir(join(sandbox.root, 'b'));
    const steps = [{ id: 'one', title: 't', prompt: 'p' }];
    await sandbox.write('a/x.json', { id: 'same-id', name: 'From a', description: 'd', steps });
    await sandbox.write('b/x.json', { id: 'same-id', name: 'From b', description: 'd', steps });
    const sources = {
      WORKFLOW_STORAGE_PATH: `${join(sandbox.root, 'b')}:~/a`,
      WORKFLOW_INCLUDE_BUNDLED: 'false',
    };
    const byEnvironment = await open(['--no-user', '--no-project'], sources);
    expect(await byEnvironment.request('workflow_get', { id: 'same-id' })).toMatchObject({
      result: { name: 'From a' },
    });
    const byFlag = await open(['--no-user', '--no-project', '--workflows', './b'], sources);
    expect(await byFlag.request('workflow_get', { id: 'same-id' })).toMatchObject({
      result: { name: 'From b' },
    });
  });
});

describe('the running server', () => {
  test('shows a changed file, and reports a broken one until it is repaired', async () => {
    const server = await open();
    const get = () => server.request('workflow_get', { id: 'review-flow' });
    const good = JSON.parse(await readFile(join(sandbox.root, 'review-flow.json'), 'utf8')) as object;
    expect(await get()).toMatchObject({ result: { name: 'Review' } });
    await sandbox.write('review-flow.json', '{"id":"review-flow",');
    expect(await eventually(get, ({ error }) => error !== undefined)).toMatchObject({
      error: { code: -32002 },
    });
    await sandbox.write('.next.json', { ...good, name: 'Mended' });
    await rename(join(sandbox.root, '.next.json'), join(sandbox.root, 'review-flow.json'));
    expect(await eventually(get, ({ result }) => result?.['name'] === 'Mended')).toMatchObject({
      result: { name: 'Mended' },
    });
    await rm(join(sandbox.root, 'review-flow.json'));
    expect(await eventually(get, ({ error }) => error?.code === -32001)).toMatchObject({
      error: { code: -32001 },
    });
  });

  test('does not follow a link out of the source', async () => {
    const outside = await createSandbox();
    await outside.write('secret.json', {
      id: 'secret-flow',
      name: 'SECRETNAME',
      description: 'd',
      steps: [{ id: 'one', title: 't', prompt: 'p' }],
    });
    await symlink(join(outside.root, 'secret.json'), join(sandbox.root, 'leak.json'));
    const server = await open();
    const { result } = await server.request('workflow_list');
    expect(JSON.stringify(result)).not.toContain('SECRETNAME');
    expect(JSON.stringify(result)).not.toContain(outside.root);
    expect(await server.request('workflow_get', { id: 'leak' })).toMatchObject({ error: { code: -32007 } });
    expect(await server.request('workflow_get', { id: 'secret-flow' })).toMatchObject({
      error: { code: -32001 },
    });
    await outside.dispose();
  });

  test('writes nothing to the folders that it can see', async () => {
    const before = await readdir(sandbox.root, { recursive: true });
    const server = await open([...flagsOf(sandbox), '--state', join(sandbox.root, 'state')]);
    await server.request('workflow_next', { workflowId: 'review-flow', completedSteps: [] });
    await server.request('list_workflows');
    await server.request('health_check');
    expect(await readdir(sandbox.root, { recursive: true })).toEqual(before);
  });
});

describe('the end of the server', () => {
  test('comes after the end of its input with exit code 0, and after all requests are answered', async () => {
    const server = await open();
    server.write('{"jsonrpc":"2.0","id":7,"method":"workflow_list"}\n');
    server.endInput();
    expect(await server.ended).toBe(0);
    expect(JSON.parse(server.lines.at(-1) ?? '')).toMatchObject({
      id: 7,
      result: { workflows: [{ id: 'review-flow' }] },
    });
  });

  test('comes after shutdown with exit code 0, even if the input stays open', async () => {
    const server = await open();
    expect(await server.request('shutdown')).toMatchObject({ result: null });
    expect(await server.ended).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('comes after %s with exit code 0', async (signal) => {
    const server = await open();
    server.kill(signal);
    expect(await server.ended).toBe(0);
  });

  test('comes without a message if the client stops reading', async () => {
    const server = await open();
    server.closeOutput();
    server.write('{"jsonrpc":"2.0","id":1,"method":"workflow_list"}\n'.repeat(50));
    expect(await server.ended).toBe(0);
    expect(server.errors()).toBe('');
  });
});
