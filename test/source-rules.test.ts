import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolders, root } from '../scripts/support/workspace.mjs';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const sources = [...packageFolders().map((folder) => `${folder}/src`), 'scripts'].flatMap(filesUnder);

test('Every catch uses its error, or says why it is ignored', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap((file) => catchSaysWhy(file, read(file)))).toEqual([]);
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
    // A package of data has no sources.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** A rule that no tool has: what a file breaks, as lines that say where. */
type SourceRule = (file: string, text: string) => readonly string[];

/** A catch that binds no error says why the error can be let go, in a comment that opens its block. */
const catchSaysWhy: SourceRule = (file, text) =>
  placesOf(text, /\bcatch\s*\{(?!\s*(?:\/\/|\/\*))/g).map(
    (line) => `${file}:${line} lets an error go and does not say why`,
  );

/** The lock file holds no host: it means the same behind every mirror. */
const lockFileNamesNoHost: SourceRule = (file, text) =>
  placesOf(text, /https?:\/\/|tarball:/g).map((line) => `${file}:${line} names a host`);

function placesOf(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split('\n').length);
}
