import type { LoopStep, Step } from './step-workflow.ts';
import { walkSteps } from './walk-steps.ts';
import type { WalkedStep } from './walk-steps.ts';

/** Every step as {@link walkSteps} meets it, with all the loops it runs in: also those that name it, or a loop around it, as their body. */
export function* walkWithLoops(steps: readonly Step[]): Generator<WalkedStep> {
  const walked = [...walkSteps(steps)];
  const callers = callersOf(walked);
  for (const { step, pointer, loops } of walked) {
    yield { step, pointer, loops: [...around(step, loops, callers)] };
  }
}

/** A loop that names its body, and the loops it stands in. */
interface Caller {
  readonly loop: LoopStep;
  readonly loops: readonly LoopStep[];
}

/** The loops that name a step as their body, by the step's id. */
function callersOf(walked: readonly WalkedStep[]): ReadonlyMap<string, readonly Caller[]> {
  const callers = new Map<string, Caller[]>();
  for (const { step, loops } of walked) {
    if (step.type !== 'loop' || typeof step.body !== 'string') continue;
    callers.set(step.body, [...(callers.get(step.body) ?? []), { loop: step, loops }]);
  }
  return callers;
}

function around(
  step: Step,
  loops: readonly LoopStep[],
  callers: ReadonlyMap<string, readonly Caller[]>,
): ReadonlySet<LoopStep> {
  const found = new Set(loops);
  const inside: Step[] = [step, ...loops];
  for (let next = inside.pop(); next !== undefined; next = inside.pop()) {
    for (const caller of callers.get(next.id) ?? []) {
      for (const loop of [caller.loop, ...caller.loops].filter((each) => !found.has(each))) {
        found.add(loop);
        inside.push(loop);
      }
    }
  }
  return found;
}
