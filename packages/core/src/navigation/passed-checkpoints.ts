import type { Condition } from '@workflowlookup/conditions';
import { variablesOf } from '@workflowlookup/conditions';
import { needsHuman } from '../session/command.ts';
import { allSteps } from '../session/manifest.ts';
import { namesSetByAnswers, namesShown } from '../session/open-checkpoints.ts';
import { rootOf } from '../session/variables.ts';
import type { CompiledWorkflow, Node } from '../steps/compile-workflow.ts';
import { parseInstanceId } from '../steps/progress.ts';
import type { CompiledActivity, CompiledLoop } from './compile-activity.ts';
import type {
  Assignment,
  SessionCheckpoint,
  CheckpointPolicy,
  DeclaredVariable,
  Mode,
  Navigator,
  PlannedStep,
  IllegalTransition,
} from './navigator.ts';
import type { Graph, Reachability } from './transitions.ts';
import {
  hasTransitions,
  laterIn,
  loopsWith,
  ownTargets,
  reachedFrom,
  targetsOf,
  writtenTargets,
  ownTransitions,
} from './transitions.ts';

/** Returns the checkpoint of an activity that needs a person: one whose definition says so or, under `human`, any. */
export function personsCheckpointOf(
  { gates }: CompiledActivity,
  policy: CheckpointPolicy,
): string | undefined {
  return gates.find((gate) => needsHuman(gate, { gates: policy }))?.id;
}

/** What a navigator knows of its graph. */
interface KnownGraph {
  readonly graph: Graph;
  readonly leads: Reachability;
  readonly initial: string | undefined;
  /** The activities at which a session can begin; empty if the definition says where it begins. */
  readonly entries: readonly string[];
  readonly modes: readonly Mode[];
  readonly variables: readonly DeclaredVariable[];
  /** {@link decidingIn} */
  readonly deciding: (policy: CheckpointPolicy) => Deciding;
}

/**
 * Returns the activity with a person's checkpoint that a move without a transition could bypass, for one of these
 * reasons:
 *
 * - It comes before the target, or before an activity that the session could reach from the target without it.
 * - It lies ahead, and from the target the session could end without it or reach an activity that doesn't lead to it.
 * - The move leaves out an activity that decides whether the person is asked.
 * - It leads to an activity that can take the question away, and that the session could have done without.
 *
 * A session that was never at the checkpoint, and that need not come to it, may return to an activity that it has left,
 * or begin a part of the workflow and take every path of that part.
 *
 * @see docs/sessions.md#checkpoints-that-need-a-person
 */
export function passedInGraph(
  known: KnownGraph,
): (stray: IllegalTransition, policy: CheckpointPolicy) => string | undefined {
  const { graph, leads, initial, entries } = known;
  const isAfter = (guarded: string, id: string): boolean =>
    targetsOf(graph, guarded).some((target) => leads(target, id));
  return ({ current, completed, to, skipped }, policy) => {
    const from = current ?? initial;
    const isBack = to !== undefined && (to === current || completed.includes(to));
    const guarded = [...graph].flatMap(([id, activity]) =>
      personsCheckpointOf(activity, policy) === undefined || skipped?.has(id) === true ? [] : [id],
    );
    return guarded.find((id) => {
      const isAhead = from !== undefined && leads(from, id);
      if (to === undefined) return id === current ? isAfter(id, id) : isAhead;
      if (to !== id && isAfter(id, to)) return true;
      const isOfOtherPart = initial === undefined || !leads(initial, id);
      const mayBegin = isBack || (isOfOtherPart && entries.includes(to));
      if (mayBegin && !isAhead && !completed.includes(id)) return false;
      if (leavesOut(known, { to, current, completed }, { id, policy })) return true;
      if (to === id) return false;
      const reached = reachedWithout(graph, to, id);
      const isAvoidable = (other: string): boolean =>
        !isAhead || (other !== from && reachedWithout(graph, from, other).includes(id));
      return reached.some(
        (other) =>
          isAfter(id, other) ||
          (isAhead && (!leads(other, id) || mayEnd(graph, graph.get(other)))) ||
          (isAvoidable(other) && mayTakeAway(known, other, { id, policy, reached })),
      );
    });
  };
}

/** The activity of a person's checkpoint, and what a session could reach after a move before it comes there. */
interface Guarded {
  readonly id: string;
  readonly policy: CheckpointPolicy;
  readonly reached: readonly string[];
}

/**
 * Returns whether a move without a transition leaves out an activity whose work may decide whether a person is asked
 * later. Without that work the condition of the checkpoint could be false, or an answer could skip it.
 */
