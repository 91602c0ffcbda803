import { WorkflowError } from '@workflowlookup/schema';
import type { UndecidedStep } from '../next-step.ts';
import type { Way } from '../session/choose-target.ts';
import { legalWays } from '../session/choose-target.ts';
import { visitsOf } from '../session/evolve.ts';
import type { Assignment, Move, Navigator, Whereabouts } from '../session/navigator.ts';

/** How often one activity comes up: what leads back to it depends on variables a caller may never change. */
export const mostVisits = 100;

/** What comes next in a graph: an activity, or its end. */
export interface NextActivity {
  /** Absent where no way leads on. */
  readonly id?: string;
  /** What going there sets. */
  readonly sets: readonly Assignment[];
  /** Ways that would have been taken before this one, had their variables been set, by where they lead. */
  readonly undecided: readonly UndecidedStep[];
  /** Activities to which a way leads, and which came up as often as one may. */
  readonly exhausted: readonly string[];
}

/**
 * The first legal way on from where a caller stands.
 *
 * @throws WorkflowError INVALID_WORKFLOW where there is no activity to start with
 * @see docs/tools.md#workflow_next
 */
export function nextActivity(navigator: Navigator, at: Whereabouts): NextActivity {
  const ahead = navigator.ahead(at);
  if (ahead.obstacle !== undefined) throw new WorkflowError('INVALID_WORKFLOW', ahead.obstacle);
  const ways = legalWays(navigator, at, { ahead });
  const isExhausted = ({ target }: Way): boolean =>
    target.kind === 'activity' && visitsOf(at.visits, target.id) >= mostVisits;
  const way = ways.find((candidate) => !isExhausted(candidate));
  const passed = way?.move === undefined ? ahead.moves : ahead.moves.slice(0, ahead.moves.indexOf(way.move));
  return {
    ...(way?.target.kind === 'activity' && { id: way.target.id }),
    sets: way?.move?.sets ?? [],
    undecided: undecidedAmong(passed, way?.move?.target),
    exhausted: way === undefined ? namesOf(ways.filter(isExhausted)) : [],
  };
}

function namesOf(ways: readonly Way[]): readonly string[] {
  return [...new Set(ways.flatMap(({ target }) => (target.kind === 'activity' ? [target.id] : [])))];
}

function undecidedAmong(moves: readonly Move[], taken: string | undefined): readonly UndecidedStep[] {
  const byTarget = new Map<string, Set<string>>();
  for (const { target, undecided } of moves) {
    if (target === taken) continue;
    for (const variable of undecided) byTarget.set(target, (byTarget.get(target) ?? new Set()).add(variable));
  }
  return [...byTarget].map(([stepId, names]) => ({ stepId, variables: [...names] }));
}
