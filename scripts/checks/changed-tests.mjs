// Runs the unit tests of all packages that changed, and those at the root, in one run of vitest. A run for each package
// would take longer, because each takes a second to start, and loads the same modules again. Then turbo runs
// keep-tests.mjs for each of these packages, which takes the results of the package, so turbo can keep them for the next
// time. With `--all`, all packages count as changed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { foreground } from '../support/foreground.mjs';
import { jointReport, root, rootReport } from '../support/workspace.mjs';

const forced = process.argv.includes('--all') ? ['--force'] : [];
const joint = jointReport('all');
// Results of a run that did not end must not count for this one.
rmSync(join(joint, '..'), { recursive: true, force: true });
mkdirSync(join(joint, '..'), { recursive: true });

const packages = changedPackages();
const folders = [...packages.map(({ directory }) => directory), 'test'];
const vitest = await startVitest('test', folders.flatMap(unitTests), {
  root,
  watch: false,
  reporters: ['default', ['json', { outputFile: joint }]],
});
const errors = vitest.state.getUnhandledErrors();
await vitest.close();
// An error outside of a test may belong to any package, so turbo keeps no results then. Vitest has set the exit code.
if (errors.length === 0) {
  split(JSON.parse(readFileSync(joint, 'utf8')));
  const command = ['turbo', 'run', 'test', '--continue=always', '--output-logs=errors-only', ...forced];
  const code = await foreground(command, { cwd: root }).ended;
  process.exitCode ||= code;
}

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
    ({ task, command, cache: { status: state } }) =>
      task === 'test' && command !== '<NONEXISTENT>' && state === 'MISS',
  );
}

/**
 * Returns the unit tests in a folder. They are whole paths, because vitest matches any part of a path. The option
 * `recursive` of `readdirSync` would follow the links in `node_modules`.
 */
function unitTests(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : unitTests(path);
    return /(?<!\.system)\.test\.ts$/.test(entry.name) ? [join(root, path)] : [];
  });
}

/** Writes the report of each package, named by the hash that turbo has for the package, and the report of the other tests. */
function split({ testResults }) {
  let rest = testResults;
  for (const { directory, hash } of packages) {
    const folder = `${join(root, directory).replaceAll('\\', '/')}/`;
    const isOwn = ({ name }) => name.replaceAll('\\', '/').startsWith(folder);
    write(jointReport(hash), testResults.filter(isOwn));
    rest = rest.filter((result) => !isOwn(result));
  }
  write(rootReport, rest);
}

function write(file, testResults) {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const numPassedTests = results.filter(({ status }) => status === 'passed').length;
  const success = testResults.length > 0 && testResults.every(({ status }) => status === 'passed');
  writeFileSync(file, JSON.stringify({ success, numPassedTests, testResults }));
}
