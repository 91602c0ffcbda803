import type { Condition } from '@workflowlookup/conditions';
import { variablesOf } from '@workflowlookup/conditions';
import type { CompiledActivity } from './compile-activity.ts';
import type { Graph, Reachability } from './graph-moves.ts';
import { hasWays, loopsWith, ownTargets, writtenWays } from './graph-moves.ts';
import type { Mode, Navigator } from './navigator.ts';
import { reachedWithout } from './passed-by.ts';

/**
 * Whether a question surely comes again before a session comes back to the activity that its answer opened: nothing can
 * skip it, and every way there goes through its activity.
 */
export function asksAgain(graph: Graph, modes: readonly Mode[]): Navigator['asksAgain'] {
  return (question, to, opened) => {
    const { activity } = question;
    if (!isAlwaysAsked(graph, modes, question)) return false;
    return to === activity || !reachedBefore(graph, to, activity).has(opened);
  };
}

/** Whether each session that enters an activity has to stop at a checkpoint of it, and nothing can skip the activity. */
function isAlwaysAsked(
  graph: Graph,
  modes: readonly Mode[],
  { checkpoint, activity: id }: Parameters<Navigator['asksAgain']>[0],
): boolean {
  const { gates = [], steps = [], loops = [] } = graph.get(id) ?? {};
  const gate = gates.find((one) => one.id === checkpoint);
  if (gate === undefined || gate.condition !== undefined) return false;
  const stops = [...steps, ...loops.flatMap((loop) => loop.steps)].filter(
    (step) => step.checkpoint === checkpoint,
  );
  const isDue =
    stops.length === 0
      ? gate.approver === 'human'
      : stops.some((step) => steps.includes(step) && !step.isOptional && step.conditions.length === 0);
  const options = [...graph.values()].flatMap((one) => one.gates.flatMap((other) => other.options));
  const skips = [...modes, ...options.flatMap(({ effect }) => effect ?? [])];
  return isDue && !skips.some(({ skipActivities = [] }) => skipActivities.includes(id));
}

/** What can be reached from an activity, that included, before the session enters another one that nothing skips. */
function reachedBefore(graph: Graph, from: string, last: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const id of reached) {
    for (const target of nextOf(graph, id, { last })) if (target !== last) reached.add(target);
  }
  return reached;
}

/** Where a session may go from an activity. A loop enters no activity of it before those that come first in it. */
function nextOf(
  graph: Graph,
  id: string,
  { last, passed = [] }: { readonly last: string; readonly passed?: readonly string[] },
): readonly string[] {
  const activity = graph.get(id);
  if (activity === undefined || passed.includes(id)) return [];
  const upTo = (members: readonly string[]): readonly string[] =>
    members.includes(last) ? members.slice(0, members.indexOf(last) + 1) : members;
  const next = [...ownTargets(activity), ...activity.loops.flatMap(({ activities }) => upTo(activities))];
  if (hasWays(activity)) return next;
  // The ways of the activity that has the loop are taken without entering it.
  return [
    ...next,
    ...loopsWith(graph, id).flatMap(({ host, loop: { activities } }) => [
      ...upTo(activities.slice(activities.indexOf(id) + 1)),
      ...nextOf(graph, host, { last, passed: [...passed, id] }),
    ]),
  ];
}

/**
 * The variables that decide whether a session comes back to an activity: those that transitions, decisions and loops read
 * on the way, and those of modes that skip an activity there. Of the activity itself only the modes count.
 */
export function readOnWayBack(
  graph: Graph,
  leads: Reachability,
  modes: readonly Mode[],
): Navigator['readOnWayBack'] {
  return (from, to, back) => {
    const after = to === back ? [] : reachedWithout(graph, to, back).filter((id) => leads(id, back));
    const passed = to === back || from === undefined ? after : [from, ...after];
    return [
      ...passed.flatMap((id) => readOnLeaving(graph.get(id))),
      ...modes.flatMap(({ variable, skipActivities }) =>
        skipActivities.some((id) => id === back || after.includes(id)) ? [variable] : [],
      ),
    ];
  };
}

/** The variables that decide where a session goes from an activity. */
function readOnLeaving(activity: CompiledActivity | undefined): readonly string[] {
  if (activity === undefined) return [];
  const loops = activity.loops.filter(({ activities }) => activities.length > 0);
  return [
    ...[...writtenWays(activity), ...loops].flatMap(({ condition }) => namesIn(condition)),
    ...loops.flatMap(({ breakCondition, over = [] }) => [namesIn(breakCondition), over].flat()),
  ];
}

function namesIn(condition: Condition | undefined): readonly string[] {
  return condition === undefined ? [] : [...variablesOf(condition)];
}
