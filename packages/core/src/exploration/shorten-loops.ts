import type { ActivityWorkflow, LoopStep, Step, StepWorkflow } from '@workflowlookup/schema';

/** What decides how many rounds of a loop are worth a look. */
export interface RoundsToLookAt {
  /** Names that conditions compare: a loop that counts in one of them needs more rounds. */
  readonly compared: ReadonlySet<string>;
  /** Items of the longest list. */
  readonly items: number;
}

/** Rounds after which a loop does nothing new. */
const fewRounds = 3;
/** Rounds of a loop whose conditions count them. */
const manyRounds = 25;

/** The workflow with loops that end after a few rounds, so that what comes after them is soon reached. */
export function shortenLoops(workflow: StepWorkflow, rounds: RoundsToLookAt): StepWorkflow {
  const { definition } = workflow;
  return { ...workflow, definition: { ...definition, steps: shortenIn(definition.steps, rounds) } };
}

function shortenIn(steps: readonly Step[], rounds: RoundsToLookAt): readonly Step[] {
  return steps.map((step) => {
    if (step.type !== 'loop') return step;
    const body = typeof step.body === 'string' ? step.body : shortenIn(step.body, rounds);
    return { ...step, body, loop: { ...step.loop, maxIterations: boundOf(step, rounds) } };
  });
}

function boundOf({ loop }: LoopStep, { compared, items }: RoundsToLookAt): number {
  const counters = [loop.iterationVar ?? 'currentIteration', loop.indexVar ?? 'currentIndex'];
  const isCounted = counters.some((name) => compared.has(name));
  return Math.min(loop.maxIterations, isCounted ? manyRounds : Math.max(fewRounds, items));
}

/** {@link shortenLoops} for an activity workflow. */
export function shortenActivityLoops(
  workflow: ActivityWorkflow,
  { items }: RoundsToLookAt,
): ActivityWorkflow {
  const most = Math.max(fewRounds, items);
  const activities = workflow.activities.map((part) => {
    const loops = part.definition.loops?.map((loop) => ({
      ...loop,
      maxIterations: Math.min(loop.maxIterations ?? most, most),
    }));
    return loops === undefined ? part : { ...part, definition: { ...part.definition, loops } };
  });
  return { ...workflow, activities };
}
