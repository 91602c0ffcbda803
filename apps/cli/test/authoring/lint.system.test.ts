import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionMessages } from '../../src/messages/definitions.ts';
import { fileMessages, optionMessages } from '../../src/messages/common.ts';
import { bakery, flow, slips } from '../support/definitions.ts';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

describe('lint', () => {
  test('shows each problem with its position, the lines around it and a suggestion', async () => {
    const project = await openTestProject(entry, { 'workflows/brew.yaml': slips });
    const { code, out, err } = await project.run(['lint', 'workflows/brew.yaml']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toBe(
      `workflows/brew.yaml:6:5 error Missing required property 'title' in step 'boil' (missing-property)
  5 | steps:
> 6 |   - id: boil
    |     ^
  7 |     titel: Boil
  help: Add required 'title' field with a name people can read

workflows/brew.yaml:7:5 error Unknown property 'titel' in step 'boil', close to 'title' (unknown-property)
  6 |   - id: boil
> 7 |     titel: Boil
    |     ^
  8 |     prompt: Boil the water.
  help: Did you mean 'title'?

workflows/brew.yaml:12:19 error Column 5: Expected "and", "or" or the end, found "===" (broken-condition)
  11 |     prompt: Pour it.
> 12 |     runCondition: hot === true
     |                   ^
  13 |     agentRole: Chef
  help: Write == instead

workflows/brew.yaml:13:16 error 'agentRole' of step 'pour' must be 10 to 1024 characters long, found 4 (wrong-value)
  12 |     runCondition: hot === true
> 13 |     agentRole: Chef
     |                ^
  14 | 
  help: Add 6 characters

4 errors and 0 warnings in 1 workflow. --fix can fix 2 of them.
`.replaceAll(/ +$/gm, ''),
    );
  });

  test('prints JSON with --json or --format json', async () => {
    const project = await openTestProject(entry, { 'brew.yaml': slips });
    const { code, out } = await project.run(['lint', 'brew.yaml', '--json']);
    expect(code).toBe(1);
    expect(jsonOf('lint', out)).toMatchObject({
      checked: 1,
      errors: 4,
      warnings: 0,
      findings: [
        { file: 'brew.yaml', workflow: 'brew', code: 'missing-property', line: 6, isFixable: false },
        { code: 'unknown-property', pointer: '/steps/0/titel', isFixable: true },
        { code: 'broken-condition', line: 12, isFixable: true },
        { code: 'wrong-value', column: 16 },
      ],
      fixed: [],
    });
    expect((await project.run(['lint', 'brew.yaml', '--format', 'json'])).out).toBe(out);
  });

  test('reads the sources of a server if there are no paths', async () => {
    const project = await openTestProject(entry, {
      'workflows/a.json': flow('a-flow', { version: undefined }),
      'more/b.json': '{',
      'ignored/c.json': '{',
    });
    const args = ['lint', '--no-bundled', '--workflows', 'more', '--json'];
    const { code, out } = await project.run(args);
    expect(code).toBe(1);
    expect(jsonOf('lint', out)).toMatchObject({
      checked: 2,
      findings: [
        { file: 'more/b.json', code: 'syntax-error' },
        { file: 'workflows/a.json', code: 'missing-version', severity: 'warning' },
      ],
    });
    expect((await project.run(['lint'])).out).toMatch(/2 errors|1 warning in \d+ workflows/);
  });

  test('reports that there are no problems', async () => {
    const project = await openTestProject(entry, { 'workflows/a.json': flow('a-flow') });
    expect(await project.run(['lint', 'workflows'])).toEqual({
      code: 0,
      out: 'Checked 1 workflow: no problems.\n',
      err: '',
    });
  });

  test('accepts a folder with subfolders, the folder of an activity workflow, and one file of it', async () => {
    const deep = { 'all/1/2/3/4/5/a.json': flow('a-flow', { version: undefined }) };
    const inAll = Object.fromEntries(Object.entries(bakery).map(([path, text]) => [`all/${path}`, text]));
    const project = await openTestProject(entry, { ...deep, ...inAll });
    const lint = async (path: string): Promise<readonly string[]> => {
      const { out } = await project.run(['lint', path, '--json', '--no-bundled']);
      const { findings } = jsonOf('lint', out) as {
        findings: { file: string; code: string; line: number }[];
      };
      return findings.map(({ file, code, line }) => `${file}:${line} ${code}`);
    };
    const [knead, bake] = ['all/bakery/activities/01-knead.yaml', 'all/bakery/activities/02-bake.yaml'];
    const wrong = [`${knead}:6 broken-condition`, `${bake}:6 unknown-reference`];
    expect(await lint('all')).toEqual(['all/1/2/3/4/5/a.json:1 missing-version', ...wrong]);
    expect(await lint('all/bakery')).toEqual(wrong);
    expect(await lint('all/bakery/workflow.yaml')).toEqual(wrong);
    expect(await lint(bake)).toEqual(wrong.slice(1));
  });

  test('reports a duplicate id in each of its files', async () => {
    const project = await openTestProject(entry, {
      'a.yaml':
        'name: A\nid: same\ndescription: A.\nversion: 1.0.0\nsteps: [{id: one, title: One, prompt: Do.}]\n',
      'b.json': flow('same'),
    });
    const { out } = await project.run(['lint', '.', '--format', 'github']);
    expect(out).toContain('::error file=a.yaml,line=2,col=5,title=duplicate-id::');
    expect(out).toContain('::error file=b.json,line=1,col=7,title=duplicate-id::');
  });

  test('shows the position in a long line, among wide characters and among control characters', async () => {
    const prompt = `${'界'.repeat(80)}\u001B[31m{{nmae}}${'x'.repeat(200)}`;
    const project = await openTestProject(entry, {
      'a.json': flow('a-flow', { name: 'N\u200Bame', 'x-long': prompt, steps: [] }),
    });
    const { out } = await project.run(['lint', 'a.json']);
    expect(out).not.toContain('\u001B');
    expect(out).not.toContain('\u200B');
    for (const [marked, mark] of out.matchAll(/^> .*\n(.*\^)$/gm)) {
      expect(marked.split('\n')[0]?.length).toBeLessThan(130);
      expect(mark).toMatch(/^ {4}\| +\^$/);
    }
    expect(out.match(/^ +\| .*\^$/gm)).toHaveLength(3);
  });

  test.each([
    [['nowhere'], fileMessages.missing('nowhere')],
    [['empty'], definitionMessages.none(['empty'])],
    [['notes.txt'], definitionMessages.notDefinition('notes.txt')],
    [['a.json', '--format', 'xml'], 'Allowed choices are text, json, sarif, github'],
    [['a.json', '--fix', '--watch'], optionMessages.fixAndWatch],
  ])('refuses %j', async (args, says) => {
    const project = await openTestProject(entry, {
      'a.json': flow('a-flow'),
      'empty/x.md': 'x',
      'notes.txt': 'x',
    });
    const { code, out, err } = await project.run(['lint', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test('exits quietly when its output is closed', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`in/${at}.yaml`, slips]));
    const project = await openTestProject(entry, many);
    const cli = project.start(['lint', 'in']);
    cli.child.stdout?.destroy();
    expect(await cli.ended).toMatchObject({ code: 0, err: '' });
  });

  test('reports only that a file is outside its source, not its content', async () => {
    const project = await openTestProject(entry, {
      'in/a.json': flow('a-flow'),
      'secret.json': '{"secret": "swordfish"',
    });
    await symlink(join(project.root, 'secret.json'), join(project.root, 'in/leak.json'));
    const { code, out } = await project.run(['lint', 'in']);
    expect(code).toBe(1);
    expect(out).toContain('(leaves-source)');
    expect(out).not.toContain('swordfish');
  });
});

describe('validate', () => {
  test('fails because of a warning too', async () => {
    const project = await openTestProject(entry, { 'a.json': flow('a-flow', { version: undefined }) });
    expect((await project.run(['lint', 'a.json'])).code).toBe(0);
    expect((await project.run(['validate', 'a.json'])).code).toBe(1);
    await project.write('a.json', flow('a-flow'));
    expect((await project.run(['validate', 'a.json'])).code).toBe(0);
  });

  test('has no --fix and no --watch', async () => {
    const project = await openTestProject(entry);
    expect(await project.run(['validate', '--fix'])).toMatchObject({
      code: 2,
      err: /unknown option '--fix'/,
    });
    expect((await project.run(['validate', '--help'])).out).not.toContain('--watch');
  });
});

const foreign = process.env['WORKFLOWLOOKUP_FOREIGN_DEFINITIONS'] ?? '';

describe('definitions from other projects', () => {
  test('are linted to the end, and every problem has a position in its file', async ({ skip }) => {
    skip(foreign === '', 'WORKFLOWLOOKUP_FOREIGN_DEFINITIONS is not set');
    const project = await openTestProject(entry);
    const { code, out, err } = await project.run(['lint', foreign, '--json']);
    expect({ isDone: code === 0 || code === 1, err }).toEqual({ isDone: true, err: '' });
    const { findings, checked } = jsonOf('lint', out) as {
      checked: number;
      findings: { file: string; line: number; column: number }[];
    };
    expect(checked).toBeGreaterThan(0);
    for (const { file, line, column } of findings) {
      const text = (await readFile(file, 'utf8')).split(/\r\n|\n|\r/)[line - 1];
      expect({ file, line, column, isInLine: column <= (text?.length ?? -1) + 1 }).toMatchObject({
        isInLine: true,
      });
    }
  });
});
