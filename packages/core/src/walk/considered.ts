import { describeCondition, undecided } from '@workflowlookup/conditions';
import type { FailedCondition, NextStep } from '../next-step.ts';
import { searchNext } from '../next-step.ts';
import { readProgress } from '../progress.ts';
import type { Runnable, RunnableSteps } from '../session-engine/runnable.ts';
import type { Move } from '../session/navigator.ts';
import type { Prospect } from '../session/prospect.ts';
import type { Considered } from './walk.ts';

/** What could come next, in the order it is tried, each with the reason for how it came out. */
export function consideredFrom(runnable: Runnable, prospect: Prospect): readonly Considered[] {
  return runnable.kind === 'steps' ? ofSteps(runnable, prospect) : ofActivities(prospect);
}

function ofSteps({ compiled }: RunnableSteps, { here }: Prospect): readonly Considered[] {
  const { current, completed, variables } = here;
  const done = current === undefined ? completed : [...completed, current];
  const { next, failed } = searchNext(compiled, readProgress(compiled, done), variables);
  return [...failed.map(skippedStep), ...chosenStep(next)];
}

function skippedStep({ stepId, condition, context }: FailedCondition): Considered {
  const unset = undecided(condition, context);
  const why = `Its condition does not hold: ${describeCondition(condition)}.`;
  return { target: stepId, verdict: 'skipped', why, undecided: unset };
}

function chosenStep(next: NextStep): readonly Considered[] {
  if (next.kind !== 'step') return [];
  const { instanceId: target, node, loop } = next;
  const reason =
    node.runs === undefined
      ? 'It is the next that is not done.'
      : `It is the next that is not done, and its condition holds: ${describeCondition(node.runs)}.`;
  const round = loop === undefined ? '' : ` Loop '${loop.id}' is in round ${loop.iteration}.`;
  return [{ target, verdict: 'chosen', why: reason + round, undecided: [] }];
}

function ofActivities({ state: { expected }, ahead: { moves } }: Prospect): readonly Considered[] {
  if (expected !== undefined) {
    const rest = moves.filter(({ target }) => target !== expected);
    const asked = 'The answer to a checkpoint asked for it, and no other way counts.';
    return [
      { target: expected, verdict: 'chosen', why: asked, undecided: [] },
      ...rest.map((move) => judged(move, 'not-reached')),
    ];
  }
  const first = moves.findIndex(({ holds }) => holds);
  return moves.map((move, at) => {
    const open = at === first ? 'chosen' : 'not-reached';
    return judged(move, move.holds ? open : 'skipped');
  });
}

function judged(move: Move, verdict: Considered['verdict']): Considered {
  const { target, undecided: unset } = move;
  return { target, verdict, why: reasonFor(move, verdict), undecided: verdict === 'skipped' ? unset : [] };
}

const outcomes = {
  chosen: 'it holds, and is the first that does.',
  skipped: 'it does not hold.',
  'not-reached': 'another way comes before it.',
} as const;

function reasonFor({ when, by }: Move, verdict: Considered['verdict']): string {
  const source = by === undefined ? when : `${by}, ${when}`;
  return `${source.charAt(0).toUpperCase()}${source.slice(1)}: ${outcomes[verdict]}`;
}
