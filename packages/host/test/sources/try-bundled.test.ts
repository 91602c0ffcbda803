import type { TrialAction } from '@workflowlookup/analysis';
import { dryRun, tryWorkflow } from '@workflowlookup/analysis';
import type { Json } from '@workflowlookup/schema';
import { afterAll, expect, test } from 'vitest';
import { createHost } from '../../src/index.ts';

const host = createHost();
const summaries = await host.engine.summaries();

afterAll(() => host.close());

test.each(summaries.map(({ id }) => id))('The console can play %s from start to end', async (id) => {
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
  'The console can play %s with its proposed variables, whoever may set them later',
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

test.each(summaries.map(({ id }) => id))('A person can follow %s step by step to its outcome', async (id) => {
  const workflow = await host.engine.get(id);
  const actions: TrialAction[] = [];
  /** The steps that reach an agent without a name or instructions. */
  const undescribed: unknown[] = [];
  let trial = await tryWorkflow(workflow);
  while (trial.position.status !== 'completed' && actions.length < 200) {
    const { position } = trial;
    if (position.status === 'active') {
      undescribed.push(...position.steps.filter(({ name, text }) => name === '' || text === ''));
      actions.push({ kind: 'submit', isAccepted: true });
    } else actions.push({ kind: 'answer', option: position.checkpoint.options[0]?.id ?? '' });
    trial = await tryWorkflow(workflow, { actions });
    expect([id, trial.refusal, trial.applied]).toEqual([id, undefined, actions.length]);
  }
  expect(undescribed).toEqual([]);
  expect(trial.position).toMatchObject({ status: 'completed', outcome: { name: expect.any(String) } });
  expect(trial.turns.length).toBeGreaterThan(1);
});
