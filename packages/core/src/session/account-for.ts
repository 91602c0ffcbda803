import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { Position } from './manifest-position.ts';
import { itemOf, itemsOf, positionOf } from './manifest-position.ts';
import type { Gate, Place, PlannedStep } from './navigator.ts';
import type { ManifestEntry } from './session-event.ts';
import type { Values } from './variables.ts';
import { assign } from './variables.ts';

/** What an activity comes to, as a manifest tells it. */
export interface Account {
  /** Steps a manifest has to name. */
  readonly due: readonly PlannedStep[];
  /**
   * Checkpoints at which the steps that were done, or are due, stop; and those only a person may answer that no step
   * names, which stand for the whole activity.
   */
  readonly checkpoints: ReadonlySet<string>;
  /** What the actions of the steps that were done set. */
  readonly values: Values;
}

/**
 * Goes through the steps of an activity in their order, then through those of loops in the order of the manifest: each
 * is judged by the variables as the actions of those before it left them. Without a manifest the steps that are due
 * count as done. A manifest may leave out the steps of loops, but not the checkpoints of a loop that runs.
 *
 * @see docs/sessions.md#manifests
 */
export function accountFor(place: Place, manifest?: readonly ManifestEntry[]): Account {
  const named = (manifest ?? []).flatMap(({ step_id: id }) => positionOf(place, id) ?? []);
  const done = new Set(named.map(({ step }) => step));
  const due: PlannedStep[] = [];
  const signed = unnamedGates(place).filter(({ approver }) => approver === 'human');
  const checkpoints = new Set(signed.map(({ id }) => id));
  let values: Values = {};
  for (const { step, items } of turnsOf(place, named)) {
    const context = { ...place.context, ...values };
    const seen = items.map((item) => ({ ...context, ...item })).find((one) => applies(step, one));
    if (seen === undefined) continue;
    const isDue = !step.isOptional && place.steps.includes(step);
    const isDone = done.has(step) || (manifest === undefined && isDue);
    if (isDue) due.push(step);
    if (step.checkpoint !== undefined && (isDone || !step.isOptional)) checkpoints.add(step.checkpoint);
    if (isDone) values = { ...values, ...assign(step.sets, seen) };
  }
  return { due, checkpoints, values };
}

/** Checkpoints that no step names: an agent may stop at them, and need not. */
export function unnamedGates({ steps, loops, gates }: Place): readonly Gate[] {
  const all = [...steps, ...loops.flatMap((loop) => loop.steps)];
  const named = new Set(all.map(({ checkpoint }) => checkpoint));
  return gates.filter(({ id }) => !named.has(id));
}

/** A step whose turn it is, with the items of the rounds it may stand in. */
interface Turn {
  readonly step: PlannedStep;
  readonly items: readonly Context[];
}

function turnsOf({ steps, loops }: Place, named: readonly Position[]): readonly Turn[] {
  const inRounds = named.filter(({ round }) => round !== undefined);
  const seen = new Set(inRounds.map(({ step }) => step));
  const unnamed = loops.filter(({ runs }) => runs);
  return [
    ...steps.map((step) => ({ step, items: [{}] })),
    ...inRounds.map((position) => ({ step: position.step, items: [itemOf(position)] })),
    ...unnamed.flatMap((loop) =>
      loop.steps.filter((step) => !seen.has(step)).map((step) => ({ step, items: itemsOf(loop) })),
    ),
  ];
}

function applies({ conditions }: PlannedStep, context: Context): boolean {
  return conditions.every((condition) => evaluate(condition, context));
}
