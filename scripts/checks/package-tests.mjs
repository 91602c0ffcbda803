// Runs the tests of the package in the working folder, without those named `*.system.test.ts`. Turbo calls it for each package
// and keeps the report, so a package whose files and dependencies did not change isn't tested again.
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { foreground } from '../support/foreground.mjs';
import { root } from '../support/workspace.mjs';

const folder = process.cwd();
const report = join(folder, '.cache', 'tests.json');
mkdirSync(join(folder, '.cache'), { recursive: true });
const { ended } = foreground(
  [
    'vitest',
    'run',
    `${relative(root, folder)}/`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  { cwd: root, env: { ...process.env, WORKFLOWLOOKUP_TESTS: 'unit' } },
);
process.exitCode = await ended;
