import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalCollector } from '../../src/index.ts';
import { checksFile, createCollector, readProjectChecks } from '../../src/index.ts';
import { readHead } from '../../src/tree/git-files.ts';
import type { Project } from '../support/project.ts';
import { makeProject } from '../support/project.ts';

// Ways in which an agent can hide a change from git, or make git read other files. Each is tried with a server that has
// read the folder before, and with one that is started afterwards.

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
    'a new file whose name differs only in case, where a second name of a file makes it look as if that did not count',
    ({ folder, stateFolder }) => {
      renameSync(join(folder, '.git'), join(stateFolder, 'moved.git'));
      writeFileSync(join(folder, '.git'), `gitdir: ${join(stateFolder, 'moved.git')}\n`);
      linkSync(join(folder, '.git'), join(folder, '.GIT'));
    },
    ({ write }) => write('A.TXT', 'evil\n'),
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
])('A hidden change is noticed: %s', async (_, prepare, act) => {
  expect(await isNoticed(prepare, act)).toEqual([true, true]);
});

/** Returns a function that replaces the submodule of a commit with a file or a link. */
const inPlaceOfModule =
  (make: (place: string) => void) =>
  ({ folder }: Project) => {
    rmSync(join(folder, 'module'), { recursive: true, force: true });
    make(join(folder, 'module'));
  };

test.each<readonly [string, (text: string) => (place: string) => void]>([
  ['a file', (text) => (place) => writeFileSync(place, text)],
  ['a link', (text) => (place) => symlinkSync(text, place)],
])('Other content of %s instead of a submodule is noticed', async (_, make) => {
  const noticed = await isNoticed(
    (project) => {
      const head = project.git('rev-parse', 'HEAD').trim();
      project.git('update-index', '--add', '--cacheinfo', `160000,${head},module`);
      project.git('commit', '--quiet', '-m', 'Module');
      inPlaceOfModule(make('one'))(project);
    },
    inPlaceOfModule(make('two')),
  );
  expect(noticed).toEqual([true, true]);
});

test('A folder above the one with the repository is not treated as its work tree', async () => {
  const above = makeProject(files);
  const folder = join(above.folder, 'middle/project');
  above.git('clone', '--quiet', above.folder, folder);
  const collector = (): LocalCollector =>
    createCollector({
      folder,
      stateFolder: above.stateFolder,
      environment: process.env,
      trust: above.trusted,
    });
  const before = await collector().tree();
  expect(before).toMatch(/^commit:/);
  rmSync(join(above.folder, '.git'), { recursive: true });
  above.write('middle/.gitignore', '*\n');
  execFileSync('git', ['config', 'core.worktree', above.folder], { cwd: folder });
  writeFileSync(join(folder, 'a.txt'), 'ONE\n');
  expect(await collector().tree()).not.toBe(before);
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
])('Files that equal the commit only because of %s are not clean', async (_, act) => {
  const project = makeProject(files);
  act(project);
  expect((await project.collector().tree()) ?? 'unreadable').not.toMatch(/^commit:/);
});

test.each([
  ['a folder', 'secret'],
  ['a folder whose name has a control character', '\u0001secret'],
  ['a folder whose name has two lines', 'se\ncret'],
  ['a folder whose name looks like the end of a message', "se/': cret"],
])('Files in %s that can be entered but not listed are noticed', async (_, name) => {
  const places = mkdtempSync(join(tmpdir(), 'bin-'));
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  // Root can list every folder, so git runs without these capabilities.
  const rights = '--bounding-set=-dac_override,-dac_read_search';
  const drop = process.getuid?.() === 0 ? `setpriv ${rights} --inh-caps=-dac_override,-dac_read_search` : '';
  writeFileSync(join(places, 'git'), `#!/bin/sh\nexec ${drop} ${real} "$@"\n`, { mode: 0o755 });
  const noticed = await isNoticed(
    ({ folder }) => mkdirSync(join(folder, name), { recursive: true }),
    ({ folder, write }) => (write(`${name}/evil.txt`, 'evil\n'), chmodSync(join(folder, name), 0o311)),
    () => ({ ...process.env, PATH: `${places}:${process.env['PATH']}` }),
  );
  expect(noticed).toEqual([true, true]);
});

test('Files in folders with a path that is too long for git are noticed', async () => {
  const half = Array.from({ length: 9 }, () => 'd'.repeat(250)).join('/');
  const noticed = await isNoticed(
    ({ folder }) => onTestFinished(() => void execFileSync('rm', ['-rf', folder])),
    ({ folder, write }) => {
      write(`${half}/.keep`, '');
      rmSync(join(folder, half, '.keep'));
      const make = 'mkdir -p "$1" && echo evil > "$1/evil.txt"';
      execFileSync('/bin/sh', ['-c', make, 'sh', half], { cwd: join(folder, half) });
    },
  );
  expect(noticed).toEqual([true, true]);
});

