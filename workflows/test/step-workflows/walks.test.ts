import { createEngine } from '@workflowlookup/core';
import type { JsonObject, StepWorkflow } from '@workflowlookup/schema';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import { readBundled } from '../support/bundled.ts';
import { gapsOf } from './coverage.ts';
import { sampleOf, stepsWithFields, withHeadings } from '../support/field-samples.ts';
import { criteriaOf } from './rules.ts';
import { expectedIds, follow } from './walks/walk.ts';
import { allWalks } from './walks/index.ts';

const workflows = (await readBundled()).flatMap(({ reading }) => reading.workflow ?? []);
const engine = createEngine({ workflows: createMemoryStore(workflows) });

it('The walks include every bundled workflow', () => {
  expect(allWalks.map(({ id }) => id)).toEqual(workflows.map(({ id }) => id));
});

describe.each(allWalks)('$id', async ({ id, walks, samples = {} }) => {
  const { definition } = workflowOf(id);
  const results = await Promise.all(walks.map((walk) => follow(engine, id, walk)));
  const visits = results.flatMap((result) => result.visits);
  const entries = Object.entries(samples).map(([stepId, sample]) => ({ stepId, sample }));

  it.each(walks.map((walk, index) => ({ name: walk.name, walk, result: results[index] })))(
    'returns these steps and reaches its end: $name',
    ({ walk, result }) => {
      expect(result?.visits.map(({ instanceId }) => instanceId)).toEqual(expectedIds(walk));
      expect(result?.end).toMatchObject({ step: null, isComplete: true });
      expect(result?.end.undecided).toBeUndefined();
    },
  );

  it('takes at most five steps for a small task', () => {
    const lengths = walks.flatMap(({ name, steps }) => (name.startsWith('a small') ? [steps.length] : []));
    expect(Math.min(...lengths)).toBeLessThanOrEqual(5);
  });

  it('returns no prompt with an unset variable', () => {
    const unset = visits.filter(({ reply }) => reply.guidance.prompt.includes('[unset:'));
    expect(unset.map(({ instanceId }) => instanceId)).toEqual([]);
  });

  it('has walks that reach every step and make every condition true and false', () => {
    expect(gapsOf(definition, results)).toEqual([]);
  });

  it.each([...stepsWithFields(workflowOf(id)).values()])(
    'accepts its fields as an object and as headings, and names each missing one: $id',
    async (step) => {
      const stepId = visits.find((visit) => visit.stepId === step.id)?.instanceId ?? step.id;
      const good = sampleOf(step);
      const judge = (output: string | JsonObject) => engine.validate({ workflowId: id, stepId, output });
      expect(await judge(good)).toMatchObject({ valid: true });
      expect(await judge(withHeadings(good))).toMatchObject({ valid: true });
      for (const field of step.fields.filter(({ required }) => required !== false)) {
        const { [field.id]: _left, ...rest } = good;
        const { valid, issues } = await judge(rest);
        expect({ valid, names: issues.some((issue) => issue.includes(`"${field.id}"`)) }).toEqual({
          valid: false,
          names: true,
        });
      }
    },
  );

  it('has samples for exactly the steps with criteria', () => {
    expect(Object.keys(samples).toSorted()).toEqual([...criteriaOf(definition).keys()].toSorted());
  });

  it.each(entries)('accepts a good output and refuses a bad one: $stepId', async ({ stepId, sample }) => {
    const places = visits.filter((visit) => visit.stepId === stepId);
    for (const { instanceId, context } of places) {
      const judge = (output: JsonObject) =>
        engine.validate({ workflowId: id, stepId: instanceId, output, context: { ...context, ...output } });
      expect(await judge(sample.good)).toMatchObject({ valid: true });
      expect(await judge(sample.bad)).toMatchObject({ valid: false });
    }
  });
});

function workflowOf(id: string): StepWorkflow {
  const found = workflows.find((workflow) => workflow.id === id);
  if (found === undefined) throw new Error(`${id} can't be read`);
  return found;
}
