import type { Condition, Context } from '@workflowlookup/conditions';
import { evaluate, lookUp, undecided, variablesOf } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { visitsOf } from '../session/evolve.ts';
import { begins, itemAt } from '../session/outputs/loop-iterations.ts';
import type { RunningLoop } from '../session/session-event.ts';
import type { CompiledActivity, CompiledLoop, CompiledTransition } from './compile-workflow.ts';
import type { Assignment, CandidateTransition, SessionPosition } from './navigator.ts';
import { transitionTexts } from '../messages/sessions.ts';

export type Graph = ReadonlyMap<string, CompiledActivity>;

/** The position of a session with the loops over activities that it is in. */
export type PositionInLoops = SessionPosition & Pick<Required<SessionPosition>, 'loops'>;

/**
 * Returns the possible transitions from an activity: its loops over activities, then its decisions, then its
 * transitions in order, and its defaults if none of these is open. An activity of a loop that has no decisions or
 * transitions leads to the next one of the loop, and the last one to the transitions of the activity that has the loop.
 *
 * @see docs/sessions.md#transitions
 */
export function movesFrom(graph: Graph, id: string, at: PositionInLoops): readonly CandidateTransition[] {
  return follow(graph, id, at, new Set());
}

function follow(
  graph: Graph,
  id: string,
  at: PositionInLoops,
  passed: ReadonlySet<string>,
): readonly CandidateTransition[] {
  const activity = graph.get(id);
  if (activity === undefined || passed.has(id)) return [];
  const own = transitionsOf(activity, repeats(id, activity, at), at);
  if (hasTransitions(activity)) return own;
  // Its own loops come first, like those of an activity with transitions.
  const isOpen = own.some(({ holds }) => holds);
  const on = movesInLoop(graph, id, at, passed);
  return [...own, ...on.map((move) => ({ ...move, holds: move.holds && !isOpen }))];
}

/** Returns the moves by which the loop that an activity belongs to continues after it. */
function movesInLoop(
  graph: Graph,
  id: string,
  at: PositionInLoops,
  passed: ReadonlySet<string> = new Set(),
): readonly CandidateTransition[] {
  const stay = membership(graph, id, at);
  if (stay === undefined) return [];
  const { host, loop, next } = stay;
  const from = { activity: host };
  if (next === undefined) {
    const moves = follow(graph, host, at, new Set([...passed, id]));
    return moves.map((move) => ({ ...move, from: move.from ?? from }));
  }
  return [
    transitionTo({
      target: next,
      when: transitionTexts.nextInLoop(),
      by: transitionTexts.loop(loop.id),
      from: { ...from, loop: loop.id },
    }),
  ];
}

/**
 * The activity at which {@link movesFrom} finds nothing because the loop that it is part of has no iterations left for
 * it.
 */
export function closedAt(graph: Graph, id: string, at: PositionInLoops): string | undefined {
  const passed = new Set<string>();
  for (let here = id; !passed.has(here);) {
    passed.add(here);
    const activity = graph.get(here);
    if (activity === undefined || hasTransitions(activity)) return undefined;
    const stay = membership(graph, here, at);
    if (stay === undefined) return loopsWith(graph, here).length === 0 ? undefined : here;
    if (stay.next !== undefined) return undefined;
    here = stay.host;
  }
  return id;
}

/**
 * Returns the decisions and transitions by which a skipped activity is passed over. Without any, the loop that the session
 * is in continues. Another loop that the activity is part of does not: skips are no visits, so it could repeat for ever.
 */
export function movesPast(graph: Graph, id: string, at: PositionInLoops): readonly CandidateTransition[] {
  const activity = graph.get(id);
  if (activity === undefined) return [];
  if (hasTransitions(activity)) return transitionsOf(activity, [], at);
  const isInside = homesOf(graph, id, at.loops).some((one) => at.loops.some((run) => isRunOf(run, one)));
  return isInside ? movesInLoop(graph, id, at) : [];
}

/**
 * Returns what follows an activity that has no loops over activities and is in none, if all variables that its decisions
 * and transitions read are fixed. Without a target it is the end.
 */
export function settledNext(
  graph: Graph,
  id: string,
  variables: Context,
  isFixed: (name: string) => boolean,
): { readonly target?: string } | undefined {
  const activity = graph.get(id);
  if (activity === undefined || loopsWith(graph, id).length > 0) return undefined;
  if (activity.loops.some(({ activities }) => activities.length > 0)) return undefined;
  const read = ownTransitions(activity).flatMap(({ condition }) => namesIn(condition));
  if (!read.every(isFixed)) return undefined;
  const at = { current: id, completed: [], visits: {}, skipped: new Set<string>(), variables };
  const move = transitionsOf(activity, [], at).find(({ holds }) => holds);
  return move === undefined ? {} : { target: move.target };
}

