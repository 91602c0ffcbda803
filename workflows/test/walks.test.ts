import { createEngine } from '@workflowlookup/core';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import { read, readBundled } from './bundled.ts';
import { gapsOf } from './coverage.ts';
import type { Output } from './output.ts';
import { renderings } from './output.ts';
import { criteriaOf, rulesIn } from './rules.ts';
import type { Sample, Visit } from './walk.ts';
import { expectedIds, follow } from './walk.ts';
import { allWalks } from './walks/index.ts';

const workflows = (await readBundled()).flatMap(({ reading }) => reading.workflow ?? []);
const engine = createEngine({ workflows: createMemoryStore(workflows), read });

it('walks every bundled workflow', () => {
  expect(allWalks.map(({ id }) => id)).toEqual(workflows.map(({ id }) => id));
});

describe.each(allWalks)('$id', async ({ id, walks, samples }) => {
  const { definition } = await engine.get(id);
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

  it('has samples for exactly the steps with criteria', () => {
    expect(Object.keys(samples).toSorted()).toEqual([...criteriaOf(definition).keys()].toSorted());
  });

  it.each(entries)('$stepId accepts good outputs however they are marked up', async ({ stepId, sample }) => {
    for (const visit of visitsOf(stepId))
      for (const output of listed(sample.good).flatMap(renderings))
        expect((await judge(visit, output)).issues, `${visit.instanceId}\n${output}`).toEqual([]);
  });

  it.each(entries)('$stepId refuses bad outputs and says what would do', async ({ stepId, sample }) => {
    for (const output of badOutputs(sample)) {
      const verdicts = await Promise.all(visitsOf(stepId).map((visit) => judge(visit, output)));
      const refusal = verdicts.find(({ valid }) => !valid);
      expect(refusal?.issues.length, output).toBeGreaterThan(0);
      expect(refusal?.suggestions.length, output).toBeGreaterThan(0);
    }
  });

  it('has no rule that passes every bad output', async () => {
    const reported = await Promise.all(
      entries.flatMap(({ stepId, sample }) =>
        visitsOf(stepId).flatMap((visit) => badOutputs(sample).map((output) => judge(visit, output))),
      ),
    );
    const issues = reported.flatMap((verdict) => verdict.issues);
    const rules = [...criteriaOf(definition).values()].flatMap(rulesIn);
    const untried = rules.filter(({ message = '' }) => !issues.some((issue) => issue.includes(message)));
    expect(untried).toEqual([]);
  });

  function visitsOf(stepId: string): readonly Visit[] {
    return visits.filter((visit) => visit.stepId === stepId);
  }

  function judge({ instanceId, context }: Visit, output: string) {
    return engine.validate({ workflowId: id, stepId: instanceId, output, context });
  }
});

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
