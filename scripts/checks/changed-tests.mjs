// Runs the unit tests of all packages that changed, and those at the root, in one run of vitest. This is faster than a
// run for each package, because each run takes a second to start, and loads the same modules again. Then turbo runs
// package-tests.mjs for each package, which takes the results of this run, and keeps them for the next time. With
// `--all`, turbo runs the tests of every package, whether it changed or not.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { foreground } from '../support/foreground.mjs';
import { jointReport, root, rootReport } from '../support/workspace.mjs';

const isAll = process.argv.includes('--all');
const joint = jointReport('all');
mkdirSync(join(joint, '..'), { recursive: true });

const packages = isAll ? [] : changedPackages();
const vitest = await startVitest(
  'test',
  [...packages.map(({ directory }) => `${directory}/`), ...rootTests()],
  { root, watch: false, reporters: ['default', ['json', { outputFile: joint }]] },
);
const hasErrors = vitest.state.getUnhandledErrors().length > 0;
await vitest.close();
split(JSON.parse(readFileSync(joint, 'utf8')));

const turbo = foreground(
  [
    'turbo',
    'run',
    'test',
    '--continue=always',
    // Each run of vitest uses every core, but not while it starts, nor while its last files wait for processes.
    '--concurrency=2',
    '--output-logs=errors-only',
    ...(isAll ? ['--force'] : []),
  ],
  { cwd: root },
);
const turboCode = await turbo.ended;
for (const { hash } of packages) rmSync(jointReport(hash), { force: true });
// If a test failed, vitest has already set the exit code.
process.exitCode ||= turboCode;

/** Returns the tasks of turbo that test a package whose results turbo doesn't have yet. */
function changedPackages() {
  const { stdout, status, stderr } = spawnSync('turbo', ['run', 'test', '--dry=json'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(stderr);
  const { tasks } = JSON.parse(stdout);
  return tasks.filter(
    ({ task, command, cache: { status: state } }) =>
      task === 'test' && command !== '<NONEXISTENT>' && state === 'MISS',
  );
}

/** Returns the test files at the root. Without their names, vitest would run the tests of every package too. */
function rootTests() {
  return readdirSync(join(root, 'test'), { recursive: true })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.system.test.ts'))
    .map((file) => join(root, 'test', file));
}

/**
 * Writes the report of each package, named by the hash that turbo has for the package. After an error outside of a test,
 * which could be from any package, it writes none. Then each package runs its tests by itself.
 */
function split({ testResults }) {
  let rest = testResults;
  for (const { directory, hash } of packages) {
    const folder = `${join(root, directory).replaceAll('\\', '/')}/`;
    const isOwn = ({ name }) => name.replaceAll('\\', '/').startsWith(folder);
    const own = testResults.filter(isOwn);
    rest = rest.filter((result) => !isOwn(result));
    if (own.length > 0 && !hasErrors) write(jointReport(hash), own);
  }
  write(rootReport, rest);
}

function write(file, testResults) {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const numPassedTests = results.filter(({ status }) => status === 'passed').length;
  const success = testResults.every(({ status }) => status === 'passed');
  writeFileSync(file, JSON.stringify({ success, numPassedTests, testResults }));
}