function leavesOut(
  known: KnownGraph,
  { to, current, completed }: Pick<IllegalTransition, 'current' | 'completed'> & { readonly to: string },
  { id, policy }: Pick<Guarded, 'id' | 'policy'>,
): boolean {
  const { graph, leads, initial } = known;
  const from = current ?? initial;
  if (to === current || from === undefined) return false;
  const reached = to === id ? [] : reachedWithout(graph, to, id);
  if (!isUncertain(known, { id, policy, reached })) return false;
  const isBack = completed.includes(to);
  // From an activity that doesn't lead to the checkpoint, a session leaves out what it has never done.
  const isMissed = (other: string): boolean =>
    leads(from, id) ? leads(from, other) : !isBack && !completed.includes(other);
  return [...graph].some(
    ([other, activity]) =>
      ![id, to, current].includes(other) &&
      decidesAsking(known, policy, namesSetBy(activity)) &&
      isMissed(other) &&
      leads(other, id) &&
      reachedWithout(graph, to, other).includes(id),
  );
}

/**
 * Returns whether a session can do something in an activity after which another one asks no person: an answer that skips
 * that one, or a change of what decides about the question, also by skipping the activity that would have set it.
 */
function mayTakeAway(known: KnownGraph, other: string, guarded: Guarded): boolean {
  const { graph, variables } = known;
  const activity = graph.get(other);
  if (activity === undefined) return false;
  const skipped = skipsOf(activity.gates);
  if (skipped.includes(guarded.id)) return true;
  if (!isUncertain(known, guarded)) return false;
  const written = writtenOnlyIn(other, variables);
  const left = skipped.flatMap((one) => graph.get(one) ?? []);
  return decidesAsking(known, guarded.policy, [...written, ...[activity, ...left].flatMap(namesSetBy)]);
}

function decidesAsking(
  { deciding }: KnownGraph,
  policy: CheckpointPolicy,
  names: readonly string[],
): boolean {
  const { asked } = deciding(policy);
  return names.some((name) => asked.has(rootOf(name)));
}

/**
 * Returns whether variables decide if an activity asks a person: because of its conditions, of a mode, or of the
 * condition of a question whose answer skips it.
 */
function isUncertain({ graph, modes }: KnownGraph, { id, policy, reached }: Guarded): boolean {
  return (
    modes.some(({ skipActivities }) => skipActivities.includes(id)) ||
    isConditional(graph.get(id), (gate) => needsHuman(gate, { gates: policy })) ||
    reached.some((other) => isConditional(graph.get(other), (gate) => skipsOf([gate]).includes(id)))
  );
}

/** Returns whether variables decide if an activity asks one of certain questions. */
function isConditional(
  activity: CompiledActivity | undefined,
  counts: (gate: SessionCheckpoint) => boolean,
): boolean {
  const { gates = [], steps = [], loops = [] } = activity ?? {};
  return gates.filter(counts).some(({ id, condition }) => {
    const isStop = ({ checkpoint }: PlannedStep): boolean => checkpoint === id;
    const isInLoop = loops.some((loop) => loop.steps.some(isStop));
    return (
      condition !== undefined || isInLoop || steps.some((step) => isStop(step) && step.conditions.length > 0)
    );
  });
}

/** The variables that `set_by` lets agents write in some places, and that this is one of. */
function writtenOnlyIn(place: string, variables: readonly DeclaredVariable[]): readonly string[] {
  return variables.flatMap(({ name, setIn = [] }) =>
    setIn.includes(place) && !setIn.includes('agent') ? [name] : [],
  );
}

/** Activities that the answers to checkpoints skip. */
function skipsOf(gates: readonly SessionCheckpoint[]): readonly string[] {
  return gates.flatMap(({ options }) => options.flatMap(({ effect }) => effect?.skipActivities ?? []));
}

/** Returns an activity and all that can be reached from it without entering certain others. */
export function reachedWithout(graph: Graph, from: string, ...without: readonly string[]): readonly string[] {
  return [...reachedFrom(graph, [from], new Set(without))].filter((id) => graph.has(id));
}

/**
 * Returns whether a session could end at an activity, by a transition out of the workflow or because no transition may
 * be open.
 */
function mayEnd(graph: Graph, activity: CompiledActivity | undefined): boolean {
  if (activity === undefined || !hasTransitions(activity)) return true;
  const { decisions, transitions } = activity;
  if (writtenTargets(activity).some((target) => !graph.has(target))) return true;
  const isOpen =
    transitions.some(({ condition }) => condition === undefined) || decisions.some(leadsOnAlways);
  return !isOpen;
}

