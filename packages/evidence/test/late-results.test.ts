import type { Evidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { checksFile } from '../src/index.ts';
import { makeProject } from './support/project.ts';

test('A result that is fetched later says when it was collected', async () => {
  const { collector: open, trust } = makeProject({ [checksFile]: 'checks: {test: {run: "true"}}\n' });
  await trust();
  const collector = open();
  const collect = (key: string, evidence: Evidence, waitMs: number) =>
    collector.collect({ key, evidence, waitMs });
  const check: Evidence = { id: 'tests', check: 'test' };
  expect(await collect('early', check, 0)).toHaveProperty('running');
  // Checks run one after the other, so the earlier one has also ended now.
  const next = await collect('next', check, 20_000);
  expect(next).toMatchObject({ result: { outcome: 'passed' } });
  expect(next).not.toHaveProperty('result.collectedAt');
  const before = Date.now();
  const early = await collect('early', check, 20_000);
  expect(early).toMatchObject({ result: { outcome: 'passed' } });
  const collectedAt = 'result' in early ? early.result.collectedAt : undefined;
  expect(collectedAt).toBeDefined();
  expect(Date.parse(collectedAt ?? '')).toBeLessThanOrEqual(before);
});
