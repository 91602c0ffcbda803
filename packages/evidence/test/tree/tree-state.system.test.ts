import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openRepository } from '../../src/tree/repository.ts';
import type { TreeState } from '../../src/tree/tree-state.ts';
import { treeState } from '../../src/tree/tree-state.ts';
import type { Project } from '../support/project.ts';
import { makeProject } from '../support/project.ts';

const files = { 'a.txt': 'one\n', 'src/b.txt': 'two\n', '.gitignore': 'ignored\n' };

/** Returns whether an act changes the state for a collector that has read the folder before. */
async function isNoticed(act: (project: Project) => void): Promise<boolean> {
  const project = makeProject(files);
  const collector = project.collector();
  const before = await collector.tree();
  act(project);
  const after = await collector.tree();
  return before !== after;
}

test('A tree that equals its commit has its hash', async () => {
  const project = makeProject(files);
  const head = project.git('rev-parse', 'HEAD').trim();
  expect(await project.collector().tree()).toBe(`commit:${head}`);
});

test('There is no state without a repository or without a commit', async () => {
  const project = makeProject();
  project.git('update-ref', '-d', 'HEAD');
  expect(await project.collector().tree()).toBeUndefined();
});

const acts: readonly (readonly [string, (project: Project) => void])[] = [
  ['a changed file', ({ write }) => write('a.txt', 'ONE\n')],
  ['a new file', ({ write }) => write('new.txt', '')],
  ['a new file in a new folder', ({ write }) => write('x/y/new.txt', '')],
  ['a staged file', ({ write, git }) => (write('a.txt', 'ONE\n'), git('add', '.'))],
  ['a deleted file', ({ git }) => git('rm', '--quiet', 'a.txt')],
  ['a file that became a program', ({ folder }) => chmodSync(join(folder, 'a.txt'), 0o755)],
  ['a new link', ({ folder }) => symlinkSync('a.txt', join(folder, 'link'))],
  ['a commit', ({ write, commit }) => (write('a.txt', 'ONE\n'), commit())],
  ['an empty commit', ({ commit }) => commit()],
  [
    'a changed file that the index is told to ignore',
    ({ write, git }) => (git('update-index', '--assume-unchanged', 'a.txt'), write('a.txt', 'ONE\n')),
  ],
  [
    'a changed file that the index is told to skip',
    ({ write, git }) => (git('update-index', '--skip-worktree', 'a.txt'), write('a.txt', 'ONE\n')),
  ],
  [
    'a new file that only the repository ignores',
    ({ folder, write }) => (
      writeFileSync(join(folder, '.git/info/exclude'), 'hidden.txt\n'),
      write('hidden.txt', '')
    ),
  ],
  [
    'a changed file of the same size and time',
    ({ folder, write }) => {
      const { atime, mtime } = statSync(join(folder, 'a.txt'));
      write('a.txt', 'ONE\n');
      utimesSync(join(folder, 'a.txt'), atime, mtime);
    },
  ],
  [
    'a file in a repository within the repository',
    ({ folder, write, git }) => (
      mkdirSync(join(folder, 'inner')),
      git('init', '--quiet', 'inner'),
      write('inner/c.txt', '')
    ),
  ],
];

test.each(acts)('The state changes with %s', async (_, act) => {
  expect(await isNoticed(act)).toBe(true);
});

/** Prepares a read of a project before something happens. Returns its result, and that of a read that begins afterwards. */
async function prepareRead(
  happens: (project: Project, look: () => Promise<TreeState | undefined>) => unknown,
): Promise<readonly (TreeState | undefined)[]> {
  const project = makeProject(files);
  const cacheFolder = mkdtempSync(join(tmpdir(), 'trees-'));
  const repository = await openRepository({ folder: project.folder, cacheFolder, environment: process.env });
  if (repository === undefined) throw new Error('There is no repository.');
  await treeState(repository);
  let release = (): void => undefined;
  const after = new Promise<void>((resolve) => {
    release = resolve;
  });
  const prepared = treeState(repository, { after });
  await vi.waitUntil(() =>
    readdirSync(cacheFolder, { recursive: true }).some((name) => String(name).includes('look-')),
  );
  await happens(project, () => treeState(repository));
  release();
  return [await prepared, await treeState(repository)];
}

test.each(acts)('A prepared read sees %s', async (_, act) => {
  const [prepared, later] = await prepareRead(act);
  expect(prepared?.tree).toBe(later?.tree);
  expect(prepared?.changed).toEqual(later?.changed);
});

test.each([
  ['new', true, ({ write }: Project) => write('new.txt', '')],
  ['changed', false, ({ write }: Project) => write('a.txt', 'ONE\n')],
] as const)('A state says whether files are new: one is %s', async (_, hasNew, act) => {
  const [, later] = await prepareRead(act);
  expect(later).toMatchObject({ isClean: false, hasNew });
});

test('A prepared read sees a commit that another read has loaded in the meantime', async () => {
  const [prepared, later] = await prepareRead(async ({ write, commit }, look) => {
    write('a.txt', 'ONE\n');
    commit();
    await look();
  });
  expect(later?.isClean).toBe(true);
  expect(prepared?.tree).toBe(later?.tree);
});

test('Ignored files, and a change that is undone, do not change the state', async () => {
  expect(await isNoticed(({ write }) => write('ignored', ''))).toBe(false);
  expect(await isNoticed(({ write }) => (write('a.txt', 'ONE\n'), write('a.txt', 'one\n')))).toBe(false);
});

test('Two different changes of one file have two states', async () => {
  const project = makeProject(files);
  const collector = project.collector();
  project.write('a.txt', 'ONE\n');
  const one = await collector.tree();
  project.write('a.txt', 'TWO\n');
  const two = await collector.tree();
  expect([one, two].every((tree) => tree?.startsWith('sha256:'))).toBe(true);
  expect(one).not.toBe(two);
  expect(await project.collector().tree()).toBe(two);
});

test('Programs that the repository configures are not run', async () => {
  const project = makeProject({ ...files, '.gitattributes': '*.txt filter=evil diff=evil\n' });
  const mark = join(project.stateFolder, 'ran');
  project.write('evil.sh', `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(join(project.folder, 'evil.sh'), 0o755);
  const evil = join(project.folder, 'evil.sh');
  for (const key of [
    'core.fsmonitor',
    'filter.evil.clean',
    'filter.evil.process',
    'diff.evil.textconv',
    'diff.external',
    'core.pager',
    'core.sshCommand',
  ])
    project.git('config', key, evil);
  project.git('config', 'core.hooksPath', project.folder);
  project.write('post-index-change', `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(join(project.folder, 'post-index-change'), 0o755);
  project.write('a.txt', 'ONE\n');
  const collector = project.collector();
  expect(await collector.tree()).toMatch(/^sha256:/);
  const git = { key: 'g', waitMs: 10_000, evidence: { id: 'g', git: { clean: true, ahead_of: 'main' } } };
  const changes = {
    key: 'c',
    waitMs: 10_000,
    evidence: { id: 'c', changes: { within: ['src/**'], since: 'main' } },
  };
  expect(await collector.collect(git)).toMatchObject({ result: { outcome: 'failed' } });
  expect(await collector.collect(changes)).toMatchObject({ result: { outcome: 'failed' } });
  expect(existsSync(mark)).toBe(false);
  // Git itself does run them, because it reads the configuration of the repository.
  project.git('status');
  expect(existsSync(mark)).toBe(true);
});
