import { existsSync, openSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeProblem } from '@workflowlookup/host/flags';
import { buildApp, removeApp } from '../../stdio/test/built-app.ts';
import { openDesk } from './desk.ts';
import { jsonOf } from './json-schemas.ts';
import { buildCli } from './workshop.ts';

let entry: string;
const servers = new Map<string, string>();

beforeAll(async () => {
  entry = await buildCli();
  for (const app of ['stdio', 'http'])
    servers.set(app, await buildApp(fileURLToPath(new URL(`../../${app}`, import.meta.url))));
}, 120_000);

afterAll(async () => {
  for (const built of [entry, ...servers.values()]) await removeApp(built);
});

describe('a Node.js that is too old', () => {
  /** Makes the process say that it is of another version, before any program is loaded. */
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
  ])('is named by %s %j before anything else, with the one that is needed', async (app, args) => {
    const desk = await openDesk(servers.get(app) ?? entry);
    const env = { NODE_OPTIONS: pretending('18.20.4') };
    const { code, out, err } = await desk.run(args, { env });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^workflowlookup\S*: \S.*18\.20\.4.* 20\.19 .*\n$/);
  });

  test('is any before 20.19', () => {
    for (const version of ['18.20.4', '20.18.3', '16.0.0']) expect(nodeProblem(version)).toContain(version);
    for (const version of ['20.19.0', '20.20.1', '22.0.0', '30.1.0'])
      expect(nodeProblem(version)).toBeUndefined();
  });
});

describe.runIf(existsSync('/dev/full'))('output that can not be written', () => {
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
  ])('fails %j with a line that says so', async (args) => {
    const { root } = await openDesk(entry, { 'workflows/broken.json': '{' });
    const { code, err } = await toFull(root, args);
    expect(code).toBe(2);
    expect(err).not.toMatch(/\n +at /);
    expect(err).toMatch(/^workflowlookup: .*ENOSPC.*\(NOT_WRITTEN\)\n$/);
  });

  test('is reported as JSON with --json', async () => {
    const { root } = await openDesk(entry);
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
    const desk = await openDesk(servers.get(app) ?? entry, { 'a-file': '' });
    for (const named of ['./wrokflows', 'a-file', '~/no-such-folder']) {
      const { code, out, err } = await desk.run([...args, '--workflows', named], { input: 'x\n' });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`'${named}'`);
    }
  });

  test('has a code with --json', async () => {
    const desk = await openDesk(entry);
    const { code, err } = await desk.run(['validate', '--json', '--workflows', 'nowhere']);
    expect(code).toBe(2);
    expect(jsonOf('error', err)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  });

  test('is no error for a default directory, which may be made later', async () => {
    const desk = await openDesk(entry);
    const env = { WORKFLOW_STORAGE_PATH: join(desk.root, 'later') };
    expect(await desk.run(['validate'], { env })).toMatchObject({ code: 0, err: '' });
  });
});
