import type { Context } from '@workflowlookup/conditions';
import type { CompiledWorkflow } from './compile-workflow.ts';
import { plannedRounds, roundContext } from './loop-rounds.ts';
import type { LoopPosition, StepFound } from './next-step.ts';
import { findInstances } from './progress.ts';

/**
 * A step by its instance id, in the context its place gives it: as `nextStep` finds it, for a step that is being done
 * already.
 *
 * @returns `undefined` when the workflow has no such step
 */
export function standAt(
  workflow: CompiledWorkflow,
  instanceId: string,
  variables: Context,
): StepFound | undefined {
  const [instance] = findInstances(workflow, instanceId);
  if (instance?.standing.node.kind !== 'step') return undefined;
  const { node, loops } = { node: instance.standing.node, loops: instance.standing.loops };
  let context = variables;
  let position: LoopPosition | undefined;
  for (const [depth, { step }] of loops.entries()) {
    const iteration = instance.iterations[depth] ?? 0;
    const planned = plannedRounds(step.loop, context);
    const rounds = 'needed' in planned ? {} : planned;
    context = roundContext(step.loop, rounds, { context, iteration });
    position = {
      id: step.id,
      iteration: iteration + 1,
      index: iteration,
      ...(rounds.total === undefined ? {} : { total: Math.min(rounds.total, step.loop.maxIterations) }),
      ...(rounds.items === undefined ? {} : { item: rounds.items[iteration] }),
    };
  }
  return { kind: 'step', instanceId, node, context, ...(position === undefined ? {} : { loop: position }) };
}
