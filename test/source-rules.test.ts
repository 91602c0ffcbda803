import { readFileSync, readdirSync } from 'node:fs';
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

function filesUnder(folder: string): readonly string[] {
  try {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.(ts|mjs)$/.test(name)).map((name) => `${folder}/${name}`);
  } catch (error) {
    // A package of data has no sources.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
