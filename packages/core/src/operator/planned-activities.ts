import type { Node } from '../compile-workflow.ts';
import { parseInstanceId } from '../instance-id.ts';
import type { Runnable, RunnableActivities, RunnableSteps } from '../session-engine/runnable.ts';
import type { Gate, GateOption, Navigator } from '../session/navigator.ts';
import type { SessionState } from '../session/session-state.ts';
import type { RecordedEvent } from './operator.ts';
import { whyNotDone, whyNotEntered } from './skip-reason.ts';
import { whereabouts } from '../session/whereabouts.ts';

/**
 * Where an activity of the plan stands: left, being done, passed over for good, still reachable, or reachable after some
 * answers to a checkpoint that waits and not after others.
 */
export type PlanStanding = 'done' | 'current' | 'skipped' | 'ahead' | 'depends';

/** An activity as it was planned, and what became of it. */
export interface PlannedActivity {
  readonly id: string;
  readonly name: string;
  readonly standing: PlanStanding;
  /** How often it was entered; of a step in a loop, in all its rounds. */
  readonly visits: number;
  /** Why it was passed over, or what it depends on. */
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
  const open = openGates(state, navigator);
  const answered = open.flatMap((gate) =>
    gate.options.map((option) => reachable(afterAnswer(state, gate, option), navigator)),
  );
  const now = reachable(state, navigator);
  return workflow.activities.map(({ id, definition: { name } }) => {
    const visits = visitsIn(state, (visited) => visited === id);
    const isAhead = answered.length === 0 ? now.has(id) : answered.every((ids) => ids.has(id));
    const depends = !isAhead && answered.some((ids) => ids.has(id));
    const standing = standingOf({ isCurrent: state.current === id, visits, isAhead, depends });
    switch (standing) {
      case 'skipped':
        return { id, name, standing, visits, why: whyNotEntered(id, { navigator, state, events }) };
      case 'depends':
        return { id, name, standing, visits, why: dependsOn(open) };
      default:
        return { id, name, standing, visits };
    }
  });
}

/** The checkpoints of the current activity whose answers can change what comes next, and that have none yet. */
function openGates(state: SessionState, navigator: Navigator): readonly Gate[] {
  const { current, gate: waiting, answered, status } = state;
  if (current === undefined || status === 'completed') return [];
  const { gates } = navigator.place(current, state);
  const isOpen = ({ id }: Gate): boolean =>
    waiting === undefined ? answered.every(({ checkpoint }) => checkpoint !== id) : waiting.checkpoint === id;
  return gates.filter((gate) => isOpen(gate) && gate.options.some(({ effect }) => effect !== undefined));
}

/** The session as it would be after an answer: nothing is decided or written. */
function afterAnswer(state: SessionState, gate: Gate, { id, effect }: GateOption): SessionState {
  const { setVariable = {}, skipActivities = [], transitionTo } = effect ?? {};
  return {
    ...state,
    variables: { ...state.variables, ...setVariable },
    skipped: [...state.skipped, ...skipActivities],
    ...(transitionTo === undefined ? {} : { expected: transitionTo }),
    answered: [
      ...state.answered,
      { checkpoint: gate.id, activity: state.current ?? '', answer: { kind: 'option', option: id }, at: '' },
    ],
  };
}

/** The activities that can still be entered, with the variables as they are; an activity that an answer names goes first. */
function reachable(state: SessionState, navigator: Navigator): ReadonlySet<string> {
  const here = whereabouts(state, navigator);
  const found = new Set<string>();
  const open = state.status === 'completed' ? [] : [here.current];
  for (const current of open) {
    const isNamed = state.expected !== undefined && current === here.current;
    const moves = navigator.ahead({ ...here, current }).moves.map(({ target }) => target);
    for (const target of isNamed ? [state.expected ?? ''] : moves) {
      const id = navigator.find(target, here);
      if (id === undefined || found.has(id)) continue;
      found.add(id);
      open.push(id);
    }
  }
  return new Set([...found].filter((id) => !here.skipped.has(id)));
}

function dependsOn(gates: readonly Gate[]): string {
  const names = gates.map(({ id }) => `'${id}'`).join(', ');
  return `it depends on the answer to ${gates.length === 1 ? 'checkpoint' : 'the checkpoints'} ${names}`;
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
    const standing = standingOf({ isCurrent: current === id, visits, isAhead, depends: false });
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
  readonly depends: boolean;
}

/** An abandoned session still stands where it stood. */
function standingOf({ isCurrent, visits, isAhead, depends }: Facts): PlanStanding {
  if (isCurrent) return 'current';
  if (visits > 0) return 'done';
  if (depends) return 'depends';
  return isAhead ? 'ahead' : 'skipped';
}
