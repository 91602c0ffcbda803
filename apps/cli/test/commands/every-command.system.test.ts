import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocks, textOf } from '../../../../test/support/documents.ts';
import { createProgram } from '../../src/commands/program.ts';
import { jsonOf, schemaNames } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import { buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

/** Returns the program with all commands and a terminal that prints nothing. */
function wholeProgram(): Command {
  return createProgram({
    terminal: {
      isInteractive: false,
      print: async () => undefined,
      printExact: async () => undefined,
      warn: async () => undefined,
      ask: async () => undefined,
      paint: (_, text) => text,
      lines: async function* () {},
    },
    env: {},
    version: '0.0.0',
    exit: () => undefined,
  });
}

interface Named {
  /** The name of the command after those of its groups, such as `sessions show`. */
  readonly path: string;
  readonly command: Command;
}

/** Returns all commands and groups that the help lists. */
function commandsBelow(command: Command, above = ''): readonly Named[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((one) => {
      const path = `${above} ${one.name()}`.trim();
      return [{ path, command: one }, ...commandsBelow(one, path)];
    });
}

const all = commandsBelow(wholeProgram());
const leaves = all.filter(({ command }) => command.commands.length === 0);
/** Commands with their own options and help. `serve stdio` and `serve http` have those of the servers. */
const own = leaves.filter(({ path }) => !path.startsWith('serve '));
/** Commands with `--json`. `completion` prints a shell script, and `hook` answers in the format of its client. */
const printing = own.filter(({ path }) => path !== 'completion' && path !== 'hook');

/** Splits a shell command into words. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|([^\s']+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Parses a command line without running it. Returns the path of its command. */
async function called(line: string): Promise<string> {
  const program = wholeProgram();
  let found = '';
  for (const { path, command } of commandsBelow(program)) {
    if (command.commands.length === 0) command.action(() => void (found = path));
  }
  const [name, ...words] = wordsOf(line);
  expect(name).toBe('workflowlookup');
  await program.parseAsync(words, { from: 'user' });
  return found;
}

/** Returns the example at the end of the help of a command. */
function exampleOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return /\nExample:\n {2}(workflowlookup .+)\n\n?$/.exec(help)?.[1] ?? '';
}

test('The program has commands', () => {
  expect(leaves.length).toBeGreaterThan(15);
});

describe.each(all)('the description of $path', ({ command }) => {
  test('says what the command is for', () => expect(command.description()).toMatch(/^[a-z].*[^.]$/));
});

describe.each(own)('the help of $path', ({ path, command }) => {
  test('has an example that calls the command', async () => {
    expect(await called(exampleOf(command))).toBe(path);
  });

  test('has a description of each option', () => {
    for (const { description } of command.options) expect(description).not.toBe('');
  });
});

test.each(all.filter(({ command }) => command.commands.length > 0))(
  '$path has an example of one of its subcommands',
  async ({ path, command }) => {
    expect(await called(exampleOf(command))).toMatch(new RegExp(`^${path} `));
  },
);

test.each(printing)('$path prints JSON that a schema describes', ({ path, command }) => {
  expect(command.options.map(({ long }) => long)).toContain('--json');
  expect(schemaNames).toContain(path.replaceAll(' ', '-'));
});

test.each(leaves)('docs/cli.md has a section on $path', ({ path }) => {
  expect(textOf('docs/cli.md')).toContain(`\n## ${path}\n`);
});

const documented = blocks()
  .filter(({ info }) => info === 'sh')
  .flatMap(({ file, text }) =>
    text.split('\n').map((line) => ({ file, line: line.replace(/ *(#| > ).*$/, '') })),
  )
  .filter(({ line }) => line.startsWith('workflowlookup '));

test.each(documented)('The documented command is valid: $file: $line', async ({ line }) => {
  expect(await called(line)).not.toBe('');
});

/** Matches the error for an unknown option, or for a missing required option, which is reported first. */
const misuse = /unknown option '--no-such-option'|required option '--\w+ <\w+>' not specified/;

describe('every command as a process', () => {
  let entry: string;
  let cli: TestCli;

  beforeAll(async () => {
    entry = await buildCli();
    cli = await openTestCli(entry);
  }, 60_000);

  afterAll(async () => {
    await cli.dispose();
    await removeApp(entry);
  });

  test.each(own)('prints its help, and refuses an unknown option: $path', async ({ path }) => {
    const words = path.split(' ');
    const helped = await cli.run([...words, '--help']);
    expect({ code: helped.code, err: helped.err }).toEqual({ code: 0, err: '' });
    expect(helped.out).toMatch(/^Usage: workflowlookup /);
    const refused = await cli.run([...words, '--no-such-option']);
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 2, out: '' });
    expect(refused.err).toMatch(/^error: .+\n$/);
    expect(refused.err).toMatch(misuse);
  });

  test.each(printing)('reports wrong usage as JSON: $path', async ({ path }) => {
    const { code, out, err } = await cli.run([...path.split(' '), '--json', '--no-such-option']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(jsonOf('error', err)).toEqual({
      error: { code: 'USAGE', message: expect.stringMatching(misuse) },
    });
  });

  test.each([
    ['connect', 'vscode'],
    ['completion', 'bash'],
    ['keys', 'list'],
    ['--help'],
    ['sessions', 'list', '--json'],
  ])('exits quietly when its output is closed: %s %s', async (...args) => {
    const started = cli.start(args);
    started.child.stdout?.destroy();
    const { code, err } = await started.ended;
    expect(code).toBe(0);
    expect(err).not.toMatch(/EPIPE|\n +at /);
  });
});
