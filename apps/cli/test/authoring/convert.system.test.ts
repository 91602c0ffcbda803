import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileMessages } from '../../src/messages/common.ts';
import { bakery, flow, slips } from '../support/definitions.ts';
import { asAnotherUser, openTestProject } from '../support/test-project.ts';
import { convertMessages } from '../../src/messages/authoring.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const long = `${'word '.repeat(60)}\n\nand # no comment: "end"\n`;
const tea = flow('tea-time', {
  name: 'Tea: now',
  'x-number': 1.5,
  'x-text': 'yes',
  'x-long': long,
});

describe('convert', () => {
  test('prints the same definition in another format', async () => {
    const project = await openTestProject(entry, { 'tea.json': tea });
    const { code, out, err } = await project.run(['convert', 'tea.json', '--to', 'yaml']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`id: tea-time\nname: "Tea: now"\ndescription: For tests.\nversion: 1.0.0\n`);
    expect(out).toContain('x-text: yes\n');
    await project.write('tea.yaml', out);
    expect(JSON.parse((await project.run(['convert', 'tea.yaml', '--to', 'json'])).out)).toEqual(tea);
  });

  test('writes a new file and prints its digest', async () => {
    const project = await openTestProject(entry, { 'tea.json': tea });
    const { out } = await project.run([
      'convert',
      'tea.json',
      '--to',
      'yaml',
      '--out',
      'new/tea.yml',
      '--json',
    ]);
    const made = jsonOf('convert', out) as { digest: string };
    expect(made).toMatchObject({ from: 'tea.json', to: 'yaml', droppedComments: 0, files: ['new/tea.yml'] });
    const { out: shown } = await project.run(['show', 'tea-time', '--workflows', 'new', '--json']);
    expect(JSON.parse(shown)).toMatchObject({ digest: made.digest, file: 'tea.yml' });
  });

  test.each([
    ['a comment', 'a.yaml', slips, 'json', convertMessages.comments(2, 1)],
    [
      'a number that would change',
      'a.json',
      '{"x-a":[12345678901234567890]}',
      'yaml',
      convertMessages.tooManyDigits('/x-a/0'),
    ],
    ['half a character', 'flow/workflow.json', '{"x-a":"\\ud800"}', 'toon', 'U+D800'],
    [
      'a text that is misread',
      'flow/workflow.json',
      '{"x-a":{"b":"|"}}',
      'toon',
      convertMessages.cantExpressAt('TOON', '/x-a/b', ''),
    ],
  ])('refuses to lose %s', async (_what, file, text, to, says) => {
    const project = await openTestProject(entry, { [file]: text });
    const { code, out, err } = await project.run(['convert', file, '--to', to, '--out', 'x']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    for (const part of [`'${file}'`, says, '(INVALID_FILE)']) expect(err).toContain(part);
    expect(await project.list('.')).not.toContain('x');
  });

  test('drops comments with --drop-comments, and counts them', async () => {
    const project = await openTestProject(entry, { 'a.yaml': slips });
    const args = ['convert', 'a.yaml', '--to', 'json', '--drop-comments', '--json'];
    const made = jsonOf('convert', (await project.run(args)).out) as { text: string };
    expect(made).toMatchObject({ droppedComments: 2 });
    expect(JSON.parse(made.text)).toMatchObject({ id: 'brew', name: 'Brew' });
  });

  test('treats a # in a text as text', async () => {
    const text = 'a: "# x"\nb: |\n  # y\n  z # w\nc: d#e\n? f\n: - \'#\'\n';
    const project = await openTestProject(entry, { 'a.yaml': text });
    const { out } = await project.run(['convert', 'a.yaml', '--to', 'json']);
    expect(JSON.parse(out)).toEqual({ a: '# x', b: '# y\nz # w\n', c: 'd#e', f: ['#'] });
  });

  test.each([
    [['a.json', '--to', 'json'], convertMessages.sameNotation('a.json')],
    [['a.txt', '--to', 'json'], convertMessages.unknownNotation('a.txt')],
    [['a.json', '--to', 'toon'], convertMessages.toonStepWorkflow('a.json')],
    [['a.json', '--to', 'xml'], 'Allowed choices are json, yaml, toon'],
    [['a.json'], "required option '--to <notation>' not specified"],
    [['broken.json', '--to', 'yaml'], /'broken\.json'.*\(INVALID_WORKFLOW\)/],
    [['nowhere.json', '--to', 'yaml'], fileMessages.missing('nowhere.json')],
    [['a.json', '--to', 'yaml', '--out', 'taken'], fileMessages.exists('taken')],
    [['.', '--to', 'yaml', '--out', 'x'], convertMessages.noWorkflowFile('.')],
    [['bakery', '--to', 'json'], convertMessages.nameOutput],
    [['bakery', '--to', 'json', '--out', 'bakery/x'], convertMessages.outputInside('bakery/x', 'bakery')],
    [['bakery', '--to', 'json', '--out', 'taken'], fileMessages.exists('taken')],
  ])('refuses %j', async (args, says) => {
    const files = { 'a.json': tea, 'a.txt': 'x', 'broken.json': '{', taken: 'mine', ...bakery };
    const project = await openTestProject(entry, files);
    const { code, out, err } = await project.run(['convert', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(says);
    expect(await project.list('.')).toEqual(['a.json', 'a.txt', 'bakery', 'broken.json', 'taken']);
    expect(await project.read('taken')).toBe('mine');
  });

  test('writes nothing without write permission', async (context) => {
    const project = await openTestProject(entry, { 'a.json': tea, ...bakery });
    await chmod(project.root, 0o555);
    const nobody = await asAnotherUser(project, context);
    for (const [path, to] of [
      ['a.json', 'yaml'],
      ['bakery', 'json'],
    ] as const) {
      const { code, err } = await project.run(['convert', path, '--to', to, '--out', 'x'], nobody);
      expect({ code, says: /EACCES/.test(err) }).toEqual({ code: 2, says: true });
    }
    await chmod(project.root, 0o755);
  });
});

describe('the folder of an activity workflow', () => {
  const whole = {
    ...bakery,
    'bakery/activities/01-knead.yaml': bakery['bakery/activities/01-knead.yaml'].replace(
      'warm =',
      'warm == 1',
    ),
    'bakery/skills/01-oven.yaml': 'id: oven\nversion: 1.0.0\ncapability: Bakes\n',
    'bakery/resources/01-notes.md': '# Notes\n',
    'bakery/README.md': '# Bakery\n',
  };

  test('has the same workflow in every format, with the same texts', async () => {
    const project = await openTestProject(entry, whole);
    await symlink('/etc/hostname', join(project.root, 'bakery/link'));
    const digests = new Set<string>();
    for (const [from, to] of [
      ['bakery', 'toon'],
      ['toon/bakery', 'json'],
      ['json/bakery', 'yaml'],
    ] as const) {
      const args = ['convert', from, '--to', to, '--out', `${to}/bakery`, '--json'];
      const made = jsonOf('convert', (await project.run(args)).out) as { digest: string; files: string[] };
      digests.add(made.digest);
      expect(made.files.toSorted()).toEqual([
        `${to}/bakery/activities/01-knead.${to}`,
        `${to}/bakery/activities/02-bake.${to}`,
        `${to}/bakery/skills/01-oven.${to}`,
        `${to}/bakery/workflow.${to}`,
      ]);
      expect(await project.list(`${to}/bakery`)).toEqual([
        'README.md',
        'activities',
        'resources',
        'skills',
        `workflow.${to}`,
      ]);
      expect(await project.list(to)).toEqual(['bakery']);
      expect(await project.read(`${to}/bakery/resources/01-notes.md`)).toBe('# Notes\n');
    }
    expect(digests.size).toBe(1);
    expect((await project.run(['validate', 'toon/bakery', 'json/bakery', 'yaml/bakery'])).code).toBe(0);
  });

  test('is not converted if the workflow would change', async () => {
    const skill = 'id: oven\nversion: 1.0.0\ncapability: Bakes\nheat: 200\n';
    const { 'bakery/skills/01-oven.yaml': _, ...rest } = whole;
    const project = await openTestProject(entry, { ...rest, 'bakery/skills/01-oven.toon': skill });
    const { code, err } = await project.run(['convert', 'bakery', '--to', 'json', '--out', 'x/bakery']);
    expect(code).toBe(1);
    for (const part of [convertMessages.notSame('bakery', ''), 'skills/01-oven', "'heat'"])
      expect(err).toContain(part);
    expect(await project.list('x')).toEqual([]);
  });
});
