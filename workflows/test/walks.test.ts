import { createEngine } from '@workflowlookup/core';
import type { JsonObject, StepWorkflow } from '@workflowlookup/schema';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import { readBundled } from './bundled.ts';
import { gapsOf } from './coverage.ts';
import { sampleOf, stepsWithFields, withHeadings } from './field-samples.ts';
import type { Output } from './output.ts';
import { renderings } from './output.ts';
import { criteriaOf, rulesIn } from './rules.ts';
import type { Sample } from './walk.ts';
import { expectedIds, follow } from './walk.ts';
import { allWalks } from './walks/index.ts';

const workflows = (await readBundled()).flatMap(({ reading }) => reading.workflow ?? []);
const engine = createEngine({ workflows: createMemoryStore(workflows) });

it('walks every bundled workflow', () => {
  expect(allWalks.map(({ id }) => id)).toEqual(workflows.map(({ id }) => id));
});

describe.each(allWalks)('$id', async ({ id, walks, samples }) => {
  const { definition } = workflowOf(id);
  const trails = await Promise.all(walks.map((walk) => follow(engine, id, walk)));
  const visits = trails.flatMap((trail) => trail.visits);
  const entries = Object.entries(samples).map(([stepId, sample]) => ({ stepId, sample }));

  it.each(walks.map((walk, index) => ({ name: walk.name, walk, trail: trails[index] })))(
    'offers these steps and comes to its end: $name',
    ({ walk, trail }) => {
      expect(trail?.visits.map(({ instanceId }) => instanceId)).toEqual(expectedIds(walk));
      expect(trail?.end).toMatchObject({ step: null, isComplete: true });
      expect(trail?.end.undecided).toBeUndefined();
    },
  );

  it('hands out no prompt with an unset template', () => {
    const unset = visits.filter(({ reply }) => reply.guidance.prompt.includes('[unset:'));
    expect(unset.map(({ instanceId }) => instanceId)).toEqual([]);
  });

  it('has walks that offer every step and make every condition true and false', () => {
    expect(gapsOf(definition, trails)).toEqual([]);
  });

  it.each([...stepsWithFields(workflowOf(id)).values()])(
    '$id accepts its fields as an object and as headings, and names each that is missing',
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

  it.each(entries)('$stepId accepts good outputs however they are marked up', async ({ stepId, sample }) => {
    const verdicts = await judgeAll(stepId, listed(sample.good).flatMap(renderings));
    expect(verdicts.filter(({ issues }) => issues.length > 0)).toEqual([]);
  });

  it.each(entries)('$stepId refuses bad outputs and says what would do', async ({ stepId, sample }) => {
    const verdicts = await judgeAll(stepId, badOutputs(sample));
    const refused = verdicts.filter(
      ({ valid, issues, suggestions }) => !valid && issues.length > 0 && suggestions.length > 0,
    );
    const accepted = badOutputs(sample).filter((output) =>
      refused.every((verdict) => verdict.output !== output),
    );
    expect(accepted).toEqual([]);
  });

  it('has no rule that passes every bad output', async () => {
    const reported = await Promise.all(
      entries.map(({ stepId, sample }) => judgeAll(stepId, badOutputs(sample))),
    );
    const issues = reported.flat().flatMap((verdict) => verdict.issues);
    const rules = [...criteriaOf(definition).values()].flatMap(rulesIn);
    const untried = rules.filter(({ message = '' }) => !issues.some((issue) => issue.includes(message)));
    expect(untried).toEqual([]);
  });

  /** Judges each output at each place its step was offered, in the context of the walk there. */
  function judgeAll(stepId: string, candidates: readonly string[]) {
    const places = visits.filter((visit) => visit.stepId === stepId);
    return Promise.all(
      places.flatMap(({ instanceId, context }) =>
        candidates.map(async (output) => {
          const verdict = await engine.validate({ workflowId: id, stepId: instanceId, output, context });
          return { at: instanceId, output, ...verdict };
        }),
      ),
    );
  }
});

function workflowOf(id: string): StepWorkflow {
  const found = workflows.find((workflow) => workflow.id === id);
  if (found === undefined) throw new Error(`${id} can't be read`);
  return found;
}

/** The bad outputs of a step, and the one that every step has to refuse. */
function badOutputs({ bad }: Sample): readonly string[] {
  return [...listed(bad).flatMap((output) => renderings(output).slice(0, 1)), 'Done.'];
}

function listed(outputs: Output | readonly Output[]): readonly Output[] {
  return isList(outputs) ? outputs : [outputs];
}

function isList(outputs: Output | readonly Output[]): outputs is readonly Output[] {
  return Array.isArray(outputs);
}
