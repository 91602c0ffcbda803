import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolders, root } from '../scripts/support/workspace.mjs';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const sources = [...packageFolders().map((folder) => `${folder}/src`), 'scripts'].flatMap(filesUnder);

test('Every catch block uses its error, or a comment says why it is ignored', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap((file) => catchSaysWhy(file, read(file)))).toEqual([]);
});

test('Each message of an error is in a catalogue', () => {
  expect(sources.flatMap((file) => messageInCatalogue(file, read(file)))).toEqual([]);
});

test('A message in the code is found', () => {
  const found = [
    "new WorkflowError('NOT_FOUND', 'No such file.')",
    "new WorkflowError(\n  'NOT_FOUND',\n  `${file} is missing.`,\n)",
    "new parts.WorkflowError(codeOf(error), isLink ? 'A link.' : text)",
  ];
  const others = [
    "new WorkflowError('NOT_FOUND', messages.noFile('a.yaml'))",
    "new WorkflowError(\n  'INTERNAL',\n  'No token can name it.',\n)",
    "new WorkflowError('INVALID_INPUT', `${problem}.`)",
    "new WorkflowError('NOT_FOUND', message, { data: { field: 'file' } })",
  ];
  expect(found.map((text) => messageInCatalogue('a.ts', text).length)).toEqual([1, 1, 1]);
  expect(others.flatMap((text) => messageInCatalogue('a.ts', text))).toEqual([]);
});

test('Only test files have hooks that apply to all tests in a file', () => {
  const folders = [...packageFolders().map((folder) => `${folder}/test`), 'test/support'];
  const supports = folders.flatMap(filesUnder).filter((file) => !/\.(test|real)\.ts$/.test(file));
  expect(supports.length).toBeGreaterThan(50);
  expect(supports.flatMap((file) => hooksInSupport(file, read(file)))).toEqual([]);
});

test('A hook in a module of support is found', () => {
  for (const hook of ['beforeEach', 'beforeAll', 'afterEach', 'afterAll', 'aroundEach', 'aroundAll'])
    expect(hooksInSupport('a.ts', `const made = [];\n\n${hook}(() => clear(made));\n`), hook).toHaveLength(1);
  expect(hooksInSupport('a.ts', 'function use() {\n  afterEach(close);\n}\n')).toEqual([]);
});

test('The lock file contains no host names', () => {
  expect(lockFileNamesNoHost('pnpm-lock.yaml', read('pnpm-lock.yaml'))).toEqual([]);
});

test('No dependency replaces the running Node.js with its own', () => {
  expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(false);
});

function filesUnder(folder: string): readonly string[] {
  try {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.(tsx?|mjs)$/.test(name)).map((name) => `${folder}/${name}`);
  } catch (error) {
    // The package with the bundled workflows has no sources.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** A rule that no lint tool has. It returns a line for each violation in a file. */
type SourceRule = (file: string, text: string) => readonly string[];

/** Refuses hooks in a module that tests import. Files share a process that loads it once, so only the first has them. */
const hooksInSupport: SourceRule = (file, text) =>
  placesOf(text, /^(?:before|after|around)(?:Each|All)\(/gm).map(
    (line) =>
      `${file}:${line} has a hook that only one test file gets: use onTestFinished, which can't be called in beforeAll`,
  );

/** Requires that a catch block without an error variable starts with a comment, which says why the error is ignored. */
const catchSaysWhy: SourceRule = (file, text) =>
  placesOf(text, /\bcatch\s*\{(?!\s*(?:\/\/|\/\*))/g).map(
    (line) => `${file}:${line} ignores an error without a comment that says why`,
  );

/**
 * Requires that the message of a `WorkflowError` comes from a catalogue, and so is in a snapshot. `INTERNAL` errors are
 * excepted, because only a bug can cause them. A template may add punctuation to such a message, but no words.
 */
const messageInCatalogue: SourceRule = (file, text) =>
  placesOf(
    text,
    /new (?:\w+\.)?WorkflowError\((?!\s*'INTERNAL')(?:[^,()]|\([^()]*\))+,\s*(?:[^,(){}'"`]*\?\s*)?(?:['"]|`(?:\$\{[^}]*\}|[^`$\p{L}])*\p{L})/gu,
  ).map((line) => `${file}:${line} has a message that is not in a catalogue`);

/** Requires that the lock file contains no host names, so that it also works with a mirror of the registry. */
const lockFileNamesNoHost: SourceRule = (file, text) =>
  placesOf(text, /https?:\/\/|tarball:/g).map((line) => `${file}:${line} has a host name`);

function placesOf(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split('\n').length);
}
