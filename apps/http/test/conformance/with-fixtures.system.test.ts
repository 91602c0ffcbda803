import { expect, test } from 'vitest';
import { mountFixtures } from '../../../../packages/mcp/test/support/conformance/mount-fixtures.ts';
import { serveAtPort } from '../support/at-port.ts';
import { runSuite } from './run-suite.ts';

test.each([
  [30, '2025-11-25'],
  [37, '2026-07-28'],
])(
  'With its fixtures behind our HTTP layer, the official suite passes all %i scenarios that %s requires',
  async (count, revision) => {
    const { url, logged } = await serveAtPort(['--auth', 'none'], { createHandler: mountFixtures });
    const run = await runSuite(url.href, revision);
    expect(run).toMatchObject({ failedChecks: [], exitCode: 0 });
    expect([run.passed.length, run.required.length]).toEqual([count, count]);
    expect(logged.filter((line) => !line.includes('"event":"request"'))).toEqual([]);
  },
  60_000,
);
