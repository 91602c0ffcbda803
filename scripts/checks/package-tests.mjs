// Reports the tests of the package in the working folder, without those named `*.system.test.ts`. Turbo calls it for each package
// and keeps the report, so a package whose files and dependencies did not change isn't tested again. It runs the tests unless
// changed-tests.mjs has just run them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { foreground } from '../support/foreground.mjs';
import { jointReport, root } from '../support/workspace.mjs';

const folder = process.cwd();
const report = join(folder, '.cache', 'tests.json');
mkdirSync(join(folder, '.cache'), { recursive: true });
// If a file changed since the tests ran, the hash is another one.
const joint = jointReport(process.env['TURBO_HASH'] ?? 'none');
if (existsSync(joint)) {
  const text = readFileSync(joint, 'utf8');
  writeFileSync(report, text);
  process.exitCode = JSON.parse(text).success ? 0 : 1;
} else {
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
}
