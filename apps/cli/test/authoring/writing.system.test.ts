import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fileMessages } from '../../src/messages/common.ts';
import { flow, slips } from '../support/definitions.ts';
import type { TestProject } from '../support/test-project.ts';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import { atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

// A cloned project can contain links to files of the user. No command may write through them.

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const older = { ...flow('old-flow'), validationCriteria: undefined, functionDefinitions: [] };

/** Commands that write to `place`, with the content of `place` before. The rest of the project is valid. */
const writers: readonly {
  readonly args: readonly string[];
  readonly place: string;
  readonly before?: string;
}[] = [
  { args: ['lint', '--fix', '--no-bundled'], place: 'workflows/brew.yaml', before: slips },
  { args: ['lint', 'workflows/brew.yaml', '--fix'], place: 'workflows/brew.yaml', before: slips },
  { args: ['migrate', 'older/old.json', '--write'], place: 'older/old.json', before: JSON.stringify(older) },
  { args: ['convert', 'tea.json', '--to', 'yaml', '--out', 'out/tea.yaml'], place: 'out/tea.yaml' },
  { args: ['graph', 'tea-flow', '--out', 'out/tea.svg', '--force'], place: 'out/tea.svg' },
  { args: ['graph', 'tea-flow', '--out', 'out/tea.mmd'], place: 'out/tea.mmd' },
  { args: ['test', 'tea.json', '--junit', 'out/report.xml'], place: 'out/report.xml' },
  { args: ['connect', 'cursor', '--write', '--yes'], place: '.cursor/mcp.json' },
  { args: ['connect', 'claude-code', '--write', '--yes'], place: '.mcp.json' },
  { args: ['init', 'out', '--id', 'new-flow'], place: 'out/new-flow.yaml' },
];

describe('writing through links', () => {
  let project: TestProject;
  let home: string;

  beforeEach(async () => {
    const outside = await openTestProject(entry, { 'home/.keep': '' });
    home = join(outside.root, 'home');
    project = await openTestProject(entry, {
      'tea.json': flow('tea-flow'),
      'workflows/tea.json': flow('tea-flow'),
    });
  });

  const run = (args: readonly string[]) => project.run(args, { env: { HOME: home } });

  test.each(writers)(
    'does not change a file of the user with $args',
    async ({ args, place, before = 'private' }) => {
      const secret = join(home, 'secret');
      await writeFile(secret, before);
      await mkdir(dirname(join(project.root, place)), { recursive: true });
      await symlink(secret, join(project.root, place));
      const { code } = await run(args);
      expect(code).not.toBe(0);
      expect(await readFile(secret, 'utf8')).toBe(before);
      expect(await readlink(join(project.root, place))).toBe(secret);
    },
  );

  test.each(writers)('does not change a folder of the user with $args', async ({ args, place, before }) => {
    if (dirname(place) === '.') return;
    const folder = join(home, 'folder');
    await mkdir(folder);
    if (before !== undefined) await writeFile(join(folder, place.split('/')[1] ?? ''), before);
    await rm(join(project.root, dirname(place)), { recursive: true, force: true });
    await symlink(folder, join(project.root, dirname(place)));
    await run(args);
    const name = join(folder, place.split('/')[1] ?? '');
    expect(await readFile(name, 'utf8').catch(() => undefined)).toBe(before);
  });

  test('is refused with the name of the link and the next step', async () => {
    await symlink(join(home, 'mcp.json'), join(project.root, '.mcp.json'));
    const { code, err } = await run(['connect', 'claude-code', '--write', '--yes', '--json']);
    expect(code).toBe(2);
    expect(jsonOf('error', err)).toMatchObject({
      error: { code: 'UNSAFE_FILE', message: fileMessages.isLink('.mcp.json', undefined) },
    });
  });

  test('is allowed if folders inside the project are links', async () => {
    await mkdir(join(project.root, 'shared'));
    await symlink('shared', join(project.root, 'out'));
    expect(await run(['graph', 'tea-flow', '--out', 'out/tea.svg'])).toMatchObject({ code: 0 });
    expect(await project.read('shared/tea.svg')).toContain('<svg');
  });
});

describe('a file that is replaced', () => {
  test('keeps its mode, and hard links to it keep their text', async () => {
    const project = await openTestProject(entry, { 'workflows/brew.yaml': slips });
    const file = join(project.root, 'workflows/brew.yaml');
    await chmod(file, 0o640);
    await link(file, join(project.root, 'other-name'));
    await project.run(['lint', 'workflows', '--fix']);
    expect(await project.read('workflows/brew.yaml')).not.toBe(slips);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await project.read('other-name')).toBe(slips);
    expect(await project.list('workflows')).toEqual(['brew.yaml']);
  });

  // The test uses its own pipe instead of a real device, so that broken code can do no harm.
  test.runIf(process.platform !== 'win32')(
    'must be a regular file, so that a pipe stays a pipe',
    async () => {
      const project = await openTestProject(entry, { 'tea.json': flow('tea-flow') });
      const pipe = join(project.root, 'report.xml');
      execFileSync('mkfifo', [pipe]);
      const { code, err } = await project.run(['test', 'tea.json', '--junit', 'report.xml']);
      expect(code).toBe(2);
      expect(err).toContain(fileMessages.notRegularOutput('report.xml'));
      expect((await lstat(pipe)).isFIFO()).toBe(true);
    },
  );
});

describe('an export', () => {
  let cli: TestCli;

  beforeEach(async () => {
    cli = await openTestCli(entry);
    return () => cli.dispose();
  });

  test('follows no link and replaces no file', async () => {
    const { sid } = await atFetch(cli);
    const [victim, outside] = [join(cli.root, 'victim'), await openTestProject(entry)];
    await writeFile(victim, 'kept');
    await symlink(victim, join(cli.root, 'link.jsonl'));
    await symlink(outside.root, join(cli.root, 'out'));
    for (const file of ['link.jsonl', 'victim', 'out/x.jsonl'])
      expect(await cli.run(['sessions', 'export', sid, file])).toMatchObject({ code: 2, out: '' });
    expect(await readFile(victim, 'utf8')).toBe('kept');
    expect(await outside.list('.')).toEqual([]);
    expect(await cli.run(['sessions', 'export', sid, 'new.jsonl'])).toMatchObject({ code: 0 });
  });
});
