import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FixtureWorkspace, Outcome } from './fixture-workspace.ts';
import { createFixtureWorkspace } from './fixture-workspace.ts';
import { cleanWorkspace } from './guard-fixture.ts';
import { guards } from './guards.ts';

// A guard counts once it has been seen to fail: each meets a clean workspace, then the same with its faults planted.

const patienceMs = 120_000;
let workspace: FixtureWorkspace;

beforeAll(async () => {
  workspace = createFixtureWorkspace(cleanWorkspace);
  await workspace.run(['node', 'scripts/api-reports.mjs', '--update']);
}, patienceMs);

afterAll(() => workspace.remove());

describe.each(guards.map((one) => [one.guard, one] as const))('%s', (_guard, { command, faults }) => {
  let clean: Outcome;
  let faulty: Outcome;

  beforeAll(async () => {
    clean = await workspace.run(command);
    for (const { files } of faults) workspace.plant(files);
    faulty = await workspace.run(command);
    workspace.weed();
  }, patienceMs);

  test('passes a clean workspace', () => {
    expect(clean).toMatchObject({ ok: true });
  });

  test.each(faults.map(({ fault, says }) => [fault, says] as const))('fails on %s', (_fault, says) => {
    expect(faulty.ok).toBe(false);
    expect(faulty.output).toMatch(says);
  });
});
