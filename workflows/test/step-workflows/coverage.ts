import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { LoopStep, StepWorkflowDefinition, WalkedStep } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import type { WalkResult } from './walks/walk.ts';

/**
 * Returns what a set of walks does not cover: steps that were never offered, and conditions that were not both true and
 * false. It only looks at the offered steps: a `runCondition` was false if an iteration of the loop around it lacks the
 * step.
 */
export function gapsOf(
  definition: StepWorkflowDefinition,
  results: readonly WalkResult[],
): readonly string[] {
  return [...walkSteps(definition.steps)].flatMap((walked) => {
    const { step } = walked;
    const iterations = results.flatMap((result) => iterationsAround(walked, result));
    const offered = iterations.filter(({ ids, prefix }) => ids.some((id) => isWithin(id, prefix + step.id)));
    const gaps = offered.length === 0 ? [`${step.id} was never offered`] : [];
    if (step.runCondition !== undefined && offered.length === iterations.length)
      gaps.push(`${step.id}: runCondition was never false`);
    if (step.type === 'loop') return [...gaps, ...loopGaps(step, offered)];
    return [...gaps, ...confirmationGaps(walked, results)];
  });
}

/**
 * One iteration of the loop around a step, or the whole walk for a step outside loops, with the steps offered in it.
 */
interface Iteration {
  readonly prefix: string;
  readonly ids: readonly string[];
}

function iterationsAround({ loops }: WalkedStep, { visits, context }: WalkResult): readonly Iteration[] {
  const ids = visits.map(({ instanceId }) => instanceId);
  const prefixes = loops.reduce<readonly string[]>(
    (outer, loop) =>
      outer.flatMap((prefix) => {
        const count = Math.max(
          countIterations(ids, prefix + loop.id),
          itemsIn(loop, { ids, prefix, context }),
        );
        return Array.from({ length: count }, (_, iteration) => `${prefix}${loop.id}@${iteration}::`);
      }),
    [''],
  );
  return prefixes.map((prefix) => ({ prefix, ids }));
}

/** Counts the iterations of a loop in which a step was offered. */
function countIterations(ids: readonly string[], loop: string): number {
  const numbers = ids
    .filter((id) => id.startsWith(`${loop}@`))
    .map((id) => parseInt(id.slice(loop.length + 1), 10));
  return Math.max(-1, ...numbers) + 1;
}

/** Counts the items of an entered forEach loop, because an iteration can have no step. */
function itemsIn(loop: LoopStep, at: Iteration & { readonly context: Context }): number {
  if (countIterations(at.ids, at.prefix + loop.id) === 0 || loop.loop.items === undefined) return 0;
  const items = lookUp(at.context, loop.loop.items);
  return Array.isArray(items) ? items.length : 0;
}

function isWithin(id: string, place: string): boolean {
  return id === place || id.startsWith(`${place}@`);
}

function loopGaps({ id, loop }: LoopStep, offered: readonly Iteration[]): readonly string[] {
  if (loop.condition === undefined) return [];
  const ended = offered.some(({ ids, prefix }) => countIterations(ids, prefix + id) < loop.maxIterations);
  return ended ? [] : [`${id}: the loop never ended by its condition`];
}

function confirmationGaps({ step }: WalkedStep, results: readonly WalkResult[]): readonly string[] {
  if (step.type === 'loop' || step.requireConfirmation === undefined) return [];
  if (typeof step.requireConfirmation === 'boolean') return [];
  const asked = results
    .flatMap(({ visits }) => visits)
    .filter(({ stepId }) => stepId === step.id)
    .map(({ reply }) => reply.guidance.requiresConfirmation);
  return [true, false]
    .filter((answer) => !asked.includes(answer))
    .map((answer) => `${step.id}: requireConfirmation was never ${answer}`);
}
