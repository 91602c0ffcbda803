import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import type { Project } from '../support/project.ts';
import { makeProject, startAgent, waitingCommand } from '../support/project.ts';

// Agents that do not change the command of a check, but falsify its report.

const tests: Evidence = { id: 'tests', check: 'test', tests: 'not-fewer' };
const refused = { code: 'EVIDENCE_REQUIRED' };

/** Makes a project whose check has this command and this report. */
async function projectWith(run: string, report = 'reports/junit.xml', evidence = tests): Promise<Project> {
  const project = makeProject([evidence]);
  project.write(
    '.workflowlookup/checks.yaml',
    JSON.stringify({ checks: { test: { run, reports: [{ junit: report }] } } }),
  );
  project.commit();
  await project.trust();
  return project;
}

/** Returns a report with this number of passed tests. */
function suite(count: number): string {
  return `<testsuite>${"<testcase name='one'/>".repeat(count)}</testsuite>`;
}

test.each([
  ['no XML', 'all 57 tests passed'],
  ['no test suite', '<html><body>57 passed</body></html>'],
  ['a suite that only claims tests', '<testsuite tests="57" failures="0"/>'],
  [
    'entities that grow',
    `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(1000)}">${[...'bcdefghij']
      .map((one, at) => `<!ENTITY ${one} "${`&${'abcdefghij'[at]};`.repeat(10)}">`)
      .join('')}]><testsuite name="&j;"/>`,
  ],
  ['an entity that names a file', '<!DOCTYPE a [<!ENTITY a SYSTEM "/etc/passwd">]><testsuite name="&a;"/>'],
  ['suites in suites without end', '<testsuite>'.repeat(200_000)],
  ['suites in suites', '<testsuite>'.repeat(100_000) + '</testsuite>'.repeat(100_000)],
  ['only skipped tests', '<testsuite><testcase><skipped/></testcase></testsuite>'],
  ['only disabled tests', '<testsuite><testcase name="DISABLED_a" status="notrun"/></testsuite>'],
])('A report with %s proves nothing', async (_, text) => {
  const project = await projectWith('mkdir -p reports && cp .git/report reports/junit.xml');
  const agent = await startAgent(project);
  project.write('.git/report', text);
  expect(await agent.collect()).toMatchObject([{ status: 'failed', recorded: { result: { exitCode: 0 } } }]);
  expect(await agent.next()).toMatchObject(refused);
});

test.each<readonly [string, string, (project: Project, elsewhere: string) => void]>([
  [
    'a report that is a link',
    'reports/junit.xml',
    ({ folder }, elsewhere) => symlinkSync(join(elsewhere, 'junit.xml'), join(folder, 'reports/junit.xml')),
  ],
  [
    'a link to a report by a pattern',
    'reports/*.xml',
    ({ folder }, elsewhere) => symlinkSync(join(elsewhere, 'junit.xml'), join(folder, 'reports/junit.xml')),
  ],
  [
    'reports in a folder that is a link',
    'reports/junit.xml',
    ({ folder, remove }, elsewhere) => (remove('reports'), symlinkSync(elsewhere, join(folder, 'reports'))),
  ],
  [
    'reports by a pattern in a folder that is a link',
    'reports/*.xml',
    ({ folder, remove }, elsewhere) => (remove('reports'), symlinkSync(elsewhere, join(folder, 'reports'))),
  ],
  ['reports outside of the project', '../outside/*.xml', () => undefined],
])('%s proves nothing, and no file outside of the folder is deleted', async (_, report, act) => {
  const project = await projectWith('true', report);
  const agent = await startAgent(project);
  const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
  writeFileSync(join(elsewhere, 'junit.xml'), suite(57));
  mkdirSync(join(project.folder, 'reports'));
  act(project, elsewhere);
  expect(await agent.collect()).toMatchObject([{ status: 'failed', recorded: { result: { exitCode: 0 } } }]);
  expect(existsSync(join(elsewhere, 'junit.xml'))).toBe(true);
});

test('Reports of earlier runs are deleted, however many there are', async () => {
  const project = await projectWith('mkdir -p reports', 'reports/*.xml');
  const agent = await startAgent(project);
  for (let at = 0; at < 5010; at += 1) project.write(`reports/r${at}.xml`, suite(1));
  expect(await agent.collect()).toMatchObject([{ status: 'failed', recorded: { result: { exitCode: 0 } } }]);
});

test('An agent that moves the repository and deletes tests is refused', async () => {
  const project = makeProject([tests]);
  await project.trust();
  await (await startAgent(project)).collect();
  const agent = await startAgent({ host: project.open() });
  renameSync(join(project.folder, '.git'), join(project.stateDirectory, 'moved.git'));
  project.write('.git', `gitdir: ${join(project.stateDirectory, 'moved.git')}\n`);
  project.git('config', 'core.worktree', project.folder);
  project.remove('tests/adds');
  expect(await agent.collect()).toMatchObject([
    { status: 'failed', recorded: { result: { tests: { run: 1 }, testsBefore: 2 } } },
  ]);
  expect(await agent.next()).toMatchObject(refused);
});

