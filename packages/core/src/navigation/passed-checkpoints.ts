import { needsHuman } from '../session/command.ts';
import { allSteps } from '../session/outputs/step-account.ts';
import { namesSetByAnswers, namesShown } from '../session/open-checkpoints.ts';
import { rootOf } from '../session/session-state.ts';
import type { CompiledWorkflow, Node, CompiledActivity, CompiledLoop } from './compile-workflow.ts';
import type {
  Assignment,
  SessionCheckpoint,
  CheckpointPolicy,
  Mode,
  Navigator,
  PlannedStep,
} from './navigator.ts';
import type { Graph, Reachability } from './transitions.ts';
import {
  cached,
  hasTransitions,
  laterIn,
  loopsWith,
  namesIn,
  ownTargets,
  reachedFrom,
  targetsOf,
  writtenTargets,
  ownTransitions,
} from './transitions.ts';

/** Returns the checkpoint of an activity that needs a person: one whose definition says so or, under `human`, any. */
export function personsCheckpointOf(
  { checkpoints }: CompiledActivity,
  policy: CheckpointPolicy,
): string | undefined {
  return checkpoints.find((checkpoint) => needsHuman(checkpoint, { gates: policy }))?.id;
}

/** The graph of a navigator, with the facts that are derived from it. */
interface KnownGraph {
  readonly graph: Graph;
  readonly leads: Reachability;
  readonly initial: string | undefined;
  /** The activities at which a session can begin; empty if the definition says where it begins. */
  readonly entries: readonly string[];
  /** {@link decidingIn} */
  readonly deciding: (policy: CheckpointPolicy) => Deciding;
}

/**
 * Returns the activity with a person's checkpoint that a move without a transition could bypass.
 *
 * Such a move can change in many ways whether the person is asked: what comes before the question, what it depends on, and
 * what leads around it. So it counts as bypassing any of them. Only a session that begins can choose a part of the
 * workflow, if the definition doesn't say where it begins and the first activity does not lead to a person.
 *
 * @see docs/sessions.md#moves-without-an-open-transition
 */
export function passedInGraph({ graph, leads, initial, entries }: KnownGraph): Navigator['passedBy'] {
  return ({ current, to, skipped }, policy) => {
    const from = current ?? initial;
    const isBeginning = current === undefined && to !== undefined && entries.includes(to);
    const isBypassed = (id: string): boolean => {
      // Ending at a checkpoint bypasses it only if it would be asked again.
      if (to === undefined && id === current) return targetsOf(graph, id).some((next) => leads(next, id));
      const isAhead = from !== undefined && leads(from, id);
      return isAhead || (to !== undefined && !isBeginning);
    };
    const asking = [...graph].filter(
      ([id, activity]) => personsCheckpointOf(activity, policy) !== undefined && skipped?.has(id) !== true,
    );
    return asking.find(([id]) => isBypassed(id))?.[0];
  };
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
function leadsOnAlways({ branches: ways }: CompiledActivity['decisions'][number]): boolean {
  const preset = ways.find(({ condition }) => condition === undefined);
  const taken = ways.filter((branch) => branch === preset || branch.condition !== undefined);
  return preset !== undefined && taken.every(({ target }) => target !== undefined);
}

/**
 * Returns the first step with a person's checkpoint that a move out of order could bypass. A move to another step could
 * bypass any of them; the end bypasses only those that may still be asked.
 */
export function passedInSequence({ nodes }: CompiledWorkflow): Navigator['passedBy'] {
  const steps: { readonly id: string; readonly needs: CheckpointPolicy; readonly isInLoop: boolean }[] = [];
  const list = (some: readonly Node[], isInLoop: boolean): void => {
    for (const node of some) {
      if (node.kind === 'loop') list(node.body, true);
      else if (node.confirms !== false) {
        const { id, approver } = node.step;
        steps.push({ id, needs: approver === 'human' ? 'declared' : 'human', isInLoop });
      }
    }
  };
  list(nodes, false);
  return ({ current, completed, to }, policy) => {
    const asking = steps.filter(({ needs }) => needs === 'declared' || policy === 'human');
    const isDone = (id: string): boolean => id === current || completed.includes(id);
    const open = asking.find(({ id, isInLoop }) => isInLoop || !isDone(id));
    return (open ?? (to === undefined ? undefined : asking[0]))?.id;
  };
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
  const { checkpoints = [], steps = [], loops = [] } = graph.get(id) ?? {};
  const declared = checkpoints.find((one) => one.id === checkpoint);
  if (declared === undefined || declared.condition !== undefined) return false;
  const stops = allSteps({ steps, loops }).filter((step) => step.checkpoint === checkpoint);
  const isDue =
    stops.length === 0
      ? declared.approver === 'human'
      : stops.some((step) => steps.includes(step) && !step.isOptional && step.conditions.length === 0);
  const options = [...graph.values()].flatMap((one) => one.checkpoints.flatMap((other) => other.options));
  const skips = [...modes, ...options.flatMap(({ effect }) => effect ?? [])];
  return isDue && !skips.some(({ skipActivities = [] }) => skipActivities.includes(id));
}

/** Returns an activity and all that can be reached from it before the session enters another one that nothing skips. */
function reachedBefore(graph: Graph, from: string, last: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const id of reached) {
    for (const target of nextOf(graph, id, last)) if (target !== last) reached.add(target);
  }
  return reached;
}