/**
 * Tells whether one activity is another or can be reached from it by decisions, transitions, loops and the answers to
 * checkpoints, whatever their conditions.
 */
export type Reachability = (from: string, to: string) => boolean;

/** Creates the reachability function of a graph. It caches its results. */
export function reachabilityOf(graph: Graph): Reachability {
  const reached = cached((from: string) => reachedFrom(graph, [from]));
  return (from, to) => reached(from).has(to);
}

/** Returns a function that computes each of its results once. */
export function cached<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

/** Returns some activities and all that can be reached from them without entering certain others. */
export function reachedFrom(
  graph: Graph,
  from: readonly string[],
  without: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const reached = new Set(from);
  for (const id of reached) {
    for (const target of targetsOf(graph, id)) if (!without.has(target)) reached.add(target);
  }
  return reached;
}

/** Activities that an activity may lead to, whatever the conditions. */
export function targetsOf(graph: Graph, id: string): readonly string[] {
  const activity = graph.get(id);
  if (activity === undefined) return [];
  const hosts = hasTransitions(activity)
    ? []
    : [...graph].filter(([, host]) => host.loops.some((loop) => isInLoop(loop, id)));
  return [
    ...ownTargets(activity),
    ...activity.loops.flatMap(({ activities }) => activities),
    // An activity of a loop leads to the others of it, and to the targets of the activity that has the loop.
    ...hosts.flatMap(([host, { loops: around }]) => [
      host,
      ...around.flatMap(({ activities }) => activities),
    ]),
  ];
}

export function ownTargets(activity: CompiledActivity): readonly string[] {
  const answers = activity.checkpoints.flatMap(({ options }) =>
    options.flatMap(({ effect }) => effect?.transitionTo ?? []),
  );
  return [...writtenTargets(activity), ...answers];
}

export function writtenTargets(activity: CompiledActivity): readonly string[] {
  return ownTransitions(activity).flatMap(({ target }) => target ?? []);
}

export function ownTransitions({
  decisions,
  transitions,
}: CompiledActivity): CompiledActivity['transitions'] {
  return [...transitions, ...decisions.flatMap((decision) => decision.branches)];
}

/** Returns whether an activity has decisions or transitions of its own. One that has none follows the loop it is in. */
export function hasTransitions({ decisions, transitions }: CompiledActivity): boolean {
  return decisions.length > 0 || transitions.length > 0;
}

/** Returns whether a loop names an activity, or has it as an end. */
function isInLoop({ activities, ends }: CompiledLoop, id: string): boolean {
  return activities.includes(id) || ends?.has(id) === true;
}

/** A loop over activities, and the activity that has it. */
interface Home {
  readonly host: string;
  readonly loop: CompiledLoop;
}

interface Membership extends Home {
  readonly next: string | undefined;
}

/**
 * Returns the loop that an activity belongs to. A running loop comes first, the one with the latest iteration before
 * others. If none is running, it is the first loop of the activity, but only while the activity has no more visits than
 * the loop may have iterations; without that limit, a transition into the loop could repeat it for ever. Passing an
 * activity is not a visit, so the limit has no effect then. For such an activity, a loop that does not name it counts
 * only if it is running.
 */
function membership(
  graph: Graph,
  id: string,
  { current, visits, skipped, loops: running }: PositionInLoops,
): Membership | undefined {
  const isRunning = (one: Home): boolean => running.some((run) => isRunOf(run, one));
  const mayBegin = ({ loop }: Home): boolean =>
    (id === current || loop.activities.includes(id)) && visitsOf(visits, id) <= loop.maxIterations;
  const found = homesOf(graph, id, running).find(
    (one) => laterIn(one.loop, id) !== undefined && (isRunning(one) || mayBegin(one)),
  );
  if (found === undefined) return undefined;
  const next = laterIn(found.loop, id)?.find((later) => !skipped.has(later));
  return { ...found, next };
}

/** Returns the activities of a loop that come after one of them, or after an end of it. `undefined` if nothing says which. */
export function laterIn({ activities, ends }: CompiledLoop, id: string): readonly string[] | undefined {
  const last = activities.includes(id) ? id : ends?.get(id);
  return last === undefined ? undefined : activities.slice(activities.indexOf(last) + 1);
}

/**
 * The loops that an activity may belong to: the one that the session is in, the latest iteration first, or else all.
 */
