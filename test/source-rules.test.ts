import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolders, root } from '../scripts/workspace.mjs';
import { catchSaysWhy, lockFileNamesNoHost } from './source-rules.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const sources = [...packageFolders().map((folder) => `${folder}/src`), 'scripts'].flatMap(filesUnder);

test('every catch binds its error or says why it can be let go', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap((file) => catchSaysWhy(file, read(file)))).toEqual([]);
});

test('the lock file names no host', () => {
  expect(lockFileNamesNoHost('pnpm-lock.yaml', read('pnpm-lock.yaml'))).toEqual([]);
});

test('no dependency puts a Node of its own in the place of the running one', () => {
  expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(false);
});

test.each([
  ['} catch {\n  return 1;\n}', ['a.ts:1 lets an error go and does not say why']],
  ['} catch {\n  // A missing file is an empty one.\n}', []],
  ['} catch (error) {\n  throw error;\n}', []],
])('judges %j', (text, problems) => {
  expect(catchSaysWhy('a.ts', text)).toEqual(problems);
});

test.each(['resolution: {tarball: file:a.tgz}', 'resolved: https://packages.example/a.tgz'])(
  'sees the host in %j',
  (line) => {
    expect(lockFileNamesNoHost('lock', `packages:\n  ${line}\n`)).toEqual(['lock:2 names a host']);
  },
);

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