/** Returns the activities that a session may enter next. A loop enters its activities in their order. */
function nextOf(graph: Graph, id: string, last: string, passed: readonly string[] = []): readonly string[] {
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
      ...nextOf(graph, host, last, [...passed, id]),
    ]),
  ];
}

/**
 * Returns the variables that decide whether a session returns to an activity: those that transitions, decisions and
 * loops read on the path, and those of modes that skip an activity on it. Of the activity itself only the modes count.
 */
export function readBeforeReturn(
  graph: Graph,
  leads: Reachability,
  modes: readonly Mode[],
): Navigator['readBeforeReturn'] {
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

/**
 * Returns whether a session that skips an activity could miss a question to a person: because its loops, or the loop
 * that it is part of, lead to one; because the variables it sets decide whether one is asked or are shown by one; or
 * because an answer to one of its checkpoints leads to one that the session could otherwise bypass, or skips an
 * activity around it.
 */
export function sendsInGraph({ graph, leads, deciding }: KnownGraph): Navigator['sendsToPerson'] {
  return (id, policy) => {
    const activity = graph.get(id);
    if (activity === undefined) return false;
    const { asking, names } = deciding(policy);
    const missed = missedWith(graph, id);
    if (missed.some((other) => asking.includes(other))) return true;
    const work = [activity, ...missed.flatMap((other) => graph.get(other) ?? [])];
    const isDeciding = work.flatMap(namesSetBy).some((name) => names.has(rootOf(name)));
    if (isDeciding && asking.some((other) => leads(id, other))) return true;
    const routes = work.flatMap(({ checkpoints }) => checkpoints.flatMap(routesOf));
    return routes.some((to) => asking.some((other) => leads(to, other) && mayMiss(graph, activity, other)));
  };
}

/** The data that decides under a policy whether a person is asked. */
interface Deciding {
  /** The activities with a checkpoint that needs a person. */
  readonly asking: readonly string[];
  /** The names that {@link decidingNames} finds. */
  readonly names: ReadonlySet<string>;
}

/** Creates the function that finds what decides under a policy whether a person is asked. It caches its results. */
export function decidingIn(graph: Graph, modes: readonly Mode[]): KnownGraph['deciding'] {
  return cached((policy) => ({
    asking: [...graph].flatMap(([id, one]) => (personsCheckpointOf(one, policy) === undefined ? [] : [id])),
    names: decidingNames(graph, modes, policy),
  }));
}

/** Returns whether a session that skips an activity could end without another one. */
function mayMiss(graph: Graph, activity: CompiledActivity, other: string): boolean {
  if (mayEnd(graph, activity)) return true;
  return writtenTargets(activity).some(
    (target) =>
      target !== other && reachedWithout(graph, target, other).some((id) => mayEnd(graph, graph.get(id))),
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
    ...activity.checkpoints.flatMap(namesSetByAnswers),
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

/** Something that depends on the values of variables. */
interface Rule {
  readonly reads: readonly string[];
  /** Whether it decides by itself which activity comes next, or whether a person is asked. */
  readonly isDeciding: boolean;
  readonly sets: readonly string[];
}

/**
 * Returns the variables that decide which activity comes next, whether a person is asked or what they are shown, and
 * the variables that set one of these.
 */
function decidingNames(graph: Graph, modes: readonly Mode[], policy: CheckpointPolicy): ReadonlySet<string> {
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

function rulesOf(activity: CompiledActivity, policy: CheckpointPolicy): readonly Rule[] {
  const { checkpoints, loops } = activity;
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const checkpointRule = (checkpoint: SessionCheckpoint): Rule => {
    const isPersons = needsHuman(checkpoint, { gates: policy });
    return {
      reads: [...namesIn(checkpoint.condition), ...(isPersons ? namesShown(checkpoint) : [])],
      isDeciding: isPersons || routesOf(checkpoint).length > 0,
      sets: namesSetByAnswers(checkpoint),
    };
  };
  const stepRule = ({ conditions, checkpoint = '', sets }: PlannedStep): Rule => {
    const declared = byId.get(checkpoint);
    const stop = declared && checkpointRule(declared);
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
      reads: [namesIn(condition), namesIn(breakCondition), over ?? []].flat(),
      isDeciding: activities.length > 0 || inside.some(({ isDeciding }) => isDeciding),
      sets: [variable ?? [], ...inside.map(({ sets }) => sets)].flat(),
    };
  };
  return [
    ...ownTransitions(activity).map(({ condition }) => ({
      reads: namesIn(condition),
      isDeciding: true,
      sets: [],
    })),
    ...checkpoints.map(checkpointRule),
    ...allSteps(activity).map(stepRule),
    ...loops.map(loopRule),
    ...actionsOf(activity).map(({ name, condition }) => ({
      reads: namesIn(condition),
      isDeciding: false,
      sets: [name],
    })),
  ];
}