test('An agent that changes a file during the check and restores it is detected', async () => {
  const project = await projectWith('sleep 1; cat src/cart.txt', 'reports/junit.xml', {
    id: 'slow',
    check: 'slow',
  });
  const command = waitingCommand(project);
  project.write('.workflowlookup/checks.yaml', `checks: {slow: {run: "${command.run}; cat src/cart.txt"}}\n`);
  project.commit();
  await project.trust();
  project.write('new.txt', 'new\n');
  const agent = await startAgent(project);
  const first = agent.collect();
  await command.begun();
  command.letGo();
  expect((await first)[0]?.recorded?.result).not.toHaveProperty('touched');
  project.write('src/other.txt', '');
  command.holdAgain();
  const collecting = agent.collect();
  await command.begun();
  project.write('src/cart.txt', 'swapped\n');
  project.write('new.txt', 'swapped\n');
  project.write('src/cart.txt', 'a cart\n');
  project.write('new.txt', 'new\n');
  command.letGo();
  expect(await collecting).toMatchObject([
    { status: 'passed', recorded: { result: { touched: ['new.txt', 'src/cart.txt'] } } },
  ]);
});

test('An agent that moves the branch of the comparison is detected', async () => {
  const project = makeProject([
    { id: 'scope', changes: { within: ['src'], since: 'base' } },
    { id: 'ahead', git: { ahead_of: 'base' } },
  ]);
  const honest = project.git('rev-parse', 'HEAD').trim();
  project.git('branch', 'base');
  project.write('outside.txt', '');
  project.commit();
  const agent = await startAgent(project);
  const before = await agent.collect();
  expect(before.map(({ status, recorded }) => [status, recorded?.result.base])).toEqual([
    ['failed', honest],
    ['passed', honest],
  ]);
  const moved = project.git('rev-parse', 'HEAD').trim();
  project.git('branch', '--force', 'base');
  project.write('src/cart.txt', 'a better cart\n');
  project.commit();
  const after = await agent.collect();
  expect(after.map(({ status, recorded }) => [status, recorded?.result.base])).toEqual([
    ['passed', moved],
    ['passed', moved],
  ]);
});

test('A person sees which paths or which file an agent chose for its evidence', async () => {
  const project = makeProject([
    { id: 'scope', changes: { within: ['{{plannedPaths}}'] } },
    { id: 'plan', file: { path: '{{plan}}' } },
  ]);
  project.write('outside.txt', '');
  const agent = await startAgent(project, { plannedPaths: ['src', '**'], plan: 'run-tests.sh' });
  const found = await agent.collect();
  expect(found.map(({ status, recorded }) => [status, recorded?.result.paths])).toEqual([
    ['passed', ['src', '**']],
    ['passed', ['run-tests.sh']],
  ]);
});

test('An agent that makes a trusted file too long for a person to read is refused', async () => {
  const project = makeProject([tests]);
  const text = JSON.stringify({
    checks: {
      test: { run: './run-tests.sh', reports: [{ junit: 'reports/junit.xml' }], also_trust: ['big.sh'] },
    },
  });
  project.write('.workflowlookup/checks.yaml', text);
  project.write('big.sh', `#${'x'.repeat(2_000_000)}\ntrue\n`);
  await project.trust();
  const agent = await startAgent(project);
  expect(await agent.collect()).toMatchObject([{ status: 'passed' }]);
  project.write('big.sh', `#${'x'.repeat(2_000_000)}\nevil\n`);
  expect(await agent.collect()).toMatchObject([
    { status: 'failed', recorded: { result: { reasons: [expect.stringContaining('also_trust')] } } },
  ]);
});

test('A program that an agent puts into the folder under the name of the command is not run', async () => {
  const project = makeProject([{ id: 'tests', check: 'test' }]);
  const bin = join(project.folder, 'node_modules/.bin');
  project.write('.gitignore', 'reports\nnode_modules\n');
  project.write('.workflowlookup/checks.yaml', 'checks: {test: {run: [nl, run-tests.sh]}}\n');
  project.commit();
  await project.trust();
  for (const name of ['nl', 'git', 'grep']) {
    project.write(`node_modules/.bin/${name}`, '#!/bin/sh\nexit 9\n');
    chmodSync(join(bin, name), 0o755);
  }
  const host = project.open({
    environment: { HOME: process.env['HOME'], PATH: `${bin}:node_modules/.bin::${process.env['PATH']}` },
  });
  const agent = await startAgent({ host });
  expect(await agent.collect()).toMatchObject([{ status: 'passed' }]);
});
