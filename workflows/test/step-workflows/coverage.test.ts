import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { expect, it } from 'vitest';
import { gapsOf } from './coverage.ts';
import type { WalkResult } from './walks/walk.ts';

const step = (id: string) => ({ id, title: id, prompt: id });
const definition: StepWorkflowDefinition = {
  id: 'sample',
  name: 'Sample',
  description: 'Every kind of condition once.',
  steps: [
    { ...step('always'), requireConfirmation: 'risk == "high"' },
    { ...step('sometimes'), runCondition: 'size == "large"' },
    {
      id: 'each',
      title: 'each',
      type: 'loop',
      loop: { type: 'forEach', items: 'units', itemVar: 'unit', maxIterations: 9 },
      body: [{ ...step('odd'), runCondition: 'unit == "odd"' }],
    },
    {
      id: 'repair',
      title: 'repair',
      type: 'loop',
      loop: { type: 'while', condition: 'broken == true', maxIterations: 2 },
      body: [step('fix')],
    },
  ],
};

function result(instanceIds: readonly string[], context = {}): WalkResult {
  const reply = { step: null, guidance: { prompt: '', requiresConfirmation: false }, isComplete: false };
  const visits = instanceIds.map((instanceId) => {
    const stepId = instanceId.slice(instanceId.lastIndexOf(':') + 1);
    return { instanceId, stepId, reply, context };
  });
  return { visits, end: reply, context };
}

it('Steps that no walk reached are reported', () => {
  expect(gapsOf(definition, [result(['always'])])).toEqual([
    'always: requireConfirmation was never true',
    'sometimes was never offered',
    'each was never offered',
    'odd was never offered',
    'odd: runCondition was never false',
    'repair was never offered',
    'repair: the loop never ended by its condition',
    'fix was never offered',
  ]);
});

it('A runCondition that was never false and a loop that only ended at its maximum are reported', () => {
  const walk = result(['always', 'sometimes', 'each@0::odd', 'repair@0::fix', 'repair@1::fix'], {
    units: ['odd'],
  });
  expect(gapsOf(definition, [walk])).toEqual([
    'always: requireConfirmation was never true',
    'sometimes: runCondition was never false',
    'odd: runCondition was never false',
    'repair: the loop never ended by its condition',
  ]);
});

it('An iteration without a step is counted', () => {
  const walk = result(['always', 'each@0::odd', 'repair@0::fix'], { units: ['odd', 'even'] });
  expect(gapsOf(definition, [walk])).toEqual([
    'always: requireConfirmation was never true',
    'sometimes was never offered',
  ]);
});
