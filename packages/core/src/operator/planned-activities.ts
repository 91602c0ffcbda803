import type { Node } from '../compile-workflow.ts';
import { parseInstanceId } from '../instance-id.ts';
import type { Runnable, RunnableActivities, RunnableSteps } from '../session-engine/runnable.ts';
import type { SessionState } from '../session/session-state.ts';
import type { RecordedEvent } from './operator.ts';
import { whyNotDone, whyNotEntered } from './skip-reason.ts';
import { whereabouts } from '../session/whereabouts.ts';

/** Where an activity of the plan stands: left, being done, passed over for good, or still reachable. */
export type PlanStanding = 'done' | 'current' | 'skipped' | 'ahead';

/** An activity as it was planned, and what became of it. */
export interface PlannedActivity {
  readonly id: string;
  readonly name: string;
  readonly standing: PlanStanding;
  /** How often it was entered; of a step in a loop, in all its rounds. */
  readonly visits: number;
  /** Why it was passed over. */
  readonly why?: string;
}

/** Every activity of a definition, in its order, with what became of it. */
export function plannedActivities(
  runnable: Runnable,
  state: SessionState,
  events: readonly RecordedEvent[],
): readonly PlannedActivity[] {
  return runnable.kind === 'activities'
    ? plannedGraph(runnable, state, events)
    : plannedSequence(runnable, state);
}

function plannedGraph(
  { workflow, navigator }: RunnableActivities,
  state: SessionState,
  events: readonly RecordedEvent[],
): readonly PlannedActivity[] {
  const here = whereabouts(state, navigator);
  const reachable = new Set<string>();
  const open = state.status === 'completed' ? [] : [here.current];
  for (const current of open) {
    for (const { target } of navigator.ahead({ ...here, current }).moves) {
      const id = navigator.find(target, here);
      if (id === undefined || reachable.has(id)) continue;
      reachable.add(id);
      open.push(id);
    }
  }
  return workflow.activities.map(({ id, definition: { name } }) => {
    const visits = visitsIn(state, (visited) => visited === id);
    const isAhead = reachable.has(id) && !here.skipped.has(id);
    const standing = standingOf({ isCurrent: state.current === id, visits, isAhead });
    const why = standing === 'skipped' ? { why: whyNotEntered(id, { navigator, state, events }) } : {};
    return { id, name, standing, visits, ...why };
  });
}

/** The order of a step workflow is that of its file: what stands before the current step and was not done was skipped. */
function plannedSequence(
  { compiled, navigator }: RunnableSteps,
  state: SessionState,
): readonly PlannedActivity[] {
  const steps = compiled.nodes.flatMap(stepsIn);
  const current = state.current === undefined ? undefined : stepIdOf(state.current);
  const isDone = ({ id }: { readonly id: string }): boolean =>
    visitsIn(state, (visited) => stepIdOf(visited) === id) > 0;
  const reached = steps.findLastIndex(isDone);
  const { moves } = navigator.ahead(whereabouts(state, navigator));
  const next = new Set(moves.map(({ target }) => stepIdOf(target)));
  return steps.map(({ id, name }, at) => {
    const [place] = compiled.standings.get(id) ?? [];
    const visits = visitsIn(state, (visited) => stepIdOf(visited) === id);
    const isAhead = state.status === 'active' && (at > reached || next.has(id));
    const standing = standingOf({ isCurrent: current === id, visits, isAhead });
    const why = standing === 'skipped' && place !== undefined ? { why: whyNotDone(place, state) } : {};
    return { id, name, standing, visits, ...why };
  });
}

function stepsIn(node: Node): readonly { readonly id: string; readonly name: string }[] {
  return node.kind === 'step' ? [{ id: node.step.id, name: node.step.title }] : node.body.flatMap(stepsIn);
}

function stepIdOf(instance: string): string {
  return parseInstanceId(instance)?.stepId ?? instance;
}

function visitsIn({ visits }: SessionState, isIt: (id: string) => boolean): number {
  return Object.entries(visits).reduce((sum, [id, count]) => (isIt(id) ? sum + count : sum), 0);
}

interface Facts {
  readonly isCurrent: boolean;
  readonly visits: number;
  readonly isAhead: boolean;
}

/** An abandoned session still stands where it stood. */
function standingOf({ isCurrent, visits, isAhead }: Facts): PlanStanding {
  if (isCurrent) return 'current';
  if (visits > 0) return 'done';
  return isAhead ? 'ahead' : 'skipped';
}
