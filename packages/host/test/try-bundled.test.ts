import { dryRun } from '@workflowlookup/analysis';
import { afterAll, expect, test } from 'vitest';
import { createHost } from '../src/index.ts';

const host = createHost();
const summaries = await host.engine.summaries();

afterAll(() => host.close());

test.each(summaries.map(({ id }) => id))('the console can try %s from the start to the end', async (id) => {
  const workflow = await host.engine.get(id);
  const { turns, end } = dryRun(workflow, { assumes: true });
  expect(end).toBe('completed');
  expect(turns.length).toBeGreaterThan(1);
});
