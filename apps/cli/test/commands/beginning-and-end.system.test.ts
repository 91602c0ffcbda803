import { existsSync, openSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeProblem } from '@workflowlookup/host/flags';
import { buildApp, removeApp } from '../../../stdio/test/support/built-app.ts';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli } from '../support/test-cli.ts';

let entry: string;
const servers = new Map<string, string>();

beforeAll(async () => {
  entry = await buildCli();
  for (const app of ['stdio', 'http'])
    servers.set(app, await buildApp(fileURLToPath(new URL(`../../../${app}`, import.meta.url))));
}, 120_000);

afterAll(async () => {
  for (const built of [entry, ...servers.values()]) await removeApp(built);
});

describe('a Node.js that is too old', () => {
  /** Returns a Node.js flag that makes a process report another version of Node.js before it loads the program. */
  const pretending = (version: string): string => {
    const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    return `--import=data:text/javascript,${encodeURIComponent(code)}`;
  };

  test.each([
    ['cli', ['list']],
    ['cli', ['list', '--json']],
    ['cli', ['doctor']],
    ['cli', ['--version']],
    ['stdio', []],
    ['http', ['--port', '0']],
  ])('is the first thing that %s %j reports, with the version that is needed', async (app, args) => {
    const project = await openTestProject(servers.get(app) ?? entry);
    const env = { NODE_OPTIONS: pretending('18.20.4') };
    const { code, out, err } = await project.run(args, { env });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^workflowlookup\S*: \S.*18\.20\.4.* 20\.19 .*\n$/);
  });

  test('is any version before 20.19', () => {
    for (const version of ['18.20.4', '20.18.3', '16.0.0']) expect(nodeProblem(version)).toContain(version);
    for (const version of ['20.19.0', '20.20.1', '22.0.0', '30.1.0'])
      expect(nodeProblem(version)).toBeUndefined();
  });
});

describe('an installation without the file that has the commands', () => {
  /** Copies the program without this file, and runs the copy. */
  async function runIncomplete(args: readonly string[]) {
    const project = await openTestProject(entry, { 'package.json': { type: 'module' } });
    const copy = join(project.root, 'dist');
    const isKept = (path: string): boolean => !basename(path).startsWith('program-');
    await cp(dirname(entry), copy, { recursive: true, filter: isKept });
    return project.run(args, { entry: join(copy, basename(entry)) });
  }

  test('makes a command fail with a line that names the file', async () => {
    const { code, out, err } = await runIncomplete(['validate']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^workflowlookup: .*program-.* \(ERR_MODULE_NOT_FOUND\)\n$/);
  });

  test('is reported as JSON with --json', async () => {
    const { code, out, err } = await runIncomplete(['validate', '--json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(jsonOf('error', err)).toMatchObject({ error: { code: 'ERR_MODULE_NOT_FOUND' } });
  });
});

describe.runIf(existsSync('/dev/full'))("output that can't be written", () => {
  const toFull = (cwd: string, args: readonly string[]) =>
    new Promise<{ readonly code: number | null; readonly err: string }>((resolve) => {
      const child = spawn(process.execPath, [entry, ...args], {
        cwd,
        env: { PATH: process.env['PATH'], HOME: cwd },
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      });
      let err = '';
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
      child.on('close', (code) => resolve({ code, err }));
    });

  test.each([
    [['list']],
    [['--version']],
    [['--help']],
    [['graph', 'meta']],
    [['completion', 'bash']],
    [['validate', '--format', 'github']],
  ])('makes %j fail with a line that says so', async (args) => {
    const { root } = await openTestProject(entry, { 'workflows/broken.json': '{' });
    const { code, err } = await toFull(root, args);
    expect(code).toBe(2);
    expect(err).not.toMatch(/\n +at /);
    expect(err).toMatch(/^workflowlookup: .*ENOSPC.*\(NOT_WRITTEN\)\n$/);
  });

  test('is reported as JSON with --json', async () => {
    const { root } = await openTestProject(entry);
    const { code, err } = await toFull(root, ['show', 'meta', '--json']);
    expect(code).toBe(2);
    expect(jsonOf('error', err)).toMatchObject({ error: { code: 'NOT_WRITTEN' } });
  });
});

describe('a --workflows directory that does not exist', () => {
  test.each([
    ['cli', ['validate']],
    ['cli', ['lint', '--watch']],
    ['cli', ['test']],
    ['cli', ['list']],
    ['cli', ['sources']],
    ['cli', ['show', 'meta']],
    ['cli', ['graph', 'meta']],
    ['cli', ['run', 'meta']],
    ['cli', ['serve', 'http', '--port', '0']],
    ['cli', ['serve', 'stdio']],
    ['http', ['--port', '0']],
    ['stdio', []],
  ])('is an error of %s %j', async (app, args) => {
    const project = await openTestProject(servers.get(app) ?? entry, { 'a-file': '' });
    for (const named of ['./wrokflows', 'a-file', '~/no-such-folder']) {
      const { code, out, err } = await project.run([...args, '--workflows', named], { input: 'x\n' });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`'${named}'`);
    }
  });

  test('is reported with a code with --json', async () => {
    const project = await openTestProject(entry);
    const { code, err } = await project.run(['validate', '--json', '--workflows', 'nowhere']);
    expect(code).toBe(2);
    expect(jsonOf('error', err)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  });

  test('is not an error for a default directory, which can be created later', async () => {
    const project = await openTestProject(entry);
    const env = { WORKFLOW_STORAGE_PATH: join(project.root, 'later') };
    expect(await project.run(['validate'], { env })).toMatchObject({ code: 0, err: '' });
  });
});
