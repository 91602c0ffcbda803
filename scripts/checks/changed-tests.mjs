// Runs the unit tests of all packages that changed, and those at the root, in one run of vitest. A run for each package
// would take longer, because each takes a second to start, and loads the same modules again. Then turbo runs
// keep-tests.mjs for each of these packages, which takes the results of the package, so turbo can keep them for the next
// time. With `--all`, all packages count as changed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startVitest } from 'vitest/node';
import { foreground } from '../support/foreground.mjs';
import { jointReport, packageReport, root, rootReport, unitTests } from '../support/workspace.mjs';

const forced = process.argv.includes('--all') ? ['--force'] : [];
const joint = jointReport('all');
// The results of an earlier run must not count for this one.
rmSync(join(joint, '..'), { recursive: true, force: true });
mkdirSync(join(joint, '..'), { recursive: true });

const packages = changedPackages();
for (const { directory } of packages) rmSync(packageReport(directory), { force: true });
const groups = [
  ...packages.map(({ directory, hash }) => ({ report: jointReport(hash), files: unitTests(directory) })),
  { report: rootReport, files: unitTests('test') },
];
const vitest = await startVitest(
  'test',
  groups.flatMap(({ files }) => files),
  { root, watch: false, reporters: ['default', ['json', { outputFile: joint }]] },
);
const { testResults } = JSON.parse(readFileSync(joint, 'utf8'));
const resultOf = new Map(
  testResults.map((result) => [relative(root, result.name).replaceAll('\\', '/'), result]),
);
// An error outside of a test may belong to any package.
const hasErrors = vitest.state.getUnhandledErrors().length > 0;
const areGood = groups.map((group) => write(group));

const command = ['turbo', 'run', 'test', '--continue=always', '--output-logs=errors-only', ...forced];
const code = await foreground(command, { cwd: root }).ended;
process.exitCode = areGood.every(Boolean) ? code : 1;

/** Returns the tasks of turbo that test a package whose results turbo doesn't have yet. */
function changedPackages() {
  const { stdout, status, stderr } = spawnSync('turbo', ['run', 'test', '--dry=json', ...forced], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(stderr);
  const { tasks } = JSON.parse(stdout);
  return tasks.filter(
    ({ task, command: runs, cache: { status: state } }) =>
      task === 'test' && runs !== '<NONEXISTENT>' && state === 'MISS',
  );
}

/** Writes the report of one group of files. Returns whether each of them ran, and no test failed. */
function write({ report, files }) {
  const own = files.flatMap((file) => resultOf.get(file) ?? []);
  const missing = files.filter((file) => !resultOf.has(file));
  if (missing.length > 0) console.error(`Vitest did not run these files: ${missing.join(', ')}`);
  const tests = own.flatMap(({ assertionResults }) => assertionResults);
  const hasFailed = own.some(({ status }) => status !== 'passed');
  const isWaiting = tests.some(({ status }) => status === 'pending');
  const success = !hasErrors && missing.length === 0 && !hasFailed && !isWaiting;
  const numPassedTests = tests.filter(({ status }) => status === 'passed').length;
  writeFileSync(report, JSON.stringify({ success, numPassedTests, testResults: own }));
  return success;
}
