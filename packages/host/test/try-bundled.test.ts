import { dryRun } from '@workflowlookup/analysis';
import type { Json } from '@workflowlookup/schema';
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

const empties: Readonly<Record<string, Json>> = {
  string: '',
  number: 0,
  boolean: false,
  array: [],
  object: {},
};

test.each(summaries.map(({ id }) => id))(
  'the console can try %s with the variables that it proposes, whoever may set them later',
  async (id) => {
    const workflow = await host.engine.get(id);
    const variables = (workflow.definition.variables ?? []) as readonly {
      readonly name: string;
      readonly type: string;
      readonly default?: Json;
      readonly defaultValue?: Json;
    }[];
    const context = Object.fromEntries(
      variables.map((one) => [one.name, one.default ?? one.defaultValue ?? empties[one.type] ?? null]),
    );
    const { turns, end, why } = dryRun(workflow, { context, assumes: true });
    expect([end, why]).toEqual(['completed', why]);
    expect(turns.length).toBeGreaterThan(1);
  },
);
