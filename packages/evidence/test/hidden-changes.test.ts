import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Project } from './project.ts';
import { makeProject } from './project.ts';

// What an agent can do to hide a change from git, or to have git look elsewhere. Each is tried with a server that looked
// before, and with one that was started afterwards.

const files = { 'a.txt': 'one\n', 'src/b.txt': 'two\n', '.gitignore': 'ignored\n' };

async function isNoticed(
  prepare: (project: Project) => void,
  act: (project: Project) => void,
  environment: (project: Project) => Readonly<Record<string, string | undefined>> = () => process.env,
): Promise<readonly boolean[]> {
  const project = makeProject(files);
  prepare(project);
  const seen = project.collector(environment(project));
  const before = await seen.tree();
  expect(before).toBeDefined();
  act(project);
  const [after, later] = [await seen.tree(), await project.collector(environment(project)).tree()];
  return [before !== after, before !== later];
}

const bytes = (folder: string, name: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);

test.each<readonly [string, (project: Project) => void, (project: Project) => void]>([
  [
    'a change in a new file whose name is not UTF-8',
    ({ folder }) => writeFileSync(bytes(folder, [0x78, 0xff]), 'one'),
    ({ folder }) => writeFileSync(bytes(folder, [0x78, 0xff]), 'two'),
  ],
  [
    'a new file whose name differs only in case',
    ({ git }) => git('config', 'core.ignorecase', 'true'),
    ({ write }) => write('A.TXT', 'evil\n'),
  ],
  [
    'a link that became a file',
    ({ folder, git, commit }) => (
      symlinkSync('a.txt', join(folder, 'link')),
      commit(),
      git('config', 'core.symlinks', 'false')
    ),
    ({ folder }) => (rmSync(join(folder, 'link')), writeFileSync(join(folder, 'link'), 'a.txt')),
  ],
  [
    'a change while the repository names another work tree',
    () => undefined,
    ({ folder, git, write }) => {
      const copy = join(folder, '.git/pristine');
      mkdirSync(copy);
      git('--work-tree', copy, 'checkout', '--quiet', '-f', 'HEAD', '--', '.');
      git('config', 'core.worktree', copy);
      write('a.txt', 'ONE\n');
    },
  ],
  [
    'a commit that is replaced by another one',
    () => undefined,
    ({ git, write }) => {
      const head = git('rev-parse', 'HEAD').trim();
      write('a.txt', 'ONE\n');
      git('add', '.');
      const other = git('commit-tree', '-m', 'Other', git('write-tree').trim()).trim();
      git('replace', head, other);
    },
  ],
])('%s is noticed', async (_, prepare, act) => {
  expect(await isNoticed(prepare, act)).toEqual([true, true]);
});

test.each<readonly [string, (project: Project) => void]>([
  [
    'an expanded keyword',
    ({ write, commit }) => {
      write('.gitattributes', '*.txt ident\n');
      write('a.txt', '/* $Id$ */\n');
      commit();
      write('a.txt', '/* $Id: */ evil(); /* $ */\n');
    },
  ],
  [
    'an encoding',
    ({ write, commit }) => {
      write('.gitattributes', '*.txt working-tree-encoding=UTF-7\n');
      write('a.txt', 'a\n');
      commit();
      write('a.txt', '+AGE-\n');
    },
  ],
  [
    'an overwritten object of the commit',
    ({ folder, git, write }) => {
      const object = (id: string): string => join(folder, '.git/objects', id.slice(0, 2), id.slice(2));
      const tree = git('rev-parse', 'HEAD^{tree}').trim();
      write('a.txt', 'ONE\n');
      git('add', '.');
      const other = git('write-tree').trim();
      chmodSync(object(tree), 0o644);
      copyFileSync(object(other), object(tree));
    },
  ],
])('files that equal the commit only through %s are not clean', async (_, act) => {
  const project = makeProject(files);
  act(project);
  expect((await project.collector().tree()) ?? 'unreadable').not.toMatch(/^commit:/);
});

test('a file that only the user ignores is noticed', async () => {
  const home = ({ stateFolder }: Project): string => join(stateFolder, 'home');
  const noticed = await isNoticed(
    (project) => {
      mkdirSync(join(home(project), '.config/git'), { recursive: true });
      writeFileSync(join(home(project), '.config/git/ignore'), 'hidden.txt\n');
      writeFileSync(join(home(project), '.gitconfig'), '[core]\nexcludesFile = ~/.config/git/ignore\n');
    },
    ({ write }) => write('hidden.txt', 'evil\n'),
    (project) => ({ ...process.env, HOME: home(project), XDG_CONFIG_HOME: undefined }),
  );
  expect(noticed).toEqual([true, true]);
});

test('a program in the folder is not taken for git', async () => {
  const noticed = await isNoticed(
    ({ folder, write }) => {
      write('.gitignore', 'ignored\nnode_modules\nbin\n');
      const lie = '#!/bin/sh\necho "# branch.oid 1234567890123456789012345678901234567890"\n';
      for (const place of ['node_modules/.bin/git', 'bin/git']) {
        write(place, lie);
        chmodSync(join(folder, place), 0o755);
      }
    },
    ({ write }) => write('a.txt', 'ONE\n'),
    ({ folder }) => ({
      ...process.env,
      PATH: [join(folder, 'node_modules/.bin'), 'bin', '', process.env['PATH']].join(':'),
    }),
  );
  expect(noticed).toEqual([true, true]);
});

test('what another server has read does not count for a commit that was left', async () => {
  const project = makeProject(files);
  const first = project.git('rev-parse', 'HEAD').trim();
  const collector = project.collector();
  expect(await collector.tree()).toBe(`commit:${first}`);
  project.write('a.txt', 'ONE\n');
  project.commit();
  expect(await project.collector().tree()).toMatch(/^commit:/);
  project.git('reset', '--quiet', '--soft', first);
  expect(await collector.tree()).toMatch(/^sha256:/);
});

test('a new file of a terabyte is not read', async () => {
  const project = makeProject(files);
  project.write('huge', '');
  truncateSync(join(project.folder, 'huge'), 1024 ** 4);
  const collector = project.collector();
  const before = await collector.tree();
  expect(await collector.tree()).toBe(before);
  truncateSync(join(project.folder, 'huge'), 1024 ** 4 + 1);
  expect(await collector.tree()).not.toBe(before);
});

test('a server without a search path finds git', async () => {
  expect(await makeProject(files).collector({}).tree()).toMatch(/^commit:/);
});
