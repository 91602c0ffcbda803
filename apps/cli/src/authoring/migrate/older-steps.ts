import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import type { Path } from './change.ts';

/** A step of a document that may be of an older form, and where it stands. */
export interface OlderStep {
  readonly step: JsonObject;
  readonly path: Path;
  /** The loops around it, innermost last. */
  readonly loops: readonly JsonObject[];
}

/** Every step that is an object, depth first, a loop before its body. */
export function* olderSteps(
  steps: Json | undefined,
  path: Path = ['steps'],
  loops: readonly JsonObject[] = [],
): Generator<OlderStep> {
  if (!Array.isArray(steps)) return;
  for (const [at, step] of (steps as readonly Json[]).entries()) {
    if (!isJsonObject(step)) continue;
    yield { step, path: [...path, at], loops };
    if (isLoop(step)) yield* olderSteps(step['body'], [...path, at, 'body'], [...loops, step]);
  }
}

/** Whether a step repeats others. */
export function isLoop(step: JsonObject): boolean {
  return step['type'] === 'loop';
}

/** A step as a message names it. */
export function nameOfStep({ step, path }: OlderStep): string {
  const noun = isLoop(step) ? 'loop' : 'step';
  return typeof step['id'] === 'string' ? `${noun} '${step['id']}'` : `the ${noun} at /${path.join('/')}`;
}
