import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { LoopStep, StepWorkflowDefinition, WalkedStep } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import type { Trail } from './walk.ts';

/**
 * What a set of walks leaves out: steps never offered, and conditions that were not both true and false. Read off the
 * steps offered alone: a `runCondition` was false where the round around it went by without the step.
 */
export function gapsOf(definition: StepWorkflowDefinition, trails: readonly Trail[]): readonly string[] {
  return [...walkSteps(definition.steps)].flatMap((walked) => {
    const { step } = walked;
    const rounds = trails.flatMap((trail) => roundsAround(walked, trail));
    const offered = rounds.filter(({ ids, prefix }) => ids.some((id) => isWithin(id, prefix + step.id)));
    const gaps = offered.length === 0 ? [`${step.id} was never offered`] : [];
    if (step.runCondition !== undefined && offered.length === rounds.length)
      gaps.push(`${step.id}: runCondition was never false`);
    if (step.type === 'loop') return [...gaps, ...loopGaps(step, offered)];
    return [...gaps, ...confirmationGaps(walked, trails)];
  });
}

/** One round of the loop around a step (the whole walk for a step outside loops) and what was offered in it. */
interface Round {
  readonly prefix: string;
  readonly ids: readonly string[];
}

function roundsAround({ loops }: WalkedStep, { visits, context }: Trail): readonly Round[] {
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

/** How many rounds of a loop left a trace. */
function countRounds(ids: readonly string[], loop: string): number {
  const numbers = ids
    .filter((id) => id.startsWith(`${loop}@`))
    .map((id) => parseInt(id.slice(loop.length + 1), 10));
  return Math.max(-1, ...numbers) + 1;
}

/** How many items a forEach loop that was entered had: its rounds may go by without a step. */
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

function confirmationGaps({ step }: WalkedStep, trails: readonly Trail[]): readonly string[] {
  if (step.type === 'loop' || step.requireConfirmation === undefined) return [];
  if (typeof step.requireConfirmation === 'boolean') return [];
  const asked = trails
    .flatMap(({ visits }) => visits)
    .filter(({ stepId }) => stepId === step.id)
    .map(({ reply }) => reply.guidance.requiresConfirmation);
  return [true, false]
    .filter((answer) => !asked.includes(answer))
    .map((answer) => `${step.id}: requireConfirmation was never ${answer}`);
}
