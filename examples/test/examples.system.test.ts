import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { buildApp, removeApp } from '../../apps/stdio/test/support/built-app.ts';
import { blocks } from '../../test/support/documents.ts';
import { makeCi } from '../../packages/evidence/test/support/ci.ts';
import { makeGitFolder } from '../../packages/evidence/test/support/git-folder.ts';
import type { Given, Ran } from './run-example.ts';
import { folder, run, runExample } from './run-example.ts';

/** The tests start processes, which takes long on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

let home: string;
let cli: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'workflowlookup-examples-'));
  cli = await buildApp(fileURLToPath(new URL('../../apps/cli', import.meta.url)));
}, 60_000);

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await removeApp(cli);
});

/** Runs the command line with its own home folder. */
function workflowlookup(args: readonly string[], given: Given = {}): Promise<Ran> {
  return run(process.execPath, { ...given, args: [cli, ...args], env: { HOME: home } });
}

const inProcess: readonly (readonly [file: string, input: string, says: RegExp])[] = [
  ['embed-engine.ts', '', /^Triage: reproduce, find-owner; refused once/],
  ['custom-session-store/main.ts', '', /^After a restart: pick-up done, sweep next/],
  ['custom-workflow-store/main.ts', '', /^Served: Stand-up\. Not served/],
  ['hand-over.ts', '', /^writer left write .*\nreviewer left review/],
  ['ask-the-user.ts', 'hold\n', /^The article .* Publish it\?\n.*\n.*\n> Ada answered: .*'hold'/],
];

test.each(inProcess)('The example %s prints the expected result', async (file, input, says) => {
  const ran = await runExample(file, { input, env: { HOME: home } });
  expect(ran).toEqual({ code: 0, out: expect.stringMatching(says), err: '' });
});

test('stdio-client.ts starts a server and follows a workflow', async () => {
  const ran = await runExample('stdio-client.ts', {
    args: [process.execPath, cli, 'serve', 'stdio'],
    env: { HOME: home },
  });
  expect(ran).toMatchObject({ code: 0, out: 'Completed release-note: collect, migration, write\n' });
});

test('http-client.ts can connect with its key, and not with another one', async () => {
  const made = await workflowlookup([
    'keys',
    'create',
    '--principal',
    'release-bot',
    '--scope',
    'read,write',
  ]);
  const flags = ['--auth', 'keys', '--port', '0', '--workflows', './workflow-ci/workflows'];
  const server = spawn(process.execPath, [cli, 'serve', 'http', ...flags], {
    cwd: folder,
    env: { HOME: home },
  });
  const [printed] = (await once(server.stdout, 'data')) as [Buffer];
  const [url = ''] = printed.toString().split('\n', 1);
  const call = (key: string): Promise<Ran> =>
    runExample('http-client.ts', { args: [url], env: { WORKFLOWLOOKUP_KEY: key } });
  const [right, wrong] = [await call(made.out.trim()), await call('wlk_none')];
  server.kill();
  await once(server, 'close');
  expect(right).toMatchObject({ code: 0, out: expect.stringMatching(/^Session \w+ is at 'write'\.\n$/) });
  expect(wrong).toMatchObject({ code: 1, out: '' });
});

