import type { Step, StepWorkflow, StepWorkflowDefinition, Workflow } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { Engine } from '../../src/engine.ts';
import { createEngine } from '../../src/engine.ts';

/** A step in as few words as a test needs: a bare id, or an id with what matters. */
export type StepSketch = string | (Partial<Step> & { id: string });

/** Fills in titles and prompts. */
function step(sketch: StepSketch): Step {
  const fields = typeof sketch === 'string' ? { id: sketch } : sketch;
  const filled = { title: `Title of ${fields.id}`, ...fields };
  return (fields.type === 'loop' ? filled : { prompt: `Do ${fields.id}.`, ...filled }) as Step;
}

/** A workflow with the id `flow`. */
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

/** An engine that serves these workflows from memory. */
export function engineOf(...workflows: readonly Workflow[]): Engine {
  return createEngine({ workflows: createMemoryStore(workflows) });
}
