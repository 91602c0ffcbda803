/** What one judgement may still spend. A step is about 10 ns of the slowest search a pattern can need. */
export interface Meter {
  left: number;
}

/** Steps one judgement may take; what needs more is too complex to check (docs/authoring.md#limits). */
export const maxSteps = 50_000_000;

/** Thrown, and caught within this package, when a judgement runs out of steps. */
export class Exhausted extends Error {}

/** Pays for work that is about to be done; throws {@link Exhausted} when it can't be paid for. */
export function spend(meter: Meter, steps: number): void {
  meter.left -= steps;
  if (meter.left < 0) throw new Exhausted('Out of steps.');
}
