import { expect, onTestFinished, test } from 'vitest';
import { runSuite } from './run-suite.ts';
import { serveFixtures } from './serve-fixtures.ts';

test.each([
  [30, '2025-11-25'],
  [37, '2026-07-28'],
])(
  'with its fixtures behind our front door, the official suite passes all %i scenarios that %s requires',
  async (count, revision) => {
    const server = await serveFixtures();
    onTestFinished(() => server.stop());
    const run = await runSuite(`${server.url}/mcp`, revision);
    expect(run).toMatchObject({ complaints: [], exitCode: 0 });
    expect([run.passed.length, run.required.length]).toEqual([count, count]);
    expect(server.logged.filter((line) => !line.includes('"event":"request"'))).toEqual([]);
  },
  60_000,
);