test('Another text with the same size and time, written in the second in which the server read the file, is noticed', async () => {
  const project = makeProject(files);
  const place = join(project.folder, 'a.txt');
  const secondNow = (): bigint => statSync(place, { bigint: true }).ctimeNs / 1_000_000_000n;
  for (let tries = 0; tries < 10; tries += 1) {
    const collector = project.collector();
    const looked: (string | undefined)[] = [];
    const seconds: bigint[] = [];
    for (const text of ['one\n', 'two\n']) {
      project.write('a.txt', text);
      utimesSync(place, 1e9, 1e9);
      looked.push(await collector.tree());
      seconds.push(secondNow());
    }
    looked.push(await project.collector().tree());
    expect(looked).toEqual([
      expect.stringMatching(/^commit:/),
      expect.stringMatching(/^sha256:/),
      expect.stringMatching(/^sha256:/),
    ]);
    // If the two reads were in different seconds, they prove nothing, so the test tries again.
    if (seconds[0] === seconds[1]) return;
  }
  throw new Error('The server never read the file twice in the same second');
});

test('The results of git are cached once they are old enough, and no files are left over', async () => {
  const project = makeProject(files);
  const collector = project.collector();
  const cache = join(project.stateFolder, 'trees');
  const namesNow = (): readonly string[] =>
    readdirSync(cache).flatMap((folder) => readdirSync(join(cache, folder)));
  utimesSync(join(project.folder, 'a.txt'), 1e9, 1e9);
  for (let round = 0; round < 3; round += 1)
    await Promise.all([collector.tree(), project.collector().tree()]);
  expect(namesNow().toSorted()).toEqual(['HEAD', 'config', 'index', 'info', 'objects', 'refs']);
});