export function homesOf(graph: Graph, id: string, running: readonly RunningLoop[]): readonly Home[] {
  const all = loopsWith(graph, id);
  const last = running.findLast((run) => all.some((one) => isRunOf(run, one)));
  return last === undefined ? all : all.filter((one) => isRunOf(last, one));
}

/** The loops of other activities that an activity is part of. */
export function loopsWith(graph: Graph, id: string): readonly Home[] {
  return [...graph].flatMap(([host, { loops }]) =>
    host === id ? [] : loops.filter((loop) => isInLoop(loop, id)).map((loop) => ({ host, loop })),
  );
}

export function isRunOf({ activity, loop }: RunningLoop, one: Home): boolean {
  return activity === one.host && loop === one.loop.id;
}

function transitionsOf(
  activity: CompiledActivity,
  loops: readonly CandidateTransition[],
  at: SessionPosition,
): readonly CandidateTransition[] {
  const offered = [
    ...loops,
    ...activity.decisions.flatMap((decision) => branches(decision, at)),
    ...activity.transitions
      .filter(({ condition }) => condition !== undefined)
      .flatMap((one) => moveOf(one, at)),
  ];
  const isOpen = offered.some(({ holds }) => holds);
  const defaults = activity.transitions
    .filter(({ condition }) => condition === undefined)
    .flatMap((one) => moveOf(one, at, { holds: !isOpen }));
  return [...offered, ...defaults];
}

/** Returns the moves by which the loops of an activity begin or repeat: to their first activity that is not skipped. */
function repeats(
  activity: string,
  { loops }: CompiledActivity,
  at: PositionInLoops,
): readonly CandidateTransition[] {
  return loops.flatMap((loop) => {
    const first = loop.activities.find((id) => !at.skipped.has(id));
    if (first === undefined) return [];
    const done = iterationsBegun(at.loops, activity, loop.id);
    const holds = begins(loop, done, at.variables);
    const isCut = !holds && begins({ ...loop, maxIterations: done + 1 }, done, at.variables);
    return [
      transitionTo({
        target: first,
        when: transitionTexts.anotherIteration(),
        by: transitionTexts.loop(loop.id),
        holds,
        ...(isCut && { limit: loop.maxIterations }),
        sets: itemOf(loop, done, at),
        from: { activity, loop: loop.id, beginsIteration: true },
      }),
    ];
  });
}

/** Returns how many iterations of a loop began since it was entered. */
export function iterationsBegun(running: readonly RunningLoop[], activity: string, loop: string): number {
  return running.find((one) => one.activity === activity && one.loop === loop)?.rounds ?? 0;
}

function itemOf(loop: CompiledLoop, done: number, { variables }: SessionPosition): readonly Assignment[] {
  return Object.entries(itemAt(loop, done, variables)).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: value as Json }],
  );
}

/** Returns the branches of a decision. The first one whose condition is true is taken, or else the default. */
function branches(
  { id, branches: all }: CompiledActivity['decisions'][number],
  at: SessionPosition,
): readonly CandidateTransition[] {
  const taken =
    all.find(({ condition }) => condition !== undefined && evaluate(condition, at.variables)) ??
    all.find(({ condition }) => condition === undefined);
  return all.flatMap((branch) =>
    moveOf(branch, at, { by: transitionTexts.decision(id), holds: branch === taken }),
  );
}

function moveOf(
  { target, condition, when }: CompiledTransition,
  at: SessionPosition,
  more: Partial<CandidateTransition> = {},
): readonly CandidateTransition[] {
  if (target === undefined) return [];
  const judged =
    condition === undefined
      ? {}
      : { holds: evaluate(condition, at.variables), undecided: unsetIn(condition, at.variables) };
  return [transitionTo({ target, when, ...judged, ...more })];
}

/** The variables that a condition reads. */
export function namesIn(condition: Condition | undefined): readonly string[] {
  return condition === undefined ? [] : [...variablesOf(condition)];
}

/** Returns the unset variables that keep a condition from being decided. `null` counts as unset. */
function unsetIn(condition: Condition, variables: Context): readonly string[] {
  if (evaluate(condition, variables)) return [];
  const isNull = [...variablesOf(condition)].some((name) => lookUp(variables, name) === null);
  return undecided(condition, isNull ? withoutNulls(variables) : variables);
}

function withoutNulls(values: Context): Context {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === null) return [];
      const isObject = typeof value === 'object' && !Array.isArray(value);
      return [[name, isObject ? withoutNulls(value as Context) : value]];
    }),
  );
}

function transitionTo(
  move: Pick<CandidateTransition, 'target' | 'when'> & Partial<CandidateTransition>,
): CandidateTransition {
  return { holds: true, undecided: [], sets: [], ...move };
}
