import { describeCondition } from '@workflowlookup/conditions';
import type { Step, StepWorkflow, WalkedStep } from '@workflowlookup/schema';
import { conditionsOfStep, walkSteps } from '@workflowlookup/schema';
import { compileWorkflow } from '../compile-workflow.ts';
import { sequenceNavigator } from '../session/sequence-navigator.ts';
import { compileConditions } from './compile-conditions.ts';
import { stepCensus } from './step-census.ts';
import { createStepHorizon } from './step-horizon.ts';
import { createStepReads, namesIn } from './step-reads.ts';
import { loopsLeft, siteOfInstance, stepPaths, turnsOfMove } from './step-turns.ts';
import type { Branch, Circle, Site, Terrain } from './terrain.ts';

/** The terrain of a step workflow: its sites are its steps, loops among them. */
export function stepTerrain(workflow: StepWorkflow): Terrain {
  const compiled = compileWorkflow(workflow);
  const walked = [...walkSteps(workflow.definition.steps)];
  const around = loopsAround(walked);
  const paths = stepPaths(compiled);
  const circles = new Map(walked.flatMap(circlesIn).map((circle) => [circle.id, circle]));
  return {
    navigator: sequenceNavigator(compiled),
    sites: walked.map((one): Site => siteAt(one, around)),
    branches: walked.flatMap(branchesAt),
    circles: [...circles.values()],
    census: stepCensus(workflow.definition),
    siteOf: siteOfInstance,
    reads: createStepReads(compiled),
    horizonOf: createStepHorizon(compiled),
    *reachedBy({ event }) {
      if (event.type !== 'activity-entered') return;
      const site = siteOfInstance(event.activity);
      yield site;
      for (const { id } of around.get(site) ?? []) yield id;
    },
    turnsOf: (passage, outcomes) => turnsOfMove(paths, passage, outcomes),
    endedBy: (passage) => loopsLeft(compiled, passage).flatMap(({ step }) => circles.get(step.id) ?? []),
  };
}

/** The loops around each step, those included that name it as their body. */
function loopsAround(walked: readonly WalkedStep[]): ReadonlyMap<string, readonly Step[]> {
  const all = walked.map(({ step }) => step);
  const naming = (id: string): readonly Step[] =>
    all.filter((step) => step.type === 'loop' && step.body === id);
  return new Map(walked.map(({ step, loops }) => [step.id, [...loops, ...naming(step.id)]]));
}

function siteAt({ step, pointer }: WalkedStep, around: ReadonlyMap<string, readonly Step[]>): Site {
  const within = around.get(step.id)?.at(-1)?.id;
  return {
    id: step.id,
    kind: step.type ?? 'step',
    label: `${step.type === 'loop' ? 'loop' : 'step'} '${step.id}'`,
    pointer,
    ...(within === undefined ? {} : { within }),
  };
}

function branchesAt({ step, pointer: place }: WalkedStep): readonly Branch[] {
  return compileConditions(conditionsOfStep(step)).map(({ condition, pointer }) => ({
    kind: 'condition',
    site: step.id,
    pointer: place + pointer,
    text: describeCondition(condition),
    names: namesIn(condition),
    decides: decidedAt(step, pointer),
  }));
}

function decidedAt(step: Step, pointer: string): Branch['decides'] {
  if (pointer === '/runCondition') return 'site';
  if (pointer !== '/loop/condition' || step.type !== 'loop') return 'other';
  return step.loop.type === 'until' ? 'end' : 'loop';
}

function circlesIn({ step, pointer }: WalkedStep): readonly Circle[] {
  if (step.type !== 'loop' || step.loop.condition === undefined) return [];
  const { id, loop } = step;
  return [{ id, entrance: id, pointer: `${pointer}/loop`, maxIterations: loop.maxIterations }];
}
