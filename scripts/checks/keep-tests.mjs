// Takes the test results of the package in the working folder from the run of changed-tests.mjs. Turbo calls it for each
// package and keeps the results, so a package whose files and dependencies did not change isn't tested again.
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
    'There are no results of the tests of this package, or its files changed meanwhile. Run `npm test`.',
  );
  process.exitCode = 1;
}
