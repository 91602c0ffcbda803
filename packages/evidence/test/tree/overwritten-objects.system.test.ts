import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { EvidenceResult } from '@workflowlookup/core/sessions';
import type { Evidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import type { Project } from '../support/project.ts';
import { makeProject } from '../support/project.ts';

// Git does not compare the content of trees and commits with their hash when it reads them, so an agent can overwrite them.

const files = { 'src/cart.txt': 'a cart\n', 'docs/plan.md': 'a plan\n', '.gitignore': 'ignored\n' };

function overwrite({ folder, git }: Project, revision: string, by: string): void {
  const [place = '', other = ''] = [revision, by].map((one) => {
    const id = git('rev-parse', one).trim();
    return join(folder, '.git/objects', id.slice(0, 2), id.slice(2));
  });
  chmodSync(place, 0o644);
  copyFileSync(other, place);
}

let keys = 0;

async function collect(project: Project, evidence: Evidence): Promise<EvidenceResult> {
  keys += 1;
  const answer = await project.collector().collect({ key: `${keys}`, evidence, waitMs: 20_000 });
  if (!('result' in answer)) throw new Error('The check is still running');
  return answer.result;
}

const ahead: Evidence = { id: 'ahead', git: { ahead_of: 'base' } };
const scope: Evidence = { id: 'scope', changes: { within: ['src'], since: 'base' } };

function commitTo(project: Project, path: string): void {
  project.write(path, `${path} changed\n`);
  project.commit();
}

test('Files that equal a commit only because of replaced objects in this repository do not count as equal', async () => {
  const project = makeProject(files);
  const clean: Evidence = { id: 'clean', git: { clean: true } };
  expect(await collect(project, clean)).toMatchObject({ outcome: 'passed' });
  commitTo(project, 'src/cart.txt');
  project.write('src/cart.txt', 'what nobody else finds in the commit\n');
  project.git('add', '.');
  const tree = project.git('write-tree').trim();
  overwrite(project, 'HEAD:src', `${tree}:src`);
  const seen = project.collector();
  expect(await seen.tree()).toBeUndefined();
  expect(await collect(project, clean)).toMatchObject({ outcome: 'failed' });
  // The previous commit is unchanged.
  project.git('symbolic-ref', 'HEAD', 'refs/heads/before');
  project.git('update-ref', 'refs/heads/before', 'main~1');
  expect(await seen.tree()).toMatch(/^sha256:/);
});

test('A change outside of the scope is not hidden by a replaced folder of the previous commit', async () => {
  const project = makeProject(files);
  project.git('branch', 'base');
  commitTo(project, 'docs/plan.md');
  expect(await collect(project, scope)).toMatchObject({ reasons: [expect.stringContaining('docs/plan.md')] });
  overwrite(project, 'base:docs', 'HEAD:docs');
  expect(await collect(project, scope)).toMatchObject({ outcome: 'failed' });
});

test('A commit does not contain another one because of a replaced commit between them', async () => {
  const project = makeProject(files);
  commitTo(project, 'docs/plan.md');
  project.git('branch', 'base');
  project.git('reset', '--quiet', '--hard', 'HEAD~1');
  commitTo(project, 'src/cart.txt');
  commitTo(project, 'src/other.txt');
  expect(await collect(project, ahead)).toMatchObject({ outcome: 'failed' });
  const lie = project.git('commit-tree', '-m', 'Lie', '-p', 'base', 'HEAD~1^{tree}').trim();
  overwrite(project, 'HEAD~1', lie);
  expect(await collect(project, ahead)).toMatchObject({ outcome: 'failed' });
});

test('A commit does not contain a parent that git does not look at', async () => {
  const project = makeProject(files);
  const { folder, git } = project;
  commitTo(project, 'docs/plan.md');
  git('branch', 'base');
  git('reset', '--quiet', '--hard', 'HEAD~1');
  const [tree, base] = [git('rev-parse', 'HEAD^{tree}').trim(), git('rev-parse', 'base').trim()];
  const person = 'Ada <ada@example.com> 1700000000 +0000';
  const text = (first: string, last: string): string =>
    `tree ${tree}\n${first}author ${person}\ncommitter ${person}\n${last}\nLie\n`;
  const parent = `parent ${base}\n`;
  const commit = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], {
    cwd: folder,
    input: text('', parent),
    encoding: 'utf8',
  }).trim();
  git('reset', '--quiet', '--hard', commit);
  expect(await collect(project, ahead)).toMatchObject({ outcome: 'failed' });
  // Git reads the commit graph first. It is written while the object has other content.
  const place = join(folder, '.git/objects', commit.slice(0, 2), commit.slice(2));
  const genuine = readFileSync(place);
  const lie = text(parent, '');
  chmodSync(place, 0o644);
  writeFileSync(place, deflateSync(`commit ${lie.length}\0${lie}`));
  git('commit-graph', 'write', '--reachable');
  writeFileSync(place, genuine);
  commitTo(project, 'src/cart.txt');
  expect(git('rev-list', '--ancestry-path', 'base..HEAD')).toContain(commit);
  expect(await collect(project, ahead)).toMatchObject({ outcome: 'failed' });
});

