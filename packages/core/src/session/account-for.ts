import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import { positionOf } from './manifest-position.ts';
import type { Place, PlannedStep } from './navigator.ts';
import type { ManifestEntry } from './session-event.ts';
import type { Values } from './variables.ts';
import { assign } from './variables.ts';

/** What an activity comes to, as a manifest tells it. */
export interface Account {
  /** Steps a manifest has to name. */
  readonly due: readonly PlannedStep[];
  /** Checkpoints at which the steps that were done, or are due, stop. */
  readonly checkpoints: ReadonlySet<string>;
  /** What the actions of the steps that were done set. */
  readonly values: Values;
}

/**
 * Goes through the steps of an activity in their order, then through those of loops in the order of the manifest: each
 * is judged by the variables as the actions of those before it left them. Without a manifest the steps that are due
 * count as done.
 *
 * @see docs/sessions.md#manifests
 */
export function accountFor(place: Place, manifest?: readonly ManifestEntry[]): Account {
  const positions = (manifest ?? []).flatMap(({ step_id: id }) => positionOf(place, id) ?? []);
  const named = new Set(positions.map(({ step }) => step));
  const inLoops = positions.filter(({ round }) => round !== undefined).map(({ step }) => step);
  const due: PlannedStep[] = [];
  const checkpoints = new Set<string>();
  let values: Values = {};
  for (const step of [...place.steps, ...inLoops]) {
    const context = { ...place.context, ...values };
    if (!applies(step, context)) continue;
    const isDue = !step.isOptional && place.steps.includes(step);
    const isDone = named.has(step) || (manifest === undefined && isDue);
    if (isDue) due.push(step);
    if (step.checkpoint !== undefined && (isDue || isDone)) checkpoints.add(step.checkpoint);
    if (isDone) values = { ...values, ...assign(step.sets, context) };
  }
  return { due, checkpoints, values };
}

function applies({ conditions }: PlannedStep, context: Context): boolean {
  return conditions.every((condition) => evaluate(condition, context));
}
