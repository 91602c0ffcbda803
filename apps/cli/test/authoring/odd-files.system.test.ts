import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { flow } from '../support/definitions.ts';
import type { TestProject } from '../support/test-project.ts';
import { openTestProject } from '../support/test-project.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const canary = 'CANARY';

/** Returns the result of a command. A command that waits for a pipe is killed after a while. */
async function run(project: TestProject, args: readonly string[]): ReturnType<TestProject['run']> {
  const started = project.start(args);
  const timer = setTimeout(() => started.child.kill('SIGKILL'), 8_000);
  return started.ended.finally(() => clearTimeout(timer));
}

describe.skipIf(process.platform === 'win32')('a pipe instead of a file', () => {
  const open = async (...pipes: readonly string[]): Promise<TestProject> => {
    const project = await openTestProject(entry, { 'workflows/tea.json': flow('tea') });
    execFileSync('mkfifo', pipes, { cwd: project.root });
    return project;
  };

  test.each([
    ['convert', 'pipe.json', '--to', 'yaml'],
    ['migrate', 'pipe.json'],
    ['migrate', 'pipe.json', '--write'],
  ])('is refused by %s %s %s %s', async (...args) => {
    const { code, out, err } = await run(await open('pipe.json'), [...args, '--json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  });

  test.each([
    ['test', 'workflows'],
    ['test', 'workflows/tea.test.json'],
    ['test', 'workflows/pipe.json'],
    ['lint', 'workflows'],
    ['lint', 'workflows', '--fix'],
  ])('is reported as a problem by %s %s %s', async (...args) => {
    const project = await open('workflows/tea.test.json', 'workflows/pipe.json');
    const { code, out } = await run(project, [...args, '--json']);
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as { findings: readonly { file: string; code: string }[] };
    const found = findings.map((one) => `${one.file} ${one.code}`);
    const [, path = ''] = args;
    const file = path.endsWith('.json') ? path : 'workflows/pipe.json';
    expect(found).toContain(`${file} unreadable-file`);
  });
});

describe('a link that leads out of the source', () => {
  const open = async (): Promise<{ readonly project: TestProject; readonly secret: string }> => {
    const project = await openTestProject(entry, { 'workflows/tea.json': flow('tea') });
    const outside = await mkdtemp(join(tmpdir(), 'workflowlookup-outside-'));
    onTestFinished(() => rm(outside, { recursive: true, force: true }));
    await mkdir(join(outside, 'folder'));
    const secret = join(outside, 'folder', 'secret.yaml');
    await writeFile(secret, `${canary}: ${canary}\ntests:\n  - ${canary}: ${canary}\n`);
    return { project, secret };
  };

  test.each([
    ['test', 'workflows'],
    ['test', 'workflows', '--json'],
    ['test', 'workflows/tea.json'],
    ['lint', 'workflows', '--format', 'sarif'],
  ])('is not opened by %s %s %s %s', async (...args) => {
    const { project, secret } = await open();
    await symlink(secret, join(project.root, 'workflows', 'tea.test.yaml'));
    await symlink(secret, join(project.root, 'workflows', 'linked.yaml'));
    const { out, err } = await run(project, args);
    expect(out + err).not.toContain(canary);
    expect(out).toContain('leaves-source');
  });

  test('is followed if it stays in the source', async () => {
    const { project } = await open();
    await project.write('workflows/shared/plain.yaml', 'workflow: tea\ntests: [{name: plain}]\n');
    await symlink('shared/plain.yaml', join(project.root, 'workflows', 'tea.test.yaml'));
    const { out } = await run(project, ['test', 'workflows', '--json']);
    const { workflows } = JSON.parse(out) as { workflows: readonly { tests: readonly object[] }[] };
    expect(workflows[0]?.tests).toMatchObject([{ name: 'plain' }]);
  });
});
