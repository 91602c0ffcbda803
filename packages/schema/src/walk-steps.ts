import type { LoopStep, Step } from './step-workflow.ts';

/** A step met on a walk, and where it stands. */
export interface WalkedStep {
  readonly step: Step;
  /** JSON pointer of the step in its document. */
  readonly pointer: string;
  /** The loops whose inline bodies hold the step, outermost first. */
  readonly loops: readonly LoopStep[];
}

/**
 * Every step in file order, depth first, a loop before its inline body. A step that a loop names as its body is
 * met where it stands in the file.
 */
export function walkSteps(steps: readonly Step[], pointer = '/steps'): Generator<WalkedStep> {
  return walk(steps, pointer, []);
}

function* walk(steps: readonly Step[], pointer: string, loops: readonly LoopStep[]): Generator<WalkedStep> {
  for (const [index, step] of steps.entries()) {
    const place = `${pointer}/${index}`;
    yield { step, pointer: place, loops };
    if (step.type === 'loop' && typeof step.body !== 'string') {
      yield* walk(step.body, `${place}/body`, [...loops, step]);
    }
  }
}
