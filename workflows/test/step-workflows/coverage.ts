import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { LoopStep, StepWorkflowDefinition, WalkedStep } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import type { WalkResult } from './walks/walk.ts';

/**
 * Returns what a set of walks does not cover: steps that were never offered, and conditions that were not both true and
 * false. It only looks at the offered steps: a `runCondition` was false if a round of the loop around it lacks the step.
 */
export function gapsOf(
  definition: StepWorkflowDefinition,
  results: readonly WalkResult[],
): readonly string[] {
  return [...walkSteps(definition.steps)].flatMap((walked) => {
    const { step } = walked;
    const rounds = results.flatMap((result) => roundsAround(walked, result));
    const offered = rounds.filter(({ ids, prefix }) => ids.some((id) => isWithin(id, prefix + step.id)));
    const gaps = offered.length === 0 ? [`${step.id} was never offered`] : [];
    if (step.runCondition !== undefined && offered.length === rounds.length)
      gaps.push(`${step.id}: runCondition was never false`);
    if (step.type === 'loop') return [...gaps, ...loopGaps(step, offered)];
    return [...gaps, ...confirmationGaps(walked, results)];
  });
}

/** One round of the loop around a step, or the whole walk for a step outside loops, with the steps offered in it. */
interface Round {
  readonly prefix: string;
  readonly ids: readonly string[];
}

function roundsAround({ loops }: WalkedStep, { visits, context }: WalkResult): readonly Round[] {
  const ids = visits.map(({ instanceId }) => instanceId);
  const prefixes = loops.reduce<readonly string[]>(
    (outer, loop) =>
      outer.flatMap((prefix) => {
        const count = Math.max(countRounds(ids, prefix + loop.id), itemsIn(loop, { ids, prefix, context }));
        return Array.from({ length: count }, (_, round) => `${prefix}${loop.id}@${round}::`);
      }),
    [''],
  );
  return prefixes.map((prefix) => ({ prefix, ids }));
}

/** Counts the rounds of a loop in which a step was offered. */
function countRounds(ids: readonly string[], loop: string): number {
  const numbers = ids
    .filter((id) => id.startsWith(`${loop}@`))
    .map((id) => parseInt(id.slice(loop.length + 1), 10));
  return Math.max(-1, ...numbers) + 1;
}

/** Counts the items of an entered forEach loop, because a round can have no step. */
function itemsIn(loop: LoopStep, at: Round & { readonly context: Context }): number {
  if (countRounds(at.ids, at.prefix + loop.id) === 0 || loop.loop.items === undefined) return 0;
  const items = lookUp(at.context, loop.loop.items);
  return Array.isArray(items) ? items.length : 0;
}

function isWithin(id: string, place: string): boolean {
  return id === place || id.startsWith(`${place}@`);
}

function loopGaps({ id, loop }: LoopStep, offered: readonly Round[]): readonly string[] {
  if (loop.condition === undefined) return [];
  const ended = offered.some(({ ids, prefix }) => countRounds(ids, prefix + id) < loop.maxIterations);
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
