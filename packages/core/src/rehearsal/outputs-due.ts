import type { StepInstance } from '../session/account-for.ts';
import { accountFor } from '../session/account-for.ts';
import type { PlannedLoop } from '../session/navigator.ts';
import type { Prospect } from '../session/prospect.ts';
import type { Script } from './script.ts';

/** A step that an output is handed in for, under the id that a manifest names it by. */
export interface DueOutput extends Pick<StepInstance, 'id' | 'item' | 'step'> {
  /** What is handed in where the test says nothing; absent for a step with criteria. */
  readonly otherwise?: string;
}

/**
 * The steps of an activity that a manifest names: those that are due, and of the others those the test has outputs for.
 * A loop that ends by a condition has at least as many iterations as the test has outputs of a step of it.
 */
export function outputsDue(
  { place, account }: NonNullable<Prospect['work']>,
  script: Script,
): readonly DueOutput[] {
  const isWanted = (instance: StepInstance, due: readonly StepInstance[]): boolean =>
    due.includes(instance) || script.outputsFor(place.id, instance.id) > 0;
  const foreseen = account.open.filter((instance) => isWanted(instance, account.due)).map(({ id }) => id);
  const scripted = place.loops.flatMap((loop) => iterationsOf(loop, place.id, script));
  const names = [...new Set([...foreseen, ...scripted])];
  const { open, due } = accountFor(
    place,
    names.map((id) => ({ step_id: id, output: '' })),
  );
  return open
    .filter((instance) => isWanted(instance, due))
    .map(({ id, step, item }) => ({
      id,
      step,
      item,
      ...(step.criteria === undefined ? { otherwise: 'Done.' } : {}),
    }));
}

function iterationsOf({ id, type, steps }: PlannedLoop, activity: string, script: Script): readonly string[] {
  if (type === 'forEach') return [];
  const count = Math.max(0, ...steps.map((step) => script.outputsFor(activity, step.id)));
  const iterations = Array.from({ length: count }, (_, iteration) => `${id}@${iteration}`);
  return iterations.flatMap((iteration) => steps.map((step) => `${iteration}::${step.id}`));
}
