/** What one judgement may still spend. A step is about 10 ns of the slowest search a pattern can need. */
export interface Meter {
  left: number;
}

/** Steps one judgement may take; what needs more is too complex to check (docs/authoring.md#limits). */
export const maxSteps = 50_000_000;

/** Thrown, and caught within this package, when a judgement runs out of steps, of stack or of depth. */
export class Exhausted extends Error {}

/** Pays for work that is about to be done; throws {@link Exhausted}, and takes nothing, when it can't be paid for. */
export function spend(meter: Meter, steps: number): void {
  if (steps > meter.left) throw new Exhausted('Out of steps.');
  meter.left -= steps;
}
