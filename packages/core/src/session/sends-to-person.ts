import type { Condition } from '@workflowlookup/conditions';
import { variablesOf } from '@workflowlookup/conditions';
import { rootOf } from '../root-of.ts';
import { allSteps } from './account-for.ts';
import type { CompiledActivity, CompiledLoop } from './compile-activity.ts';
import type { Graph, Reachability } from './graph-moves.ts';
import { writtenTargets, writtenWays } from './graph-moves.ts';
import type { Assignment, Gate, GatePolicy, Mode, PlannedStep } from './navigator.ts';
import { namesSetByAnswers } from './open-checkpoints.ts';
import { needsHuman } from './policy.ts';
import { mayEnd, personsCheckpointOf, reachedWithout } from './passed-by.ts';
import { namesShown } from './question.ts';

/**
 * Whether a session that skips an activity could miss a question to a person: because its loops, or the loop that it is
 * part of, lead to one; because what its work sets decides whether one is asked, or is shown by one; or because an answer
 * to one of its checkpoints leads to one that the session could otherwise pass, or skips a way around it.
 */
export function sendsInGraph(
  graph: Graph,
  leads: Reachability,
  modes: readonly Mode[],
): (id: string, policy: GatePolicy) => boolean {
  const known = new Map<GatePolicy, Deciding>();
  const decidingUnder = (policy: GatePolicy): Deciding => {
    const deciding = known.get(policy) ?? {
      asking: [...graph].flatMap(([id, one]) => (personsCheckpointOf(one, policy) === undefined ? [] : [id])),
      names: decidingNames(graph, modes, policy),
    };
    known.set(policy, deciding);
    return deciding;
  };
  return (id, policy) => {
    const activity = graph.get(id);
    if (activity === undefined) return false;
    const { asking, names } = decidingUnder(policy);
    const missed = missedWith(graph, id);
    if (missed.some((other) => asking.includes(other))) return true;
    const work = [activity, ...missed.flatMap((other) => graph.get(other) ?? [])];
    const isDeciding = work.flatMap(namesSetBy).some((name) => names.has(rootOf(name)));
    if (isDeciding && asking.some((other) => leads(id, other))) return true;
    const routes = work.flatMap(({ gates }) => gates.flatMap(routesOf));
    return routes.some((to) => asking.some((other) => leads(to, other) && mayMiss(graph, activity, other)));
  };
}

/** What decides under a policy whether a person is asked. */
interface Deciding {
  /** The activities with a checkpoint that needs a person. */
  readonly asking: readonly string[];
  /** The names that {@link decidingNames} finds. */
  readonly names: ReadonlySet<string>;
}

/** Whether a session that passes over an activity could end without another one. */
function mayMiss(graph: Graph, activity: CompiledActivity, other: string): boolean {
  if (mayEnd(graph, activity)) return true;
  return writtenTargets(activity).some(
    (way) => way !== other && reachedWithout(graph, way, other).some((id) => mayEnd(graph, graph.get(id))),
  );
}

/** Activities that a session could miss by skipping one: those its loops lead to, and those it leads to as part of a loop. */
function missedWith(graph: Graph, id: string): readonly string[] {
  const activity = graph.get(id);
  if (activity === undefined) return [];
  const entered = activity.loops.flatMap(({ activities }) =>
    activities.flatMap((member) => reachedWithout(graph, member, id)),
  );
  const around = [...graph].flatMap(([host, { loops }]) =>
    loops.flatMap(({ activities }) => {
      if (!activities.includes(id)) return [];
      // The loop continues with its next activity, so what comes after that activity isn't missed.
      const next = activities[activities.indexOf(id) + 1];
      const without = [id, host, ...(next === undefined ? [] : [next])];
      return writtenTargets(activity)
        .filter((target) => !without.includes(target))
        .flatMap((target) => reachedWithout(graph, target, ...without));
    }),
  );
  return [...new Set([...entered, ...around])].filter((other) => other !== id);
}

