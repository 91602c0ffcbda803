import { chmod, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileMessages } from '../../src/messages/common.ts';
import { initMessages } from '../../src/messages/authoring.ts';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { getLanguageService } from 'yaml-language-server';
import type { CliProcess } from '../support/cli-process.ts';
import { flow } from '../support/definitions.ts';
import type { TestProject } from '../support/test-project.ts';
import { asAnotherUser, openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

interface Made {
  readonly files: readonly string[];
  readonly schemas: readonly string[];
}

const madeBy = async (project: TestProject, args: readonly string[]): Promise<Made> => {
  const { code, out, err } = await project.run(['init', ...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return jsonOf('init', out) as Made;
};

/** Returns the completions that an editor offers at the end of a file, and the problems that it shows. */
async function editorOn(path: string, more = ''): Promise<{ offers: string[]; problems: string[] }> {
  const service = getLanguageService({
    schemaRequestService: (uri) => readFile(fileURLToPath(uri), 'utf8'),
    workspaceContext: { resolveRelativePath: (relative, resource) => new URL(relative, resource).href },
  });
  service.configure({ validate: true, completion: true, schemas: [] });
  const text = (await readFile(path, 'utf8')) + more;
  const document = TextDocument.create(pathToFileURL(path).href, 'yaml', 1, text);
  const { items } = await service.doComplete(document, document.positionAt(text.length), false);
  const problems = await service.doValidation(document, false);
  return { offers: items.map(({ label }) => label), problems: problems.map(({ message }) => message) };
}

const every = [
  ['step', 'sequence'],
  ['step', 'branches'],
  ['step', 'loop'],
  ['activity', 'sequence'],
  ['activity', 'review'],
] as const;

describe.each(every)('a %s workflow from the template %s', (kind, template) => {
  test('passes lint without a warning, is served, and gets suggestions in an editor', async () => {
    const project = await openTestProject(entry);
    const { files } = await madeBy(project, ['--id', 'tea-time', '--kind', kind, '--template', template]);
    expect(await project.run(['validate', '--no-bundled'])).toMatchObject({
      code: 0,
      out: 'Checked 1 workflow: no problems.\n',
    });
    expect((await project.run(['show', 'tea-time', '--no-bundled'])).out).toContain('Tea time  0.1.0');
    expect(files.length).toBe({ step: 1, activity: template === 'review' ? 5 : 3 }[kind]);
    for (const file of files) {
      const { offers, problems } = await editorOn(join(project.root, file), '\n');
      expect(problems).toEqual([]);
      expect(offers).toContain(fieldOf(file));
    }
  });

  test.each(['123', 'true'])('is served if its id is %s, which YAML does not read as text', async (id) => {
    const project = await openTestProject(entry);
    await madeBy(project, ['--id', id, '--kind', kind, '--template', template]);
    expect(await project.run(['validate', '--no-bundled'])).toMatchObject({
      code: 0,
      out: 'Checked 1 workflow: no problems.\n',
    });
  });
});

/** Returns a field that is in the schema but not in the file. */
function fieldOf(file: string): string {
  if (file.includes('/skills/')) return 'resources';
  if (file.includes('/activities/')) return 'outcome';
  return file.endsWith('workflow.yaml') ? 'tags' : 'preconditions';
}

describe('init', () => {
  test('prints what it created, and how it is served', async () => {
    const project = await openTestProject(entry);
    expect((await project.run(['init', '--id', 'tea-time'])).out).toBe(
      `${initMessages.made('tea-time')}\n  workflows/tea-time.yaml\n${initMessages.served('tea-time')}\n`,
    );
    const { out } = await project.run(['init', 'drafts', '--id', 'team.tea-time', '--title', 'Tea: "now"']);
    expect(out).toContain(initMessages.addSource('drafts'));
    expect(await project.read('drafts/team.tea-time.yaml')).toContain(`\nname: 'Tea: "now"'\n`);
    expect((await project.run(['init', 'drafts', '--id', 'release'])).out).toContain(
      initMessages.overrides('bundled'),
    );
    expect(await madeBy(project, ['--id', 'release'])).toMatchObject({
      isServed: false,
      overrides: 'bundled',
    });
  });

  test('keeps an existing schema file, and says so if it differs', async () => {
    const project = await openTestProject(entry, { 'workflows/.schemas/step-workflow.schema.json': '{}' });
    const { code, err } = await project.run(['init', '--id', 'tea-time']);
    expect(code).toBe(0);
    expect(err).toContain(initMessages.otherSchema('workflows/.schemas/step-workflow.schema.json'));
    expect(await project.read('workflows/.schemas/step-workflow.schema.json')).toBe('{}');
    await rm(join(project.root, 'workflows/.schemas'), { recursive: true });
    expect((await madeBy(project, ['--id', 'milk'])).schemas).toEqual([
      'workflows/.schemas/step-workflow.schema.json',
    ]);
    expect((await madeBy(project, ['--id', 'sugar'])).schemas).toEqual([]);
  });

  test.each([
    [['--id', 'tea-time'], fileMessages.exists('workflows/tea-time.yaml')],

    [['--id', 'taken'], initMessages.idTaken('taken', 'workflows/other.json')],
    [['--id', 'broken'], initMessages.idTaken('broken', 'workflows/broken.json')],
    [['--id', 'Tea'], initMessages.invalidId('Tea')],
    [['--id', 'milk', '--title', ' '], initMessages.invalidTitle],
    [['--id', 'milk', '--template', 'review'], initMessages.noTemplate('review', 'sequence, branches, loop')],
    [['--id', 'milk', '--kind', 'tree'], 'Allowed choices are step, activity'],
    [[], initMessages.nameId],
  ])('refuses %j and writes nothing', async (args, says) => {
    const files = {
      'workflows/tea-time.yaml': JSON.stringify(flow('mine')),
      'workflows/other.json': flow('taken'),
      'workflows/broken.json': '{',
    };
    const project = await openTestProject(entry, files);
    const { code, out, err } = await project.run(['init', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
    expect(await project.read('workflows/tea-time.yaml')).toBe(JSON.stringify(flow('mine')));
    expect(await project.list('workflows')).toEqual(['broken.json', 'other.json', 'tea-time.yaml']);
  });

  test('writes nothing without permission to', async (context) => {
    const project = await openTestProject(entry, { 'workflows/readme.md': '' });
    await chmod(project.root, 0o755);
    await chmod(join(project.root, 'workflows'), 0o555);
    const { code, err } = await project.run(['init', '--id', 'milk'], await asAnotherUser(project, context));
    expect(code).toBe(2);
    expect(err).toContain(fileMessages.notWritten('workflows/milk.yaml', 'EACCES'));
  });
});

/** Waits for a question, then types an answer. */
async function answer({ out, child }: CliProcess, question: string, keys: string): Promise<void> {
  await expect.poll(out, { timeout: 15_000 }).toContain(question);
  child.stdin?.write(keys);
}

describe('at a terminal', () => {
  const down = '\u001B[B';

  test('init asks for what the flags leave out', async () => {
    const project = await openTestProject(entry);
    const cli = project.start(['init'], { inTerminal: true });
    await answer(cli, initMessages.whichKind, `${down}\r`);
    await answer(cli, initMessages.whichTemplate, '\r');
    await answer(cli, initMessages.whichId, 'Tea\r');
    // The terminal breaks a longer text into lines.
    await answer(cli, initMessages.invalidId('Tea').slice(0, 80), '\u007F\u007F\u007Ftea-time\r');
    await answer(cli, initMessages.whichTitle, ' for two\r');
    expect((await cli.ended).code).toBe(0);
    expect(await project.read('workflows/tea-time/workflow.yaml')).toContain('title: Tea time for two\n');
  });

  test('init creates nothing if the person cancels', async () => {
    const project = await openTestProject(entry);
    const cli = project.start(['init', '--kind', 'step'], { inTerminal: true });
    await answer(cli, initMessages.whichTemplate, '\u0003');
    const { code, out } = await cli.ended;
    expect(code).toBe(2);
    expect(out).toContain(initMessages.cancelled);
    expect(await project.list('.')).toEqual([]);
  });
});