/**
 * Returns whether every branch that a decision may take has a target: those with a condition, and the first one
 * without.
 */
function leadsOnAlways({ ways }: CompiledActivity['decisions'][number]): boolean {
  const preset = ways.find(({ condition }) => condition === undefined);
  const taken = ways.filter((branch) => branch === preset || branch.condition !== undefined);
  return preset !== undefined && taken.every(({ target }) => target !== undefined);
}

/** A step with a person's checkpoint, and its position in the file. */
interface GuardedStep {
  readonly id: string;
  readonly order: number;
  readonly loops: readonly string[];
  /** The variables that decide whether it is asked. */
  readonly reads: readonly string[];
}

/**
 * Returns the step whose person's checkpoint a move out of order could bypass: it comes before the target or shares a
 * loop with it, and may still be asked. Or the target is a step in which an agent may set a variable that decides whether
 * it is asked. Returning to a finished step bypasses no checkpoint.
 */
export function passedInSequence(
  { nodes }: CompiledWorkflow,
  variables: readonly DeclaredVariable[],
): (stray: IllegalTransition, policy: CheckpointPolicy) => string | undefined {
  const order: (GuardedStep & { readonly needs: CheckpointPolicy | undefined })[] = [];
  const list = (some: readonly Node[], around: Pick<GuardedStep, 'loops' | 'reads'>): void => {
    for (const node of some) {
      const { id } = node.step;
      const reads = [...around.reads, ...readAt(node)];
      if (node.kind === 'loop') {
        list(node.body, { loops: [...around.loops, id], reads });
        continue;
      }
      const needs =
        node.confirms === false ? undefined : node.step.approver === 'human' ? 'declared' : 'human';
      order.push({ id, order: order.length, loops: around.loops, reads, needs });
    }
  };
  list(nodes, { loops: [], reads: [] });
  return ({ current, completed, to }, policy) => {
    const done = new Set([...completed, ...(current === undefined ? [] : [current])]);
    if (to !== undefined && done.has(to)) return undefined;
    const { stepId, rounds = [] } = (to === undefined ? undefined : parseInstanceId(to)) ?? {};
    const around = new Set(rounds.map(({ loopId }) => loopId));
    const last = order.findLast(({ id }) => id === stepId)?.order ?? Infinity;
    const written = stepId === undefined ? [] : writtenOnlyIn(stepId, variables);
    return order.find(
      ({ id, needs, loops, reads, ...step }) =>
        needs !== undefined &&
        (needs === 'declared' || policy === 'human') &&
        (step.order < last ||
          loops.some((loop) => around.has(loop)) ||
          (id !== stepId && reads.some((name) => written.includes(rootOf(name))))) &&
        (loops.length > 0 || !done.has(id)),
    )?.id;
  };
}

/** The variables that decide whether a step or a loop is done, and whether a step is confirmed. */
function readAt(node: Node): readonly string[] {
  const runs = namesIn(node.runs);
  if (node.kind === 'step')
    return typeof node.confirms === 'boolean' ? runs : [...runs, ...namesIn(node.confirms)];
  const { items, count } = node.step.loop;
  return [...runs, ...namesIn(node.condition), ...[items, count].filter((one) => typeof one === 'string')];
}

/**
 * Returns whether a question is certainly asked again before a session returns to the activity that its answer opened:
 * nothing can skip it, and every path there goes through its activity.
 */
export function asksAgain(graph: Graph, modes: readonly Mode[]): Navigator['asksAgain'] {
  return (question, to, opened) => {
    const { activity } = question;
    if (!isAlwaysAsked(graph, modes, question)) return false;
    return to === activity || !reachedBefore(graph, to, activity).has(opened);
  };
}

/**
 * Returns whether each session that enters an activity must stop at a checkpoint of it, and nothing can skip the
 * activity.
 */
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

/** Returns an activity and all that can be reached from it before the session enters another one that nothing skips. */
function reachedBefore(graph: Graph, from: string, last: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const id of reached) {
    for (const target of nextOf(graph, id, { last })) if (target !== last) reached.add(target);
  }
  return reached;
}

/** Returns the activities that a session may enter next. A loop enters its activities in their order. */
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
  if (hasTransitions(activity)) return next;
  // The transitions of the activity that has the loop are taken without entering it.
  return [
    ...next,
    ...loopsWith(graph, id).flatMap(({ host, loop }) => [
      ...upTo(laterIn(loop, id) ?? []),
      ...nextOf(graph, host, { last, passed: [...passed, id] }),
    ]),
  ];
}