test('A long history, a merge, a submodule, a link, a program and odd names are accepted', async () => {
  const project = makeProject(files);
  const { folder, git, write, commit } = project;
  git('branch', 'base');
  for (let at = 0; at < 20; at += 1) commitTo(project, `src/${at}/file ${at}\t"ä\n.txt`);
  git('checkout', '--quiet', '-b', 'side', 'base');
  commitTo(project, 'src/side.txt');
  git('checkout', '--quiet', 'main');
  git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'side');
  write('src/run.sh', '#!/bin/sh\n');
  chmodSync(join(folder, 'src/run.sh'), 0o755);
  execFileSync('ln', ['-s', 'run.sh', join(folder, 'src/link')]);
  git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD').trim()},src/module`);
  git('add', '.');
  git('commit', '--quiet', '-m', 'Odd');
  git('gc', '--quiet');
  expect(await project.collector().tree()).toMatch(/^commit:/);
  expect(await collect(project, ahead)).toMatchObject({ outcome: 'passed' });
  expect(await collect(project, scope)).toMatchObject({ outcome: 'passed' });
  commit();
});

test('An empty folder in a commit, and the file modes of old versions of git, are accepted', async () => {
  const project = makeProject(files);
  const { folder, git } = project;
  const mktree = (text: string): string =>
    execFileSync('git', ['mktree'], { cwd: folder, input: text, encoding: 'utf8' }).trim();
  const listing = git('ls-tree', 'HEAD').replace('100644', '100664');
  const tree = mktree(`${listing}040000 tree ${mktree('')}\tempty\n`);
  git('update-ref', 'HEAD', git('commit-tree', '-m', 'Old', '-p', 'HEAD', tree).trim());
  expect(await project.collector().tree()).toMatch(/^commit:/);
});

test('The commits of a shallow clone can be compared', async () => {
  const origin = makeProject(files);
  for (let at = 0; at < 5; at += 1) commitTo(origin, 'src/cart.txt');
  const project = makeProject();
  project.git('fetch', '--quiet', '--depth', '2', `file://${origin.folder}`, 'main');
  project.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
  project.git('branch', 'base');
  commitTo(project, 'src/more.txt');
  expect(await collect(project, ahead)).toMatchObject({ outcome: 'passed' });
  expect(await collect(project, scope)).toMatchObject({ outcome: 'passed' });
});

test('A repository with SHA-256 object names can be read', async () => {
  const project = makeProject(files);
  rmSync(join(project.folder, '.git'), { recursive: true });
  project.git('init', '--quiet', '--object-format=sha256', '-b', 'main');
  project.commit();
  expect(await project.collector().tree()).toMatch(/^commit:[0-9a-f]{64}$/);
});
