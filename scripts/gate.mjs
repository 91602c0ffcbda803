// Runs the checks and tests of `npm test`, two checks at a time. With --system, it runs those of `npm run test:system`.
// The last line of its output is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  cache,
  packageFolders,
  packageReport,
  readManifest,
  root,
  rootReport,
} from './support/workspace.mjs';

const isLong = process.argv.includes('--long');
const isSystem = process.argv.includes('--system');
const systemReport = join(cache, 'vitest-system.json');

/**
 * The checks in the order in which they start. Each waits until the checks that it needs have ended. `npm test` needs
 * no other programs. It skips the tests of a package if neither the package nor its dependencies changed.
 * `npm run test:system` runs the tests in `*.system.test.ts`, which start processes, databases and browsers, all checks
 * of the published packages, and the checks that take long but seldom fail.
 */
const checks = isSystem
  ? [
      { name: 'browser', command: ['node', 'scripts/chromium.mjs'] },
      { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
      {
        name: 'system tests',
        command: [
          'vitest',
          'run',
          '.system.test.ts',
          '--reporter=default',
          '--reporter=json',
          `--outputFile.json=${systemReport}`,
        ],
        needs: ['build', 'browser'],
        reports: () => [systemReport],
      },
      { name: 'typed lint', command: ['oxlint', '--type-aware'] },
      { name: 'unused', command: ['knip'] },
      { name: 'publish', command: ['node', 'scripts/checks/publint.mjs'], needs: ['build'] },
      { name: 'api', command: ['node', 'scripts/checks/api-reports.mjs'], needs: ['build'] },
      { name: 'packed', command: ['node', 'scripts/checks/packed-smoke.mjs'], needs: ['build'] },
      { name: 'alone', command: ['node', 'scripts/checks/packed-alone.mjs'], needs: ['build'], isLong: true },
      { name: 'demo', command: ['node', 'scripts/demo.mjs'], needs: ['build'] },
    ]
  : [
      {
        name: 'tests',
        command: ['node', 'scripts/checks/changed-tests.mjs', ...(isLong ? ['--all'] : [])],
        reports: () => [...packageReports(), rootReport],
      },
      { name: 'format', command: ['oxfmt', '--check'] },
      { name: 'lint', command: ['oxlint'] },
      { name: 'types', command: ['tsc', '-p', 'tsconfig.json'] },
      { name: 'page types', command: ['tsc', '-p', 'apps/console'] },
      { name: 'workspace', command: ['sherif'] },
    ];

const slots = 2;
const form = isLong ? { WORKFLOWLOOKUP_LONG: '1' } : {};
const half = isSystem ? { WORKFLOWLOOKUP_BUILT: '1' } : { WORKFLOWLOOKUP_TEST_FILES: 'memory' };
// Turbo keeps results for one version of Node only, because turbo.json names this variable.
const fixed = { ...form, ...half, NO_COLOR: '1', WORKFLOWLOOKUP_NODE: process.version };
// In a git hook, the variables of git would lead the tests to the contributor's repository.
const outside = Object.entries(process.env).filter(([name]) => !/^GIT(?:HUB)?_/.test(name));
const env = { ...Object.fromEntries(outside), ...fixed };
mkdirSync(cache, { recursive: true });
rmSync(isSystem ? systemReport : rootReport, { force: true });

const totals = { passed: 0, failed: 0 };
const waiting = checks.filter((check) => isLong || check.isLong !== true);
const ended = new Set();
let { promise: nextEnd, resolve: tellEnd } = untilTold();
await Promise.all(Array.from({ length: slots }, work));
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;

/** Runs checks one after the other, always the first one that may start, until none is left. */
async function work() {
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ needs = [] }) => needs.every((name) => ended.has(name)));
    if (at === -1) await nextEnd;
    else await perform(...waiting.splice(at, 1));
  }
}

async function perform({ name, command, reports }) {
  const start = performance.now();
  const { ok, output } = await run(command);
  ended.add(name);
  tellEnd();
  ({ promise: nextEnd, resolve: tellEnd } = untilTold());
  const results = reports === undefined ? undefined : readReports(reports());
  const { passed, failed } = results === undefined ? countOne(ok) : countTests(ok, results);
  totals.passed += passed;
  totals.failed += failed;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${seconds.padStart(5)} s`);
  const wanted = output.replaceAll(/^ *✓.*\n/gm, '');
  if (!ok) console.log([command.join(' '), ...(results ?? []).flatMap(failedTests), wanted].join('\n'));
  else if (isSystem || isLong)
    for (const [figures] of output.matchAll(/^figures: .*$/gm)) console.log(`       ${figures}`);
}

/** Returns a promise and the function that resolves it. */
function untilTold() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function run([program, ...args]) {
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    env,
    shell: process.platform === 'win32' && program !== 'node',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk) => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

function countOne(ok) {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * Counts the tests in vitest reports. A file that did not load counts as one failure, and so does a run without a
 * report.
 */
function countTests(ok, results) {
  const passed = results.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0);
  const failed = results.flatMap(({ testResults }) => testResults.flatMap(failuresIn)).length;
  return { passed, failed: ok ? failed : Math.max(failed, 1) };
}

/**
 * Returns a few lines about each failed test. They are printed first, because the end of a long output is often lost.
 */
function failedTests({ testResults }) {
  return testResults
    .flatMap(failuresIn)
    .map(
      ({ title, messages }) => `FAILED ${title}\n${messages.join('\n').split('\n').slice(0, 12).join('\n')}`,
    );
}

function failuresIn({ name, status, message, assertionResults }) {
  const file = relative(root, name);
  if (status === 'failed' && assertionResults.length === 0) return [{ title: file, messages: [message] }];
  return assertionResults
    .filter((result) => result.status === 'failed')
    .map(({ fullName, failureMessages }) => ({ title: `${file}: ${fullName}`, messages: failureMessages }));
}

/** Returns the files with the test reports of the packages. */
function packageReports() {
  return packageFolders()
    .filter((folder) => readManifest(folder).scripts?.test !== undefined)
    .map(packageReport);
}

function readReports(files) {
  return files.map((file) => {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      const message = 'The tests left no report.';
      return {
        numPassedTests: 0,
        testResults: [{ name: file, status: 'failed', message, assertionResults: [] }],
      };
    }
  });
}
