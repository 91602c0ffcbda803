import { evaluate } from '@workflowlookup/conditions';
import type { PlannedLoop, PlannedStep } from '../session/navigator.ts';
import type { Prospect } from '../session/prospect.ts';
import type { Script } from './script.ts';

/** A step that an output is handed in for, under the id that a manifest names it by. */
export interface DueOutput {
  readonly id: string;
  /** What is handed in where the test says nothing; absent for a step with criteria. */
  readonly otherwise?: string;
}

/** The steps of an activity that a manifest names: those that are due, and of the others those the test has outputs for. */
export function outputsDue(
  { place, account }: NonNullable<Prospect['work']>,
  script: Script,
): readonly DueOutput[] {
  const context = { ...place.context, ...account.values };
  const isWanted = (step: PlannedStep): boolean =>
    account.due.includes(step) ||
    (script.outputsFor(place.id, step.id) > 0 && step.conditions.every((one) => evaluate(one, context)));
  return [
    ...place.steps.filter(isWanted).map((step) => dueOutput(step.id, step)),
    ...place.loops.flatMap((loop) => roundsOf(loop, place.id, script)),
  ];
}

function dueOutput(id: string, { criteria }: PlannedStep): DueOutput {
  return { id, ...(criteria === undefined ? { otherwise: 'Done.' } : {}) };
}

/** A round for each item, else for each output that the test has. */
function roundsOf(loop: PlannedLoop, activity: string, script: Script): readonly DueOutput[] {
  const named = loop.steps.map((step) => script.outputsFor(activity, step.id));
  const wanted = loop.items === undefined ? Math.max(0, ...named) : loop.items.list.length;
  const rounds = Array.from({ length: Math.min(wanted, loop.rounds) }, (_, round) => round);
  return rounds.flatMap((round) =>
    loop.steps
      .map((step) => dueOutput(`${loop.id}@${round}::${step.id}`, step))
      .filter(({ id }) => script.outputsFor(activity, id) > 0),
  );
}
