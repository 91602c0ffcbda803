import type { Context } from '@workflowlookup/conditions';
import type { CompiledWorkflow } from './compile-workflow.ts';
import { roundPrefix } from './instance-id.ts';
import { plannedRounds, roundContext } from './loop-rounds.ts';
import type { LoopPosition, StepFound } from './next-step.ts';
import { findInstances } from './progress.ts';

/**
 * A step by its instance id, in the context its place gives it: as `nextStep` finds it, for a step that is being done
 * already. A bare id of a step inside a loop stands for the first round of every loop around it.
 *
 * @returns `undefined` when the workflow has no such step
 */
export function standAt(workflow: CompiledWorkflow, id: string, variables: Context): StepFound | undefined {
  const instance = findInstances(workflow, id).find(({ standing }) => standing.node.kind === 'step');
  if (instance?.standing.node.kind !== 'step') return undefined;
  const { node, loops } = { node: instance.standing.node, loops: instance.standing.loops };
  let prefix = '';
  let context = variables;
  let position: LoopPosition | undefined;
  for (const [depth, { step }] of loops.entries()) {
    const iteration = instance.iterations[depth] ?? 0;
    const planned = plannedRounds(step.loop, context);
    // What the loop reads may have gone since the step was handed out; the step goes on without it.
    const rounds = 'needed' in planned ? {} : planned;
    prefix = roundPrefix(prefix, { loopId: step.id, iteration });
    context = roundContext(step.loop, rounds, { context, iteration });
    position = {
      id: step.id,
      iteration: iteration + 1,
      index: iteration,
      ...(rounds.total === undefined ? {} : { total: Math.min(rounds.total, step.loop.maxIterations) }),
      ...(rounds.items === undefined ? {} : { item: rounds.items[iteration] }),
    };
  }
  const loop = position === undefined ? {} : { loop: position };
  return { kind: 'step', instanceId: prefix + node.step.id, node, context, ...loop };
}
