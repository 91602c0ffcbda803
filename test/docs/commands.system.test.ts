import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publicPackages, readManifest } from '../../scripts/support/workspace.mjs';
import type { Command } from '../support/documents.ts';
import { anchorsOf, commands, mentions, repository, textOf } from '../support/documents.ts';

const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly packageManager: string;
};
/** The database drivers that users of the storage package install. */
const drivers = Object.keys(readManifest('packages/storage').peerDependencies ?? {});
/** A manifest with the address of our repository. */
const ours = textOf('packages/core/package.json');
/** The folder that a clone of our repository creates. */
const cloned = 'workflowlookup';
const published = publicPackages().map(({ manifest: { name } }: { manifest: { name: string } }) => name);

/** The tasks that scripts/run.mjs lists if it is called without one. */
const tasks = [
  ...spawnSync(process.execPath, [join(repository, 'scripts', 'run.mjs')], {
    encoding: 'utf8',
  }).stderr.matchAll(/^ {2}(\S+)/gm),
].map(([, name]) => name);

/** Returns the problem in the arguments of a program, or `undefined` if they are right. */
type Check = (args: readonly string[], file: string) => string | undefined;

/** The checks of commands, by program. */
const checks: Readonly<Record<string, Check>> = {
  npm: checkNpm,
  npx: checkNpx,
  node: checkNode,
  git: ([verb = '', address = '']) =>
    unless(verb === 'clone' && ours.includes(address), `git ${verb} ${address} is not ours`),
  cd: ([folder = ''], file) =>
    unless(folder === cloned || existsSync(join(repository, folder)), `no folder ${folder}, in ${file}`),
};

/** Programs whose commands are checked by tests of their apps: `documented-commands` and `every-command`. */
const heldByTheirApps = ['workflowlookup', 'workflowlookup-stdio', 'workflowlookup-http'];

/** Programs that are not ours. Their commands are not checked. */
const foreign = ['openssl', 'claude', 'docker', 'export', 'source'];

function unless(isRight: boolean, problem: string): string | undefined {
  return isRight ? undefined : problem;
}

function checkNpm([verb = '', ...rest]: readonly string[], file: string): string | undefined {
  if (verb === 'install' || verb === 'uninstall') {
    const names = rest.filter((word) => !word.startsWith('-'));
    const isKnown = (name: string): boolean =>
      published.includes(name) || drivers.includes(name.replace(/(?<=.)@.*/, ''));
    return names.map((name) => unless(isKnown(name), `${name} is not published`)).find(Boolean);
  }
  const [script = '', ...more] = verb === 'run' ? rest : [verb, ...rest];
  if (manifest.scripts[script] === undefined) return `no script ${script}, in ${file}`;
  if (script === 'bench') return more.map(checkRow).find(Boolean);
  if (script !== 'test') return undefined;
  return more
    .map((word) => unless(word === '--' || existsSync(join(repository, word)), `no ${word}`))
    .find(Boolean);
}

function checkRow(name: string): string | undefined {
  const isRow = existsSync(join(repository, 'benchmarks', 'rows', `${name}.mjs`));
  return unless(name === '--' || isRow, `no benchmark ${name}`);
}

function checkNpx(words: readonly string[]): string | undefined {
  const [name = ''] = words.filter((word) => !word.startsWith('-'));
  return unless([...published, manifest.packageManager].includes(name), `${name} is not published`);
}

function checkNode([script = '', ...rest]: readonly string[], file: string): string | undefined {
  const [task = ''] = rest;
  if (script === 'scripts/run.mjs') return unless(task === '…' || tasks.includes(task), `no task ${task}`);
  const source = script.replace('/dist/main.js', '/src/main.ts');
  const place = [repository, join(repository, dirname(file))].find((one) => existsSync(join(one, source)));
  if (place === undefined) return `no script ${script}`;
  if (!script.startsWith('benchmarks/')) return undefined;
  const text = readFileSync(join(place, source), 'utf8');
  const flags = rest.filter((word) => word.startsWith('--'));
  return flags.map((flag) => unless(text.includes(flag), `${script} has no option ${flag}`)).find(Boolean);
}

/** Returns the problem in a command, or `undefined` if it is right. */
function problemOf({ file, words: [program = '', ...args] }: Command): string | undefined {
  if ([...heldByTheirApps, ...foreign].includes(program)) return undefined;
  const check = checks[program];
  return check === undefined ? `no check for the program ${program}` : check(args, file);
}

test.each(commands())('The command in $file exists: $line', (command) => {
  expect(problemOf(command)).toBeUndefined();
});

describe('commands within sentences', () => {
  const named = mentions().filter(
    ({ words: [program = '', next] }) => program in checks && next !== undefined,
  );

  test('are found', () => expect(named.length).toBeGreaterThan(5));

  test.each(named)('exist in $file: $line', (command) => {
    expect(problemOf(command)).toBeUndefined();
  });

  const subcommands = mentions().filter(({ words }) => words[0] === 'workflowlookup' && words.length > 1);

  test.each(subcommands)('are explained in docs/cli.md: $file: $line', ({ words: [, ...args] }) => {
    const end = args.findIndex((word) => !/^[a-z]+$/.test(word));
    const path = end === -1 ? args : args.slice(0, end);
    const sections = [...anchorsOf('docs/cli.md')];
    expect(sections.some((section) => section.startsWith(path.join('-')))).toBe(true);
    for (const flag of args.filter((word) => word.startsWith('--')))
      expect(`${textOf('docs/cli.md')} --version`).toContain(flag);
  });
});

test('The tasks in CONTRIBUTING.md exist', () => {
  const rows = [...textOf('CONTRIBUTING.md').matchAll(/^\| (`.+?`) +\|/gm)].map(([, cell = '']) => cell);
  const [header = '', ...cells] = rows.slice(rows.findIndex((cell) => cell.includes('scripts/run.mjs')));
  expect(header).toContain('node scripts/run.mjs');
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([^\s`]+)[^`]*`/g)].map(([, name]) => name));
  expect(listed.length).toBeGreaterThan(5);
  expect(listed.filter((name) => !tasks.includes(name))).toEqual([]);
});
