import type { Context } from '@workflowlookup/conditions';
import type { Place, PlannedLoop, PlannedStep } from './navigator.ts';

/** Where an id of a manifest stands in an activity. */
export interface Position {
  readonly step: PlannedStep;
  /** Its place among the steps it is ordered with. */
  readonly rank: number;
  /** Steps of one group come in order: those of the activity, or of one named round of a loop. */
  readonly group: string | undefined;
  /** The round of the loop that holds the step. */
  readonly round?: { readonly loop: PlannedLoop; readonly iteration: number | undefined };
}

/**
 * Where the id of a manifest stands: a step of the activity, or of a loop, there bare or as `loop-id@0::step-id`.
 * A bare step of a loop may come again and again, in rounds nobody can tell apart: it is in no group.
 */
export function positionOf(place: Place, id: string): Position | undefined {
  const rank = place.steps.findIndex((step) => step.id === id || step.id.endsWith(`::${id}`));
  const step = place.steps[rank];
  return step === undefined ? positionInLoops(place, id) : { step, rank, group: '' };
}

const rounded = /^(?:([^@]+)@(\d{1,6})::)?([^:]+)$/;

function positionInLoops({ loops }: Place, id: string): Position | undefined {
  const [, loopId, count, stepId] = rounded.exec(id) ?? [];
  const iteration = count === undefined ? undefined : Number(count);
  for (const loop of loops) {
    if (iteration !== undefined && (loopId !== loop.id || iteration >= loop.rounds)) continue;
    const rank = loop.steps.findIndex((step) => step.id === stepId);
    const step = loop.steps[rank];
    if (step === undefined) continue;
    const group = iteration === undefined ? undefined : `${loop.id}@${iteration}`;
    return { step, rank, group, round: { loop, iteration } };
  }
  return undefined;
}

/** The item of the round a position stands in, under the name its loop gives it. */
export function itemOf({ round }: Position): Context {
  if (round?.iteration === undefined) return {};
  return itemsOf(round.loop)[round.iteration] ?? {};
}

/** The items of a loop, each under the name the loop gives it; of a loop that has none, one empty context. */
export function itemsOf({ items, rounds }: PlannedLoop): readonly Context[] {
  return items === undefined ? [{}] : items.list.slice(0, rounds).map((item) => ({ [items.name]: item }));
}
