import { expect, test } from 'vitest';
import { serveAtPort } from '../support/at-port.ts';
import { missingFixtures } from './missing-fixtures.ts';
import { runSuite } from './run-suite.ts';

test.each([
  [10, 30, '2025-11-25', 'server-session-lifecycle'],
  [9, 37, '2026-07-28', 'http-header-validation'],
])(
  'Our server passes %i of the %i scenarios that %s requires, and %s: the others need fixtures',
  async (passed, required, revision, besides) => {
    const { url } = await serveAtPort(['--auth', 'none']);
    const run = await runSuite(url.href, revision);
    expect(run.failedChecks).toEqual(Object.keys(missingFixtures[revision] ?? {}).toSorted());
    expect([run.passed.length, run.required.length]).toEqual([passed, required]);
    expect(run.passedBesides).toEqual([besides]);
  },
  60_000,
);
