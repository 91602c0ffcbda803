import type { Condition } from '@workflowlookup/conditions';
import { variablesOf } from '@workflowlookup/conditions';
import type { CompiledActivity } from './compile-activity.ts';
import type { Graph, Reachability } from './graph-moves.ts';
import { writtenWays } from './graph-moves.ts';
import type { DeclaredVariable, Mode, Navigator } from './navigator.ts';
import { namesSetByAnswers } from './open-checkpoints.ts';
import { reachedWithout } from './passed-by.ts';
import { actionsOf } from './sends-to-person.ts';

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

/** The declared variables that only `set` actions set: no answer sets them, and no agent may. */
export function setByActionsOnly(graph: Graph, declared: readonly DeclaredVariable[]): readonly string[] {
  const activities = [...graph.values()];
  const acted = new Set(activities.flatMap(actionsOf).map(({ name }) => name));
  const answered = new Set(activities.flatMap(({ gates }) => gates.flatMap(namesSetByAnswers)));
  return declared.flatMap(({ name, setBy, setIn = [] }) => {
    const isAgents = setBy === undefined || setBy.includes('agent') || setIn.length > 0;
    return !isAgents && acted.has(name) && !answered.has(name) ? [name] : [];
  });
}
