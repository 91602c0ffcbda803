import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonText, plainLine, printable, withoutCommands } from '../../src/terminal/plain-text.ts';
import { canOpenTerminal } from '../support/at-terminal.ts';
import type { TestProject } from '../support/test-project.ts';
import { openTestProject } from '../support/test-project.ts';
import type { TestCli } from '../support/test-cli.ts';
import { buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

// Texts from definitions, file names and sessions reach terminals and the logs of CI services. Both interpret commands in texts.

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

/** Sets the title of the window, clears the screen, reverses the text direction, and ends the line. */
const escapes = '\u001B]0;owned\u0007\u001B[2J\u009B31m\u202Etxt\r\u0000\u{E0041}';
const commands = '\n::stop-commands::owned\n  ::add-mask::a\n##vso[task.setvariable variable=a]b\n##[error]x';
const hostile = `Tea${escapes}${commands}`;

const definition = (id: string) => ({
  id,
  name: hostile,
  description: hostile,
  version: '1.0.0',
  steps: [
    { id: 'boil', title: hostile, prompt: hostile },
    { id: `pour${escapes}`, title: 'Pour', prompt: 'Pour.', runCondition: `${hostile} ===` },
  ],
});

const judged = {
  id: 'abc',
  title: hostile,
  prompt: hostile,
  validationCriteria: [{ type: 'contains', value: 'never', message: hostile }],
};

/** Returns the lines that the runners of CI services interpret as commands. */
const commandLines = (text: string) =>
  text.split('\n').filter((line) => line.trimStart().startsWith('::') || /##[a-z]*\[/i.test(line));

/** Returns the characters and lines that a terminal or a CI service would interpret. */
function obeyed(text: string): readonly string[] {
  const controls = text.match(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uE000-\uF8FF\u{E0000}-\u{E007F}]/gu,
  );
  return [...(controls ?? []), ...commandLines(text)];
}

describe('definitions with terminal escapes and commands to CI services', () => {
  let project: TestProject;
  const odd = `::stop-commands::x\u001B[2J.yaml`;
  /** Names of files and folders that must not look like a command, another name or a separate line. */
  const names = [
    '\u001B]0;owned\u0007',
    '\u202Etxt',
    '\u2066a\u2069',
    'a\n::error::b',
    'a\u{E0041}',
    'a\uE000',
  ];

  beforeEach(async () => {
    project = await openTestProject(entry, {
      'workflows/tea.json': definition('tea'),
      'workflows/tea.test.json': { tests: [{ name: hostile, steps: [hostile] }] },
      'workflows/good.json': { ...definition('good'), steps: [judged] },
      'workflows/good.test.json': {
        workflow: 'good',
        tests: [{ name: `${commands}${escapes}`, outputs: { abc: hostile }, expect: { path: ['abc'] } }],
      },
      [`workflows/${odd}`]: 'id: "::x\\x1b[2J"\nname: x\n',
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`workflows/${name}.json`, definition('named')],
          [`workflows/${name}.yaml`, 'id: ['],
          [`workflows/${name}.test.json`, { workflow: 'none', tests: [{ name: 'x', steps: [] }] }],
          [`workflows/${name}/in.json`, definition('inside')],
          [`workflows/parts/activities/01-${name}.yaml`, 'id: ['],
        ]),
      ),
      'workflows/parts/workflow.yaml': 'id: parts\nversion: 1.0.0\ntitle: Parts\n',
    });
  });

  test.each([
    ['lint'],
    ['lint', '--json'],
    ['lint', '--format', 'sarif'],
    ['validate', 'workflows'],
    ['test', 'workflows'],
    ['test', 'workflows', '--json'],
    ['test', 'workflows', '--junit', '-'],
    ['list'],
    ['list', '--json'],
    ['sources'],
    ['sources', '--json'],
    ['show', 'good'],
    ['show', 'good', '--json'],
    ['graph', 'good'],
    ['graph', 'good', '--json'],
    ['graph', 'good', '--format', 'svg'],
    ['doctor', '--no-bundled'],
    ['run', 'good'],
    ['run', 'good', '--json'],
    ['migrate', 'workflows/tea.json'],
    ['migrate', 'workflows/\u202Etxt.yaml'],
    ['convert', 'workflows/\u202Etxt.yaml', '--to', 'json'],
    ['convert', 'workflows/parts', '--to', 'json', '--out', 'made'],
    ['lint', 'workflows/\u202Etxt.json'],
    ['test', 'workflows/\u202Etxt.test.json'],
    ['test', 'workflows/\u202Etxt'],
    ['trust', '--list'],
    ['trust', 'workflows/\u202Etxt.json'],
    ['init', '--id', 'new-flow', '--dir', 'workflows/\u202Etxt'],
    ['connect', '--client', 'claude-code'],
    ['complete', 'show', ''],
  ])('are printed escaped by %s %s %s %s', async (...args) => {
    const { out, err } = await project.run(args, { input: 'x\n', env: { NO_COLOR: '1' } });
    expect(obeyed(out)).toEqual([]);
    expect(obeyed(err)).toEqual([]);
  });

  test.skipIf(!canOpenTerminal)('are printed escaped by trust at a terminal', async () => {
    const env = { NO_COLOR: '1', WORKFLOWLOOKUP_TRUST_PROJECT: '' };
    const { out, code } = await project.run(['trust'], { inTerminal: true, input: 'n\n'.repeat(99), env });
    expect(code).toBe(1);
    expect(out).toContain('\\u{202e}txt');
    // The terminal also ends each line with CR.
    expect(obeyed(out.replaceAll('\r\n', '\n'))).toEqual([]);
  });

  test('are escaped in GitHub annotations as GitHub specifies', async () => {
    const { out, code } = await project.run(['validate', '--no-bundled', '--format', 'github']);
    expect(code).toBe(1);
    const lines = out.trimEnd().split('\n');
    for (const line of lines) {
      expect(line).toMatch(/^::(?:error|warning) file=[^:,]+,line=\d+,col=\d+,title=[\w-]+::.+$/);
      expect(line).not.toMatch(/##[a-z]*\[/i);
    }
    expect(out).toContain('file=workflows/%3A%3Astop-commands%3A%3Ax\\u{1b}[2J.yaml,');
    expect(out).toContain('%0A');
  });

  test('become character references in JUnit XML, and parse to the same text', async () => {
    const steps = [{ id: 'boil', title: 'Boil', prompt: 'Boil it.' }];
    const tested = await openTestProject(entry, {
      'workflows/plain.json': { ...definition('plain'), name: 'Plain', description: 'Plain.', steps },
      'workflows/plain.test.json': { tests: [{ name: `Tea${commands}` }] },
    });
    const { out } = await tested.run(['test', 'workflows', '--junit', '-']);
    expect(commandLines(out)).toEqual([]);
    const read = out.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    expect(commandLines(read)).not.toEqual([]);
    expect(read).toContain('::stop-commands::owned');
  });

  test('are printed escaped in an error of the command line itself', async () => {
    const typed = `no${escapes}`.replace('\0', '');
    const { err } = await project.run(['show', typed]);
    expect(obeyed(err)).toEqual([]);
    const { err: json } = await project.run(['show', typed, '--json']);
    expect(obeyed(json)).toEqual([]);
    expect(JSON.parse(json)).toMatchObject({ error: { code: 'WORKFLOW_NOT_FOUND' } });
  });
});

