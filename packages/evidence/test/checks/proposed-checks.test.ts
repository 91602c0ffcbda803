import { expect, test } from 'vitest';
import { checksFile, checksText, proposeChecks, readProjectChecks } from '../../src/index.ts';
import { makeProject } from '../support/project.ts';

// These files make commands such as `npm test` run something else, without a change to the scripts.
test.each([
  ['npm', '.npmrc', 'script-shell=./passes.sh\n'],
  ['pnpm', '.npmrc', 'script-shell=./passes.sh\n'],
  ['pnpm', 'pnpm-workspace.yaml', 'scriptShell: ./passes.sh\n'],
  ['yarn', '.yarnrc.yml', 'yarnPath: ./passes.cjs\n'],
  ['yarn', '.yarnrc', 'yarn-path "./passes.js"\n'],
  ['bun', 'bunfig.toml', '[run]\nshell = "system"\n'],
])('The trust in the proposed checks for %s ends if %s changes', async (manager, file, text) => {
  const manifest = { packageManager: `${manager}@1.0.0`, scripts: { test: 'vitest', lint: 'eslint .' } };
  const { folder, write } = makeProject({ 'package.json': JSON.stringify(manifest) });
  write(checksFile, checksText(proposeChecks(folder)));
  const before = await readProjectChecks(folder);
  expect(Object.keys(before?.checks?.checks ?? {})).toEqual(['test', 'lint']);
  write(file, text);
  expect((await readProjectChecks(folder))?.digest).not.toBe(before?.digest);
});

test.each<readonly [string, Readonly<Record<string, string>>, string]>([
  ['make', { Makefile: 'test:\n\t./run.sh\n' }, 'GNUmakefile'],
  ['cargo', { 'Cargo.toml': '' }, '.cargo/config.toml'],
  ['gradle', { 'build.gradle': '', gradlew: '#!/bin/sh\n' }, 'gradlew'],
  ['maven', { 'pom.xml': '<project/>' }, '.mvn/maven.config'],
  [
    'yarn',
    {
      'package.json': JSON.stringify({ packageManager: 'yarn@4.5.0', scripts: { test: 'vitest' } }),
      '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.5.0.cjs\n',
    },
    '.yarn/releases/yarn-4.5.0.cjs',
  ],
])('The trust in the proposed checks for %s ends if what they run changes', async (_, files, file) => {
  const { folder, write } = makeProject(files);
  write(checksFile, checksText(proposeChecks(folder)));
  const before = await readProjectChecks(folder);
  expect(Object.keys(before?.checks?.checks ?? {})).toEqual(['test']);
  write(file, 'exit 0\n');
  expect((await readProjectChecks(folder))?.digest).not.toBe(before?.digest);
});
