import { chmod, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log, Run } from 'sarif';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flow, slips } from '../support/definitions.ts';
import { asAnotherUser, openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

describe('--format sarif', () => {
  test('prints a log for GitHub and editors, with known rules, existing files and working fixes', async () => {
    const name = 'in/tea & 茶.yaml';
    const project = await openTestProject(entry, { [name]: slips, 'in/b.json': '{' });
    const { code, out } = await project.run(['lint', 'in', '--format', 'sarif']);
    expect(code).toBe(1);
    const { version, runs, $schema } = JSON.parse(out) as Log;
    expect({ version, $schema, runs: runs.length }).toEqual({
      version: '2.1.0',
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      runs: 1,
    });
    const [{ tool, results = [], columnKind }] = runs as [Run];
    expect(columnKind).toBe('utf16CodeUnits');
    expect(results.map(({ ruleId, level }) => `${ruleId} ${level}`)).toEqual([
      'syntax-error error',
      'missing-property error',
      'unknown-property error',
      'broken-condition error',
      'wrong-value error',
    ]);
    for (const { ruleId, ruleIndex = -1, message, locations } of results) {
      expect(tool.driver.rules?.[ruleIndex]?.id).toBe(ruleId);
      expect(message.text?.split('\n')).toHaveLength(2);
      const { artifactLocation: { uri = '' } = {}, region } = locations?.[0]?.physicalLocation ?? {};
      expect(['in/b.json', name]).toContain(decodeURIComponent(uri));
      expect(new URL(uri, 'file:///x/').href).toBe(`file:///x/${uri}`);
      expect(region).toEqual({ startLine: expect.any(Number), startColumn: expect.any(Number) });
    }
    const replacements = results.flatMap(({ fixes = [] }) =>
      fixes.flatMap(({ artifactChanges }) => artifactChanges.flatMap((change) => change.replacements)),
    );
    expect(replacements).toEqual([
      {
        deletedRegion: { charOffset: slips.indexOf('titel'), charLength: 5 },
        insertedContent: { text: 'title' },
      },
      {
        deletedRegion: { charOffset: slips.indexOf('==='), charLength: 3 },
        insertedContent: { text: '==' },
      },
    ]);
  });
});

describe('--format github', () => {
  test('prints one line for each problem, and no text can end the line early', async () => {
    const project = await openTestProject(entry, { 'a,b:c%.json': flow('a-flow', { '50%': 'x' }) });
    const { out } = await project.run(['lint', '.', '--format', 'github']);
    expect(out).toMatch(
      /^::error file=a%2Cb%3Ac%25\.json,line=1,col=\d+,title=unknown-property::Unknown property '50%25'%0AUse one of .*\n$/,
    );
  });
});

describe('--fix', () => {
  test('applies safe fixes, keeps everything else exactly, and shows what it changed', async () => {
    const project = await openTestProject(entry, { 'brew.yaml': slips.replace('    agentRole: Chef\n', '') });
    const { code, out } = await project.run(['lint', 'brew.yaml', '--fix']);
    expect(code).toBe(0);
    expect(await project.read('brew.yaml')).toBe(
      slips
        .replace('    agentRole: Chef\n', '')
        .replace('titel', 'title')
        .replace('===', '==')
        .replace('Brew tea.\n', 'Brew tea.\nversion: 1.0.0\n'),
    );
    expect(out).toContain('-    titel: Boil\n+    title: Boil\n');
    expect(out).toContain('+version: 1.0.0\n');
    expect(out).toMatch(/Checked 1 workflow: no problems\.\n$/);
  });

  test('leaves unsafe fixes to the author, and says so', async () => {
    const project = await openTestProject(entry, { 'brew.yaml': slips });
    const { code, out } = await project.run(['lint', 'brew.yaml', '--fix', '--json']);
    expect(code).toBe(1);
    expect(jsonOf('lint', out)).toMatchObject({
      errors: 1,
      findings: [{ code: 'wrong-value', isFixable: false }],
      fixed: [{ file: 'brew.yaml', diff: expect.stringContaining('+    title: Boil') as string }],
    });
  });

  test('keeps a byte order mark and the mode of the file', async () => {
    const project = await openTestProject(entry, {
      'a.json': `\uFEFF${JSON.stringify(flow('a-flow', { version: undefined }))}`,
    });
    await chmod(join(project.root, 'a.json'), 0o640);
    expect((await project.run(['lint', 'a.json', '--fix'])).code).toBe(0);
    expect((await stat(join(project.root, 'a.json'))).mode & 0o777).toBe(0o640);
    expect(await project.read('a.json')).toMatch(/^\uFEFF\{.*"version": "1\.0\.0"/);
  });

  test('changes nothing in a folder without write permission', async (context) => {
    const project = await openTestProject(entry, { 'in/brew.yaml': slips });
    await chmod(project.root, 0o755);
    await chmod(join(project.root, 'in'), 0o555);
    const { code, err } = await project.run(['lint', 'in', '--fix'], await asAnotherUser(project, context));
    expect(code).toBe(2);
    expect(err).toMatch(/EACCES|permission denied/);
    expect(await readFile(join(project.root, 'in/brew.yaml'), 'utf8')).toBe(slips);
  });
});

describe('--watch', () => {
  test('lints again after each change, until Ctrl-C', async () => {
    const project = await openTestProject(entry, { 'in/a.json': flow('a-flow', { version: undefined }) });
    const cli = project.start(['lint', 'in', '--watch', '--json']);
    // Only whole lines, because the last one can be incomplete.
    const lines = (): readonly string[] => cli.out().split('\n').slice(0, -1);
    // A file that is written in place can be read while it is empty, which causes another report.
    const replace = async (content: string): Promise<void> => {
      await project.write('a.new', content);
      await rename(join(project.root, 'a.new'), join(project.root, 'in/a.json'));
    };
    await expect.poll(lines, { timeout: 15_000 }).toHaveLength(1);
    await replace('{');
    await expect.poll(lines, { timeout: 15_000 }).toHaveLength(2);
    await replace(JSON.stringify(flow('a-flow')));
    await expect.poll(lines, { timeout: 15_000 }).toHaveLength(3);
    cli.child.kill('SIGINT');
    expect((await cli.ended).code).toBe(0);
    const found = lines().map((line) => jsonOf('lint', line) as { findings: { code: string }[] });
    expect(found.map(({ findings }) => findings.map(({ code }) => code))).toEqual([
      ['missing-version'],
      ['syntax-error'],
      [],
    ]);
  });
});
