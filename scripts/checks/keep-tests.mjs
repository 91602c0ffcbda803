// Takes the test results of the package in the working folder from the run of changed-tests.mjs. Turbo calls it for each
// package whose results it doesn't have yet, and keeps them if all tests passed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jointReport } from '../support/workspace.mjs';

// If a file changed since the tests began, turbo has another hash for the package.
const joint = jointReport(process.env['TURBO_HASH'] ?? 'none');
if (existsSync(joint)) {
  const text = readFileSync(joint, 'utf8');
  mkdirSync('.cache', { recursive: true });
  writeFileSync(join('.cache', 'tests.json'), text);
  process.exitCode = JSON.parse(text).success ? 0 : 1;
} else {
  console.error(
    'This package has no results: a file changed since the tests began, such as a new snapshot. Run `npm test` again.',
  );
  process.exitCode = 1;
}
