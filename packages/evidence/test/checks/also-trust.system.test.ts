import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EvidenceResult } from '@workflowlookup/core/sessions';
import type { Evidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { checksFile, readProjectChecks } from '../../src/index.ts';
import type { Project } from '../support/project.ts';
import { makeProject } from '../support/project.ts';

// The command reads a file that does not exist while a person trusts the checks, as npm does with .npmrc.

const check = { run: 'if [ -e conf/npmrc ]; then . conf/npmrc; fi; exit 9', also_trust: ['conf/npmrc'] };

const evil = 'exit 0\n';

function project(prepare: (project: Project, elsewhere: string) => void = () => undefined): {
  readonly made: Project;
  readonly elsewhere: string;
} {
  const made = makeProject({ 'a.txt': 'one\n', [checksFile]: JSON.stringify({ checks: { test: check } }) });
  const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
  prepare(made, elsewhere);
  made.commit();
  return { made, elsewhere };
}

async function collect(
  made: Project,
  evidence: Evidence = { id: 'a', check: 'test' },
): Promise<EvidenceResult> {
  const answer = await made.collector().collect({ key: 'a', evidence, waitMs: 20_000 });
  if (!('result' in answer)) throw new Error('The check is still running');
  return answer.result;
}

const linkTo = (target: string, { folder }: Project): void => {
  mkdirSync(join(folder, 'conf'), { recursive: true });
  symlinkSync(target, join(folder, 'conf/npmrc'));
};

test.each<
  readonly [string, (made: Project, elsewhere: string) => void, (made: Project, elsewhere: string) => void]
>([
  ['a file', () => undefined, ({ write }) => write('conf/npmrc', evil)],
  [
    'a link that leads out of the folder',
    () => undefined,
    (made, elsewhere) => (
      writeFileSync(join(elsewhere, 'npmrc'), evil),
      linkTo(join(elsewhere, 'npmrc'), made)
    ),
  ],
  [
    'a link to nothing, and the file a moment later',
    () => undefined,
    (made, elsewhere) => linkTo(join(elsewhere, 'npmrc'), made),
  ],
  [
    'the file to which a link leads',
    (made, elsewhere) => linkTo(join(elsewhere, 'npmrc'), made),
    (_, elsewhere) => writeFileSync(join(elsewhere, 'npmrc'), evil),
  ],
  [
    'another file to which a link leads',
    (made, elsewhere) => (
      writeFileSync(join(elsewhere, 'npmrc'), 'exit 8\n'),
      linkTo(join(elsewhere, 'npmrc'), made)
    ),
    (_, elsewhere) => writeFileSync(join(elsewhere, 'npmrc'), evil),
  ],
  [
    'a folder that is a link',
    () => undefined,
    ({ folder }, elsewhere) => symlinkSync(join(elsewhere, 'none'), join(folder, 'conf')),
  ],
  [
    'a file of terabytes',
    () => undefined,
    ({ folder, write }) => (write('conf/npmrc', evil), truncateSync(join(folder, 'conf/npmrc'), 1024 ** 4)),
  ],
  [
    'a pipe',
    () => undefined,
    ({ folder }) => (mkdirSync(join(folder, 'conf')), execFileSync('mkfifo', [join(folder, 'conf/npmrc')])),
  ],
  ['a folder', () => undefined, ({ write }) => write('conf/npmrc/file', evil)],
])('Trust ends if an agent makes %s of a trusted name', async (_, prepare, act) => {
  const { made, elsewhere } = project(prepare);
  await made.trust();
  expect(await collect(made)).toMatchObject({ outcome: 'failed', exitCode: expect.any(Number) });
  act(made, elsewhere);
  expect(await collect(made)).toMatchObject({ reasons: [expect.stringContaining('also_trust')] });
});

test('An agent that replaces the file of checks while it is read cannot change the commands under the same digest', async ({
  signal,
}) => {
  // If it were read again, as one of the names in its own also_trust list, that would be much later.
  const others = Array.from({ length: 50 }, (_, at) => [
    `other-${at}`,
    { run: 'true', also_trust: Array.from({ length: 50 }, (__, nth) => `none/${at}/${nth}`) },
  ]);
  const saying = (run: string): string =>
    JSON.stringify({ checks: { ...Object.fromEntries(others), test: { run, also_trust: [checksFile] } } });
  const made = makeProject({ [checksFile]: saying('exit 9') });
  const trusted = await readProjectChecks(made.folder);
  /** Replaces the file after some turns of the event loop. Returns what was read, and whether the file had been read by then. */
  const attack = async (turns: number) => {
    made.write(checksFile, saying('exit 0'));
    let hasEnded = false;
    const reading = readProjectChecks(made.folder).finally(() => (hasEnded = true));
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    const isTooLate = hasEnded;
    made.write(checksFile, saying('exit 9'));
    const found = await reading;
    const isTooEarly = found?.checks?.checks['test']?.run !== 'exit 0';
    return { isTooLate, isTooEarly, digest: found?.digest };
  };
  // How many turns the first read takes depends on the machine, so the attack is repeated until it comes in time. It also
  // differs from read to read, so the search starts again if no number is left.
  let turns = 64;
  let [tooEarly, tooLate] = [0, Infinity];
  let found = await attack(turns);
  while ((found.isTooEarly || found.isTooLate) && !signal.aborted) {
    if (found.isTooLate) tooLate = turns;
    else tooEarly = turns;
    if (tooLate - tooEarly < 2) [tooEarly, tooLate] = [0, Infinity];
    turns = tooLate === Infinity ? turns * 2 : Math.floor((tooEarly + tooLate) / 2);
    found = await attack(turns);
  }
  expect(found).toMatchObject({ isTooLate: false, isTooEarly: false });
  expect(found.digest).not.toBe(trusted?.digest);
});

test.each([
  ['an item of a list', 'package.json#/files/0', { files: ['a'] }, { files: ['b'] }],
  ['a value below a list', 'package.json#/all/1/run', { all: [1, { run: 'a' }] }, { all: [1, { run: 'b' }] }],
])('Trust ends if a trusted value changes: %s', async (_, spec, before, after) => {
  const made = makeProject({
    [checksFile]: JSON.stringify({ checks: { test: { run: 'true', also_trust: [spec] } } }),
    'package.json': JSON.stringify(before),
  });
  const trusted = await readProjectChecks(made.folder);
  made.write('package.json', JSON.stringify(after));
  expect((await readProjectChecks(made.folder))?.digest).not.toBe(trusted?.digest);
});

test('A file that git ignores, or that a link leads to, is not in the last commit', async () => {
  const { made } = project();
  const plan: Evidence = { id: 'plan', file: { path: 'plan.md' }, at: 'commit' };
  made.write('plan.md', 'the plan\n');
  made.commit();
  expect(await collect(made, plan)).toMatchObject({ outcome: 'passed' });
  rmSync(join(made.folder, 'plan.md'));
  made.write('.gitignore', 'plan.md\nother.md\n');
  made.commit();
  made.write('plan.md', 'another plan\n');
  expect(await collect(made, plan)).toMatchObject({ outcome: 'failed' });
  expect(await collect(made, { id: 'plan', file: { path: 'plan.md' } })).toMatchObject({ outcome: 'passed' });
  made.write('other.md', 'another plan\n');
  rmSync(join(made.folder, 'plan.md'));
  symlinkSync('other.md', join(made.folder, 'plan.md'));
  made.git('add', '--force', 'plan.md');
  made.commit();
  expect(await collect(made, plan)).toMatchObject({ outcome: 'failed' });
});

test('Files must equal the last commit even while the repository is missing', async () => {
  const { made, elsewhere } = project();
  const plan: Evidence = { id: 'plan', file: { path: 'a.txt' }, at: 'commit' };
  expect(await collect(made, plan)).toMatchObject({ outcome: 'passed' });
  made.write('a.txt', 'two\n');
  expect(await collect(made, plan)).toMatchObject({ outcome: 'failed' });
  renameSync(join(made.folder, '.git'), join(elsewhere, 'git'));
  expect(await collect(made, plan)).toMatchObject({ outcome: 'failed' });
  expect(await collect(made, { id: 'plan', file: { path: 'a.txt' } })).toMatchObject({ outcome: 'passed' });
});

test('An agent that removes the trusted checks and moves the folder is refused', async () => {
  const made = makeProject({ 'a.txt': 'one\n' });
  made.write(checksFile, JSON.stringify({ checks: { test: check } }));
  await made.trust();
  rmSync(join(made.folder, checksFile));
  renameSync(made.folder, `${made.folder}-moved`);
  symlinkSync(`${made.folder}-moved`, made.folder);
  expect(await collect(made)).toMatchObject({ outcome: 'failed' });
});

test('An agent that removes untrusted checks by merging a history without them is refused', async () => {
  const made = makeProject({ 'a.txt': 'one\n', [checksFile]: JSON.stringify({ checks: { test: check } }) });
  const { git, folder } = made;
  const first = git('rev-parse', 'HEAD').trim();
  rmSync(join(folder, checksFile));
  git('add', '--all');
  const tree = git('write-tree').trim();
  const other = git('commit-tree', '-m', 'Other', tree).trim();
  git('reset', '--quiet', '--hard', git('commit-tree', '-m', 'Merge', '-p', other, '-p', first, tree).trim());
  expect(await collect(made)).toMatchObject({ outcome: 'failed' });
});

test('A check whose file is a pipe does not block the server', async () => {
  const { made } = project();
  await made.trust();
  rmSync(join(made.folder, checksFile));
  execFileSync('mkfifo', [join(made.folder, checksFile)]);
  chmodSync(join(made.folder, checksFile), 0o644);
  expect(await collect(made)).toMatchObject({ outcome: 'failed' });
});
