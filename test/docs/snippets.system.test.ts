import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { blocks, repository } from '../support/documents.ts';
import { readPackages } from '../support/manifest.ts';

test('Every TypeScript block compiles', { timeout: 60_000 }, async () => {
  const snippets = blocks().filter(({ info }) => info === 'ts');
  expect(snippets.length).toBeGreaterThan(5);
  const folder = join(repository, 'node_modules', '.cache', 'snippets');
  await mkdir(folder, { recursive: true });
  const files = snippets.map(({ file, text }, index) => ({
    name: `${index}-${file.replaceAll(/\W+/g, '-')}.ts`,
    text,
  }));
  await Promise.all(files.map(({ name, text }) => writeFile(join(folder, name), `export {};\n${text}`)));
  const paths = Object.fromEntries(
    readPackages().flatMap(({ folder: home, manifest: { name, exports = {} } }) =>
      Object.entries(exports).flatMap(([subpath, target]) => {
        const source = typeof target === 'string' ? undefined : target['@workflowlookup/source'];
        return source === undefined ? [] : [[`${name}${subpath.slice(1)}`, [join(repository, home, source)]]];
      }),
    ),
  );
  const config = {
    extends: join(repository, 'tsconfig.base.json'),
    compilerOptions: { paths, noUnusedLocals: false },
    files: files.map(({ name }) => name),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(repository, 'node_modules', '.bin', 'tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch(
    (error: { stdout: string }) => error,
  );
  await rm(folder, { recursive: true, force: true });
  expect(stdout).toBe('');
});
