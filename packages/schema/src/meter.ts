/** What a piece of work may still spend. A step takes about 10 ns at worst. */
export interface Meter {
  left: number;
  /** Present and true where a worker can do the work instead: what is left is then no limit of the work itself. */
  isShort?: boolean;
}

/** Steps it may take to read one definition, its criteria included (docs/authoring.md#limits). */
export const maxReadingSteps = 400_000_000;

/** Thrown when work needs more steps, stack or depth than it may have. */
export class Exhausted extends Error {
  override readonly name: string = 'Exhausted';
}

/** Thrown instead of {@link Exhausted} where the meter is short: the work belongs in a worker. Must not be caught on the way. */
export class TooLongHere extends Error {
  override readonly name = 'TooLongHere';
}

/** Pays for work that is about to be done. @throws Exhausted or TooLongHere, having taken nothing, where it can't be paid for */
export function spend(meter: Meter, steps: number): void {
  if (steps > meter.left) throw outOf(meter, 'Out of steps.');
  meter.left -= steps;
}

/** The error for a limit that was reached: of the work, or on a short meter of this thread. */
export function outOf({ isShort }: Meter, message: string, cause?: unknown): Error {
  const options = cause === undefined ? {} : { cause };
  return isShort === true ? new TooLongHere(message, options) : new Exhausted(message, options);
}