describe('sessions with terminal escapes and commands to CI services', () => {
  let cli: TestCli;

  beforeEach(async () => {
    cli = await openTestCli(entry);
    return () => cli.dispose();
  });

  test.each([
    ['sessions', 'list'],
    ['sessions', 'show'],
    ['sessions', 'follow'],
    ['sessions', 'list', '--json'],
    ['sessions', 'show', '--json'],
    ['insights'],
    ['insights', '--csv'],
  ])('are printed escaped by %s %s %s', async (...command) => {
    const { sessions } = cli.host;
    // The store does not accept NUL characters.
    const said = hostile.replace('\0', '');
    // Older versions accepted any name of an agent, so such names can be in the store.
    const { store } = await cli.host.vault();
    const { create, joinAgent, recordCall } = store;
    const agent = `mallory${said}`;
    const older: Partial<typeof store> = {
      create: (session, write) => create({ ...session, agent }, write),
      joinAgent: (sid) => joinAgent(sid, agent),
      recordCall: (sid, call) => recordCall(sid, { ...call, aid: agent }),
    };
    Object.assign(store, older);
    const { token, value } = await sessions.start({ agentId: 'mallory', workflowId: 'errands' });
    expect(await store.agents(value.sid)).toEqual([agent]);
    await sessions.move(token, { variables: { flour: said } });
    const { sid } = value;
    const target = ['show', 'follow'].includes(command[1] ?? '') ? [sid] : [];
    if (command[1] === 'follow') await cli.host.operator.abandon(sid);
    const { out, err, code } = await cli.run([...command, ...target], {
      env: { NO_COLOR: '1' },
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toBe('');
    expect(obeyed(out)).toEqual([]);
  });

  test('keep their exact texts in JSON', async () => {
    await writeFile(join(cli.definitions, 'odd.json'), JSON.stringify(definition('odd')));
    const { out } = await cli.run(['show', 'odd', '--no-bundled', '--workflows', 'definitions', '--json']);
    expect((JSON.parse(out || '{}') as { name?: string }).name ?? hostile).toBe(hostile);
  });
});

describe('the function that escapes texts', () => {
  test('keeps ordinary texts', () => {
    const kept = 'Grüße, שלום, नमस्ते क्‍ष, 👩‍💻 ❤️ – “quoted” 100 % a::b # ## [x] ##x [y]';
    expect(plainLine(kept)).toBe(kept);
    expect(printable(`${kept}\n\t${kept}\n`)).toBe(`${kept}\n\t${kept}\n`);
  });

  test('shows every invisible character', () => {
    for (const char of '\u0000\u001B\u007F\u009B\u00AD\u034F\u115F\u1160\u17B4\u180E\u200B\u200E\u2028\u202E\u2060\u2066\u3164\uE000\uFEFF\uFFA0\uFFF9\u{E0041}\u{F0000}')
      expect(plainLine(`a${char}b`)).toBe(`a\\u{${(char.codePointAt(0) ?? 0).toString(16)}}b`);
    expect(plainLine('a\uD800b')).toBe('a\\u{d800}b');
  });

  test('keeps the styles of this program and no others', () => {
    const painted = '\u001B[1m\u001B[31mx\u001B[39m\u001B[22m';
    expect(printable(painted)).toBe(painted);
    expect(printable('\u001B[8mhidden\u001B[0m')).toBe('\\u{1b}[8mhidden\\u{1b}[0m');
    expect(stripVTControlCharacters(printable(`${painted}\u001B[5A`))).toBe('x\\u{1b}[5A');
  });

  test('breaks every line that could be a command, even after spaces', () => {
    for (const space of ['', ' ', '\t', '\u00A0', '\u2003', '\u001B[1m'])
      expect(commandLines(printable(`a\n${space}::debug::x`))).toEqual([]);
    expect(withoutCommands('::x', (mark) => `&#${mark.charCodeAt(0)};`)).toBe('&#58;:x');
  });

  test('keeps the value of JSON', () => {
    const value = { [hostile]: [hostile, '\\\u202E', '\u{E0041}', '##[x', 'a\uD800'] };
    expect(obeyed(jsonText(value))).toEqual([]);
    expect(JSON.parse(jsonText(value))).toEqual(value);
    expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  });
});