/**
 * Returns the variables that decide whether a session returns to an activity: those that transitions, decisions and
 * loops read on the path, and those of modes that skip an activity on it. Of the activity itself only the modes count.
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

/** Returns the variables that decide which activity a session enters next. */
function readOnLeaving(activity: CompiledActivity | undefined): readonly string[] {
  if (activity === undefined) return [];
  const loops = activity.loops.filter(({ activities }) => activities.length > 0);
  return [
    ...[...ownTransitions(activity), ...loops].flatMap(({ condition }) => namesIn(condition)),
    ...loops.flatMap(({ breakCondition, over = [] }) => [namesIn(breakCondition), over].flat()),
  ];
}

function namesIn(condition: Condition | undefined): readonly string[] {
  return condition === undefined ? [] : [...variablesOf(condition)];
}

/**
 * Returns whether a session that skips an activity could miss a question to a person: because its loops, or the loop
 * that it is part of, lead to one; because the variables it sets decide whether one is asked or are shown by one; or
 * because an answer to one of its checkpoints leads to one that the session could otherwise bypass, or skips an
 * activity around it.
 */
export function sendsInGraph({
  graph,
  leads,
  deciding,
}: KnownGraph): (id: string, policy: CheckpointPolicy) => boolean {
  return (id, policy) => {
    const activity = graph.get(id);
    if (activity === undefined) return false;
    const { asking, names } = deciding(policy);
    const missed = missedWith(graph, id);
    if (missed.some((other) => asking.includes(other))) return true;
    const work = [activity, ...missed.flatMap((other) => graph.get(other) ?? [])];
    const isDeciding = work.flatMap(namesSetBy).some((name) => names.has(rootOf(name)));
    if (isDeciding && asking.some((other) => leads(id, other))) return true;
    const routes = work.flatMap(({ gates }) => gates.flatMap(routesOf));
    return routes.some((to) => asking.some((other) => leads(to, other) && mayMiss(graph, activity, other)));
  };
}

/** The data that decides under a policy whether a person is asked. */
interface Deciding {
  /** The activities with a checkpoint that needs a person. */
  readonly asking: readonly string[];
  /** The variables that decide whether a person is asked, or which activity comes next. */
  readonly asked: ReadonlySet<string>;
  /** Those, and the variables that decide what a person is shown. */
  readonly names: ReadonlySet<string>;
}

/** Creates the function that finds what decides under a policy whether a person is asked. It caches its results. */
export function decidingIn(graph: Graph, modes: readonly Mode[]): KnownGraph['deciding'] {
  const known = new Map<CheckpointPolicy, Deciding>();
  return (policy) => {
    const deciding = known.get(policy) ?? {
      asking: [...graph].flatMap(([id, one]) => (personsCheckpointOf(one, policy) === undefined ? [] : [id])),
      asked: decidingNames(graph, modes, { policy, isShown: false }),
      names: decidingNames(graph, modes, { policy, isShown: true }),
    };
    known.set(policy, deciding);
    return deciding;
  };
}

/** Returns whether a session that skips an activity could end without another one. */
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
      // The loop continues with its next activity, so activities after that one aren't missed.
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
function routesOf({ options }: SessionCheckpoint): readonly string[] {
  return options.flatMap(({ effect }) => [effect?.transitionTo ?? [], effect?.skipActivities ?? []].flat());
}

/** Something that happens or not by the variables that it reads. */
interface Rule {
  readonly reads: readonly string[];
  /** Whether it decides by itself which activity comes next, or whether a person is asked. */
  readonly isDeciding: boolean;
  readonly sets: readonly string[];
}

/** Which questions need a person, and whether it counts what they show. */
interface Counting {
  readonly policy: CheckpointPolicy;
  readonly isShown: boolean;
}

/**
 * Returns the variables that decide which activity comes next, whether a person is asked or what they are shown, and
 * the variables that set one of these.
 */
function decidingNames(graph: Graph, modes: readonly Mode[], counting: Counting): ReadonlySet<string> {
  const rules = [
    ...[...graph.values()].flatMap((activity) => rulesOf(activity, counting)),
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

function rulesOf(activity: CompiledActivity, { policy, isShown }: Counting): readonly Rule[] {
  const { gates, loops } = activity;
  const byId = new Map(gates.map((gate) => [gate.id, gate]));
  const gateRule = (gate: SessionCheckpoint): Rule => {
    const isPersons = needsHuman(gate, { gates: policy });
    return {
      reads: [...namesIn(gate.condition), ...(isPersons && isShown ? namesShown(gate) : [])],
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
    ...ownTransitions(activity).map(({ condition }) => ({
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