test('A file that only the user ignores is noticed', async () => {
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

test('A program in the folder is not used as git', async () => {
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

test('The cached files of another server are not used for a commit that is no longer checked out', async () => {
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

test('A new file of a terabyte is not read', async () => {
  const project = makeProject(files);
  project.write('huge', '');
  truncateSync(join(project.folder, 'huge'), 1024 ** 4);
  const collector = project.collector();
  const before = await collector.tree();
  expect(await collector.tree()).toBe(before);
  truncateSync(join(project.folder, 'huge'), 1024 ** 4 + 1);
  expect(await collector.tree()).not.toBe(before);
});

test('A program in the folder is not used as git if a link leads to the folder', async () => {
  const noticed = await isNoticed(
    ({ folder, stateFolder, write }) => {
      symlinkSync(folder, join(stateFolder, 'link'));
      write('.gitignore', 'ignored\nnode_modules\nbin\n');
      for (const place of ['node_modules/.bin/git', 'bin/git']) {
        write(place, '#!/bin/sh\nexit 1\n');
        chmodSync(join(folder, place), 0o755);
      }
    },
    ({ write }) => write('a.txt', 'ONE\n'),
    ({ stateFolder }) => ({
      ...process.env,
      PATH: ['node_modules/.bin', 'bin']
        .map((place) => `${join(stateFolder, 'link', place)}:`)
        .join('')
        .concat(process.env['PATH'] ?? ''),
    }),
  );
  expect(noticed).toEqual([true, true]);
});

test('A program in the repository above the working folder is not used as git or as the command', async () => {
  const project = makeProject(files);
  project.write(join('src', checksFile), JSON.stringify({ checks: { test: { run: ['nl', 'b.txt'] } } }));
  project.write('.gitignore', 'bin\n');
  project.commit();
  for (const name of ['git', 'nl', 'grep']) {
    project.write(`bin/${name}`, '#!/bin/sh\nexit 9\n');
    chmodSync(join(project.folder, 'bin', name), 0o755);
  }
  const folder = join(project.folder, 'src');
  const { digest = '', path = '' } = (await readProjectChecks(folder)) ?? {};
  const collector = createCollector({
    folder,
    stateFolder: project.stateFolder,
    environment: { ...process.env, PATH: `${join(project.folder, 'bin')}:${process.env['PATH']}` },
    trust: {
      ...project.trusted,
      entry: (at) => Promise.resolve(at === path ? { digest, names: ['test'] } : undefined),
    },
  });
  expect(await collector.tree()).toMatch(/^commit:/);
  const evidence = { id: 'tests', check: 'test' };
  const found = await collector.collect({ key: 'tests', evidence, waitMs: 20_000 });
  expect(found).toMatchObject({ result: { outcome: 'passed' } });
});

test.each([
  ['without a search path', {}],
  ['with an empty search path', { PATH: '' }],
  ['whose search path has only folders of the project', { PATH: 'bin' }],
])('A server %s finds git, and no other program with its name', async (_, environment) => {
  const project = makeProject({ ...files, git: '#!/bin/sh\nexit 1\n', 'bin/git': '#!/bin/sh\nexit 1\n' });
  for (const place of ['git', 'bin/git']) chmodSync(join(project.folder, place), 0o755);
  project.commit();
  expect(await project.collector(environment).tree()).toMatch(/^commit:/);
});

// The server usually reads the current commit without git. It must notice every case in which git would read it differently.

test.each<readonly [string, (project: Project) => void, (project: Project) => void]>([
  [
    'a commit without a branch',
    ({ git }) => git('checkout', '--quiet', '--detach'),
    ({ commit }) => commit(),
  ],
  [
    'a commit whose branch is packed',
    ({ git }) => git('pack-refs', '--all'),
    ({ commit, git }) => (commit(), git('pack-refs', '--all')),
  ],
  [
    'another branch',
    ({ git, commit }) => (git('branch', 'before'), commit()),
    ({ git }) => git('symbolic-ref', 'HEAD', 'refs/heads/before'),
  ],
  [
    'a branch that leads to another branch',
    ({ git, commit }) => (git('branch', 'before'), commit()),
    ({ git }) => git('symbolic-ref', 'refs/heads/main', 'refs/heads/before'),
  ],
  [
    'a branch that became a link, which git reads as the name of another branch',
    ({ git }) =>
      git('branch', 'other', git('commit-tree', '-m', 'Other', '-p', 'HEAD', 'HEAD^{tree}').trim()),
    ({ folder, git }) => {
      const heads = join(folder, '.git/refs/heads');
      mkdirSync(join(heads, 'refs/heads'), { recursive: true });
      writeFileSync(join(heads, 'refs/heads/other'), git('rev-parse', 'main'));
      rmSync(join(heads, 'main'));
      symlinkSync('refs/heads/other', join(heads, 'main'));
    },
  ],
  [
    'a commit in another folder that the repository names as its own',
    () => undefined,
    ({ folder, git }) => {
      const commit = git('commit-tree', '-m', 'Other', '-p', 'HEAD', 'HEAD^{tree}').trim();
      const other = join(mkdtempSync(join(tmpdir(), 'other-')), '.git');
      cpSync(join(folder, '.git'), other, { recursive: true });
      git('--git-dir', other, 'update-ref', 'refs/heads/main', commit);
      writeFileSync(join(folder, '.git/commondir'), `${other}\n`);
    },
  ],
  [
    'a folder of the repository that became a file leading elsewhere',
    () => undefined,
    ({ folder, commit }) => {
      const moved = join(mkdtempSync(join(tmpdir(), 'moved-')), 'git');
      commit();
      renameSync(join(folder, '.git'), moved);
      writeFileSync(join(folder, '.git'), `gitdir: ${moved}\n`);
    },
  ],
])('A hidden repository is noticed: %s', async (_, prepare, act) => {
  expect(await isNoticed(prepare, act)).toEqual([true, true]);
});

test('A linked work tree that leads to another one is noticed', async () => {
  const project = makeProject(files);
  const [one, other] = ['one', 'other'].map((name) => {
    const place = join(realpathSync(mkdtempSync(join(tmpdir(), 'linked-'))), name);
    project.git('worktree', 'add', '--quiet', '--detach', place);
    return place;
  }) as [string, string];
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd,
      encoding: 'utf8',
    });
  git(other, 'commit', '--quiet', '--allow-empty', '-m', 'Other');
  const collector = createCollector({
    folder: one,
    stateFolder: project.stateFolder,
    environment: process.env,
    trust: project.trusted,
  });
  const before = await collector.tree();
  expect(before).toMatch(/^commit:/);
  expect(await collector.tree()).toBe(before);
  const link = readFileSync(join(one, '.git'));
  writeFileSync(join(one, '.git'), readFileSync(join(other, '.git')));
  expect(await collector.tree()).not.toBe(before);
  writeFileSync(join(one, '.git'), link);
  expect(await collector.tree()).toBe(before);
  // Each work tree has its own refs below refs/worktree, which are stored in another place.
  const name = 'refs/worktree/own';
  git(one, 'update-ref', name, git(other, 'rev-parse', 'HEAD').trim());
  mkdirSync(join(project.folder, '.git/refs/worktree'));
  writeFileSync(join(project.folder, '.git', name), git(project.folder, 'rev-parse', 'HEAD'));
  git(one, 'symbolic-ref', 'HEAD', name);
  expect(git(one, 'rev-parse', 'HEAD')).toBe(git(other, 'rev-parse', 'HEAD'));
  expect(await collector.tree()).not.toBe(before);
});

test('A repository that is created in the working folder below another one is noticed', async () => {
  const project = makeProject(files);
  const folder = join(project.folder, 'src');
  const collector = createCollector({
    folder,
    stateFolder: project.stateFolder,
    environment: process.env,
    trust: project.trusted,
  });
  const before = await collector.tree();
  expect(before).toMatch(/^commit:/);
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  expect(await collector.tree()).not.toBe(before);
});

test('Git is asked if a repository stores its branches in another format', async () => {
  const { folder, git } = makeProject(files);
  const places = { root: folder, gitDir: join(folder, '.git'), common: join(folder, '.git') };
  const head = git('rev-parse', 'HEAD').trim();
  expect(await readHead(places)).toBe(head);
  writeFileSync(join(folder, '.git/config'), '[extensions]\n\tRefStorage = reftable\n');
  expect(await readHead(places)).toBeUndefined();
});
