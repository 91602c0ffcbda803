/** The largest definition that is read, in bytes of UTF-8. It also limits the size after expanding YAML aliases. */
export const maxDefinitionBytes = 1_048_576;

/** The deepest nesting of objects and lists in a definition. */
export const maxDepth = 64;

/**
 * The largest number of values (JSON) or tokens (YAML) in a definition. It limits the time that a hostile document can
 * take and is far above any real one.
 */
export const maxDefinitionValues = 100_000;

/** The largest number of issues that a reader reports. The last one counts the rest. */
export const maxIssues = 100;

/** The longest prompt that gets no warning, in characters. */
export const longPromptLength = 2_000;

/** The longest note that may go with an answer to a checkpoint, in characters. */
export const maxNoteChars = 2_000;

/** A budget for a piece of work. A step takes about 10 ns at worst. */
export interface Meter {
  left: number;
  /** Set if a worker can do the work instead, so that running out doesn't mean the work is too expensive. */
  isShort?: boolean;
}

/** The budget for reading one definition, including its criteria (docs/authoring.md#limits). */
export const maxReadingSteps = 400_000_000;

/** Thrown if work needs more steps, stack or depth than it is allowed. */
export class Exhausted extends Error {
  override readonly name: string = 'Exhausted';
}

/**
 * Thrown instead of {@link Exhausted} if the meter is short: the work belongs in a worker. Only the code that starts
 * workers may catch it.
 */
export class TooLongHere extends Error {
  override readonly name = 'TooLongHere';
}

/**
 * Pays for work before it is done.
 *
 * @throws Exhausted or TooLongHere if the budget is too small; nothing is deducted then
 */
export function spend(meter: Meter, steps: number): void {
  if (steps > meter.left) throw outOf(meter, 'Out of steps.');
  meter.left -= steps;
}

/** Returns the error for a limit that was reached: one for the work itself, or one for a short meter on this thread. */
export function outOf({ isShort }: Meter, message: string, cause?: unknown): Error {
  const options = cause === undefined ? {} : { cause };
  return isShort === true ? new TooLongHere(message, options) : new Exhausted(message, options);
}