test('attest-action signs the result of a check for the session that the commit names', async () => {
  const { runs, inputs } = parse(await readFile(join(folder, 'attest-action', 'action.yml'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
    readonly runs: {
      readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
    };
  };
  const [{ run: script, env } = { run: '', env: {} }] = runs.steps;
  const named = Object.values(env).flatMap(
    (value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? [],
  );
  expect(named.toSorted()).toEqual(Object.keys(inputs).toSorted());
  const project = makeGitFolder();
  const ci = makeCi();
  project.write('.workflowlookup/checks.yaml', 'checks: {test: {run: "test -z \\"$KEY\\""}}\n');
  project.git('add', '--all');
  project.git('commit', '--quiet', '-m', 'Change\n\nWorkflowlookup-Session: 3568e90d9512efea6050');
  const output = join(home, 'output');
  await writeFile(output, '');
  const ran = await run('bash', {
    args: ['-c', script],
    cwd: project.folder,
    env: {
      HOME: home,
      PATH: process.env['PATH'] ?? '',
      CHECK: 'test',
      KEY: await readFile(ci.secretFile, 'utf8'),
      SESSION: '',
      SERVER: '',
      COMMAND: `${process.execPath} ${cli}`,
      RUN_URL: 'https://github.com/ada/cart/actions/runs/1',
      RUNNER_TEMP: home,
      GITHUB_OUTPUT: output,
    },
  });
  expect(ran).toMatchObject({ code: 0, out: '' });
  const [, file = ''] = /^statement=(.*)$/m.exec(await readFile(output, 'utf8')) ?? [];
  const { payload } = JSON.parse(await readFile(file, 'utf8')) as { readonly payload: string };
  expect(JSON.parse(Buffer.from(payload, 'base64').toString())).toMatchObject({
    predicate: {
      result: 'PASSED',
      url: 'https://github.com/ada/cart/actions/runs/1',
      workflowlookup: { check: 'test', session: '3568e90d9512efea6050' },
    },
  });
});

test('attest-jobs runs the check in a job without the key, and signs in another one', async () => {
  interface Step {
    readonly name?: string;
    readonly run?: string;
    readonly env?: Readonly<Record<string, string>>;
  }
  const { jobs } = parse(await readFile(join(folder, 'attest-jobs', 'attest.yml'), 'utf8')) as {
    readonly jobs: Readonly<Record<'collect' | 'sign', { readonly steps: readonly Step[] }>>;
  };
  expect(JSON.stringify(jobs.collect)).not.toContain('secrets.');
  const project = makeGitFolder();
  const ci = makeCi();
  const runJob = (job: 'collect' | 'sign', cwd: string, more: Readonly<Record<string, string>> = {}) => {
    const step = jobs[job].steps.find(({ run: script = '' }) => script.includes('attest '));
    expect(Object.keys(step?.env ?? {})).toEqual(expect.arrayContaining(['COMMAND', ...Object.keys(more)]));
    const env = { HOME: home, PATH: process.env['PATH'] ?? '', RUNNER_TEMP: home, ...more };
    const command = `${process.execPath} ${cli}`;
    return run('bash', { args: ['-ec', step?.run ?? ''], cwd, env: { ...env, COMMAND: command } });
  };
  project.write('.gitignore', 'findings.json\n');
  project.write('.workflowlookup/checks.yaml', 'checks: {test: {run: "test -z \\"$KEY\\""}}\n');
  project.git('add', '--all');
  project.git('commit', '--quiet', '-m', 'Change');
  expect(await runJob('collect', project.folder)).toMatchObject({ code: 0 });
  await rename(join(project.folder, 'findings.json'), join(home, 'findings.json'));
  const signed = await runJob('sign', project.folder, {
    KEY: await readFile(ci.secretFile, 'utf8'),
    RUN_URL: 'https://github.com/ada/cart/actions/runs/1',
  });
  expect(signed).toMatchObject({ code: 0 });
  const { payload } = JSON.parse(await readFile(join(home, 'statement.json'), 'utf8')) as {
    readonly payload: string;
  };
  expect(JSON.parse(Buffer.from(payload, 'base64').toString())).toMatchObject({
    predicate: { result: 'PASSED', url: 'https://github.com/ada/cart/actions/runs/1' },
  });
});

describe('workflow-ci', () => {
  const place = join(folder, 'workflow-ci');
  let commands: readonly string[];

  beforeAll(async () => {
    const file = join(place, '.github', 'workflows', 'workflows.yml');
    const { jobs } = parse(await readFile(file, 'utf8')) as {
      readonly jobs: { readonly check: { readonly steps: readonly { readonly run?: string }[] } };
    };
    commands = jobs.check.steps.flatMap(({ run: command = [] }) => command);
  });

  /** Runs the commands of the workflow with the command line of this checkout. Returns those that failed. */
  async function check(cwd: string): Promise<readonly Ran[]> {
    const failed: Ran[] = [];
    for (const command of commands) {
      const [npx, yes, name, ...args] = command.split(' ');
      expect([npx, yes, name]).toEqual(['npx', '--yes', 'workflowlookup']);
      const ran = await workflowlookup(args, { cwd });
      if (ran.code !== 0) failed.push(ran);
    }
    return failed;
  }

  test('passes for a workflow that meets its tests', async () => {
    expect(commands).toHaveLength(2);
    expect(await check(place)).toEqual([]);
  });

  test.each([
    [
      'titel',
      /^::error file=workflows\/release-note\.yaml,line=\d+/m,
      'title: Write the note',
      'titel: Write the note',
    ],
    ['a rule that is gone', /breaking release that hides it/, 'value: Breaking', 'value: e'],
  ])('fails for %s', async (_, says, right, wrong) => {
    const copy = await mkdtemp(join(home, 'ci-'));
    await cp(join(place, 'workflows'), join(copy, 'workflows'), { recursive: true });
    const file = join(copy, 'workflows', 'release-note.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace(right, wrong));
    const failed = await check(copy);
    expect(failed.map(({ out }) => out).join('')).toMatch(says);
  });
});

test('The workflow in the examples matches the one in docs/authoring.md', async () => {
  const [shown] = blocks().filter(({ info }) => info === 'yaml activities');
  expect(shown?.text).toBe(await readFile(join(folder, 'workflows', 'article', 'workflow.yaml'), 'utf8'));
});

test('The README lists every example', async () => {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const entries = await readdir(folder, { withFileTypes: true });
  const others = new Set(['node_modules', 'test', 'workflows', 'README.md', 'package.json']);
  const examples = entries
    .map(({ name }) => name)
    .filter((name) => !others.has(name) && !name.startsWith('.'));
  expect(examples.filter((name) => !readme.includes(`](${name})`))).toEqual([]);
});