/** Variables that the work of an activity may set. */
function namesSetBy(activity: CompiledActivity): readonly string[] {
  const items = activity.loops.flatMap(({ variable }) => variable ?? []);
  return [
    ...actionsOf(activity).map(({ name }) => name),
    ...items,
    ...activity.gates.flatMap(namesSetByAnswers),
  ];
}

/** The `set` actions of an activity and of its steps. */
function actionsOf(activity: CompiledActivity): readonly Assignment[] {
  return [...activity.entry, ...allSteps(activity).flatMap(({ sets }) => sets), ...activity.exit];
}

/** Activities that the answers to a checkpoint lead to, or skip: the session then follows the transitions of the skipped one. */
function routesOf({ options }: Gate): readonly string[] {
  return options.flatMap(({ effect }) => [effect?.transitionTo ?? [], effect?.skipActivities ?? []].flat());
}

/** Something that happens or not by the variables that it reads. */
interface Rule {
  readonly reads: readonly string[];
  /** It decides by itself where a session goes, or whether a person is asked. */
  readonly isDeciding: boolean;
  readonly sets: readonly string[];
}

/** Variables that decide where a session goes, whether a person is asked or what is shown to them, or what sets one of these. */
function decidingNames(graph: Graph, modes: readonly Mode[], policy: GatePolicy): ReadonlySet<string> {
  const rules = [
    ...[...graph.values()].flatMap((activity) => rulesOf(activity, policy)),
    ...modes.map(({ variable, skipActivities, defaults }) => ({
      reads: [variable],
      isDeciding: skipActivities.length > 0,
      sets: Object.keys(defaults),
    })),
  ];
  const names = new Set<string>();
  for (let size = -1; size < names.size;) {
    size = names.size;
    for (const { reads, isDeciding, sets } of rules) {
      if (!isDeciding && !sets.some((name) => names.has(rootOf(name)))) continue;
      for (const name of reads) names.add(rootOf(name));
    }
  }
  return names;
}

function rulesOf(activity: CompiledActivity, policy: GatePolicy): readonly Rule[] {
  const { gates, loops } = activity;
  const byId = new Map(gates.map((gate) => [gate.id, gate]));
  const gateRule = (gate: Gate): Rule => {
    const isPersons = needsHuman(gate, { gates: policy });
    return {
      reads: [...namesIn(gate.condition), ...(isPersons ? namesShown(gate) : [])],
      isDeciding: isPersons || routesOf(gate).length > 0,
      sets: namesSetByAnswers(gate),
    };
  };
  const stepRule = ({ conditions, checkpoint = '', sets }: PlannedStep): Rule => {
    const gate = byId.get(checkpoint);
    const stop = gate && gateRule(gate);
    return {
      reads: conditions.flatMap(namesIn),
      isDeciding: stop?.isDeciding === true,
      sets: [...sets.map(({ name }) => name), ...(stop?.sets ?? [])],
    };
  };
  const loopRule = (loop: CompiledLoop): Rule => {
    const inside = loop.steps.map(stepRule);
    const { condition, breakCondition, over, variable, activities } = loop;
    return {
      reads: [...namesIn(condition), ...namesIn(breakCondition), ...(over === undefined ? [] : [over])],
      isDeciding: activities.length > 0 || inside.some(({ isDeciding }) => isDeciding),
      sets: [...(variable === undefined ? [] : [variable]), ...inside.flatMap(({ sets }) => sets)],
    };
  };
  return [
    ...writtenWays(activity).map(({ condition }) => ({
      reads: namesIn(condition),
      isDeciding: true,
      sets: [],
    })),
    ...gates.map(gateRule),
    ...allSteps(activity).map(stepRule),
    ...loops.map(loopRule),
    ...actionsOf(activity).map(({ name, condition }) => ({
      reads: namesIn(condition),
      isDeciding: false,
      sets: [name],
    })),
  ];
}

function namesIn(condition: Condition | undefined): readonly string[] {
  return condition === undefined ? [] : [...variablesOf(condition)];
}
