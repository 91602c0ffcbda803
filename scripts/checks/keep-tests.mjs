// Takes the test results of the package in the working folder from the run of changed-tests.mjs. Turbo calls it for each
// package whose results it doesn't have yet, and keeps them if all tests passed.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { jointReport, packageReport, root } from '../support/workspace.mjs';

// If a file changed since the tests began, turbo has another hash for the package.
const joint = jointReport(process.env['TURBO_HASH'] ?? 'none');
if (existsSync(joint)) {
  const report = packageReport(relative(root, process.cwd()));
  mkdirSync(dirname(report), { recursive: true });
  copyFileSync(joint, report);
  process.exitCode = JSON.parse(readFileSync(report, 'utf8')).success ? 0 : 1;
} else {
  console.error(
    'This package has no results: a file changed since the tests began, such as a new snapshot. Run `npm test` again.',
  );
  process.exitCode = 1;
}
