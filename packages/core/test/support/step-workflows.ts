import type { Step, StepWorkflow, StepWorkflowDefinition, Workflow } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { Engine } from '../../src/engine.ts';
import { createEngine } from '../../src/engine.ts';

/** The properties of a step that a test sets. A string is the id of a step without other properties. */
export type StepSketch = string | (Partial<Step> & { id: string });

/** Returns a step, with a title and a prompt if the sketch has none. */
function step(sketch: StepSketch): Step {
  const fields = typeof sketch === 'string' ? { id: sketch } : sketch;
  const filled = { title: `Title of ${fields.id}`, ...fields };
  return (fields.type === 'loop' ? filled : { prompt: `Do ${fields.id}.`, ...filled }) as Step;
}

/** Returns a step workflow with the id `flow`. */
export function workflow(
  steps: readonly StepSketch[],
  more: Partial<StepWorkflowDefinition> = {},
): StepWorkflow {
  const definition = {
    id: 'flow',
    name: 'Flow',
    description: 'A workflow of the tests.',
    version: '1.0.0',
    steps: steps.map(step),
    ...more,
  };
  return { kind: 'steps', id: definition.id, digest: digestOf(definition), definition };
}

/** Returns an engine that serves these workflows from memory. */
export function engineOf(...workflows: readonly Workflow[]): Engine {
  return createEngine({ workflows: createMemoryStore(workflows) });
}
