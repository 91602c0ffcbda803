import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { flow } from './definitions.ts';
import type { Desk } from './desk.ts';
import { openDesk } from './desk.ts';
import { buildCli, removeApp } from './workshop.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const canary = 'CANARY';

/** The result of a command; one that waits for a pipe is ended after a while. */
async function run(desk: Desk, args: readonly string[]): ReturnType<Desk['run']> {
  const started = desk.start(args);
  const timer = setTimeout(() => started.child.kill('SIGKILL'), 8_000);
  return started.ended.finally(() => clearTimeout(timer));
}

describe.skipIf(process.platform === 'win32')('a pipe in the place of a file', () => {
  const open = async (...pipes: readonly string[]): Promise<Desk> => {
    const desk = await openDesk(entry, { 'workflows/tea.json': flow('tea') });
    execFileSync('mkfifo', pipes, { cwd: desk.root });
    return desk;
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
  ])('is a finding of %s %s %s', async (...args) => {
    const desk = await open('workflows/tea.test.json', 'workflows/pipe.json');
    const { code, out } = await run(desk, [...args, '--json']);
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as { findings: readonly { file: string; code: string }[] };
    const found = findings.map((one) => `${one.file} ${one.code}`);
    const [, path = ''] = args;
    const file = path.endsWith('.json') ? path : 'workflows/pipe.json';
    expect(found).toContain(`${file} unreadable-file`);
  });
});

describe('a link that leads out of the source', () => {
  const open = async (): Promise<{ readonly desk: Desk; readonly secret: string }> => {
    const desk = await openDesk(entry, { 'workflows/tea.json': flow('tea') });
    const outside = await mkdtemp(join(tmpdir(), 'workflowlookup-outside-'));
    onTestFinished(() => rm(outside, { recursive: true, force: true }));
    await mkdir(join(outside, 'folder'));
    const secret = join(outside, 'folder', 'secret.yaml');
    await writeFile(secret, `${canary}: ${canary}\ntests:\n  - ${canary}: ${canary}\n`);
    return { desk, secret };
  };

  test.each([
    ['test', 'workflows'],
    ['test', 'workflows', '--json'],
    ['test', 'workflows/tea.json'],
    ['lint', 'workflows', '--format', 'sarif'],
  ])('is not opened by %s %s %s %s', async (...args) => {
    const { desk, secret } = await open();
    await symlink(secret, join(desk.root, 'workflows', 'tea.test.yaml'));
    await symlink(secret, join(desk.root, 'workflows', 'linked.yaml'));
    const { out, err } = await run(desk, args);
    expect(out + err).not.toContain(canary);
    expect(out).toContain('leaves-source');
  });

  test('is followed where it stays in the source', async () => {
    const { desk } = await open();
    await desk.write('workflows/shared/plain.yaml', 'workflow: tea\ntests: [{name: plain}]\n');
    await symlink('shared/plain.yaml', join(desk.root, 'workflows', 'tea.test.yaml'));
    const { out } = await run(desk, ['test', 'workflows', '--json']);
    const { workflows } = JSON.parse(out) as { workflows: readonly { tests: readonly object[] }[] };
    expect(workflows[0]?.tests).toMatchObject([{ name: 'plain' }]);
  });
});
