import { evaluate, undecided } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import type { CompiledActivity, CompiledLoop, CompiledWay } from './compile-activity.ts';
import { visitsOf } from './evolve.ts';
import { begins, itemAt } from './loop-iterations.ts';
import type { Assignment, Move, Whereabouts } from './navigator.ts';

/** Activities by id. */
export type Graph = ReadonlyMap<string, CompiledActivity>;

/**
 * The ways on from an activity: its loops over activities, then its decisions, then its transitions in order, and its
 * defaults where nothing before them holds. An activity of a loop that has no way of its own leads to the next one of
 * the loop, and after the last come the ways of the activity that has the loop.
 *
 * @see docs/sessions.md#transitions
 */
export function movesFrom(graph: Graph, id: string, at: Whereabouts): readonly Move[] {
  const activity = graph.get(id);
  if (activity === undefined) return [];
  if (hasWays(activity)) return waysOf(activity, at);
  const stay = membership(graph, id, at);
  if (stay === undefined) return [];
  if (stay.next === undefined) return waysOf(stay.host, at);
  return [way({ target: stay.next, when: 'the next of it', by: `loop '${stay.loop.id}'` })];
}

/** The ways along which an activity is passed over: its own decisions and transitions. */
export function movesPast(graph: Graph, id: string, at: Whereabouts): readonly Move[] {
  const activity = graph.get(id);
  return activity === undefined ? [] : ways(activity, [], at);
}

/**
 * Whether one activity can be reached from another, or is the same: by decisions, transitions, loops and the answers to
 * checkpoints, whatever their conditions.
 */
export type Reachability = (from: string, to: string) => boolean;

/** The reachability in a graph; what was found is remembered. */
export function reachabilityOf(graph: Graph): Reachability {
  const known = new Map<string, ReadonlySet<string>>();
  return (from, to) => {
    const reached = known.get(from) ?? reachedFrom(graph, from);
    known.set(from, reached);
    return reached.has(to);
  };
}

function reachedFrom(graph: Graph, from: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const id of reached) {
    for (const target of targetsOf(graph, id)) reached.add(target);
  }
  return reached;
}

/** Activities that an activity may lead to, whatever the conditions. */
export function targetsOf(graph: Graph, id: string): readonly string[] {
  const activity = graph.get(id);
  if (activity === undefined) return [];
  const { decisions, transitions, loops, gates } = activity;
  const written = [...transitions, ...decisions.flatMap(({ ways: branchWays }) => branchWays)];
  const hosts = hasWays(activity)
    ? []
    : [...graph].filter(([, host]) => host.loops.some((loop) => loop.activities.includes(id)));
  return [
    ...written.flatMap(({ target }) => target ?? []),
    ...loops.flatMap(({ activities }) => activities),
    ...gates.flatMap(({ options }) => options.flatMap(({ effect }) => effect?.transitionTo ?? [])),
    // An activity of a loop leads to the others of it, and to where the activity that has the loop leads.
    ...hosts.flatMap(([host, { loops: around }]) => [
      host,
      ...around.flatMap(({ activities }) => activities),
    ]),
  ];
}

/** Whether an activity has ways of its own; one that has none follows the loop it is in. */
export function hasWays({ loops, decisions, transitions }: CompiledActivity): boolean {
  return (
    decisions.length > 0 || transitions.length > 0 || loops.some(({ activities }) => activities.length > 0)
  );
}

interface Membership {
  readonly host: CompiledActivity;
  readonly loop: CompiledLoop;
  readonly next: string | undefined;
}

/**
 * The loop an activity belongs to, for as many visits as the loop may have rounds: without that bound, what leads into
 * the loop from behind could go round for ever.
 */
function membership(graph: Graph, id: string, { visits, skipped }: Whereabouts): Membership | undefined {
  for (const [hostId, host] of graph) {
    for (const loop of hostId === id ? [] : host.loops) {
      const at = loop.activities.indexOf(id);
      if (at < 0 || visitsOf(visits, id) > loop.maxIterations) continue;
      return { host, loop, next: loop.activities.slice(at + 1).find((later) => !skipped.has(later)) };
    }
  }
  return undefined;
}

function waysOf(activity: CompiledActivity, at: Whereabouts): readonly Move[] {
  return ways(activity, repeats(activity, at), at);
}

function ways(activity: CompiledActivity, loops: readonly Move[], at: Whereabouts): readonly Move[] {
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

/** Loops enter their first activity that is not skipped, while they go on. */
function repeats({ loops }: CompiledActivity, at: Whereabouts): readonly Move[] {
  return loops.flatMap((loop) => {
    const first = loop.activities.find((id) => !at.skipped.has(id));
    if (first === undefined) return [];
    const done = visitsOf(at.visits, first);
    const holds = begins(loop, done, at.variables);
    return [
      way({
        target: first,
        when: 'it goes on',
        by: `loop '${loop.id}'`,
        holds,
        sets: itemOf(loop, done, at),
      }),
    ];
  });
}

function itemOf(loop: CompiledLoop, done: number, { variables }: Whereabouts): readonly Assignment[] {
  return Object.entries(itemAt(loop, done, variables)).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: value as Json }],
  );
}

/** A decision takes the first branch whose condition holds, then the default. */
function branches(
  { id, ways: all }: CompiledActivity['decisions'][number],
  at: Whereabouts,
): readonly Move[] {
  const taken =
    all.find(({ condition }) => condition !== undefined && evaluate(condition, at.variables)) ??
    all.find(({ condition }) => condition === undefined);
  return all.flatMap((branch) => moveOf(branch, at, { by: `decision '${id}'`, holds: branch === taken }));
}

function moveOf(
  { target, condition, when }: CompiledWay,
  at: Whereabouts,
  more: Partial<Move> = {},
): readonly Move[] {
  if (target === undefined) return [];
  const judged =
    condition === undefined
      ? {}
      : { holds: evaluate(condition, at.variables), undecided: undecided(condition, at.variables) };
  return [way({ target, when, ...judged, ...more })];
}

function way(move: Pick<Move, 'target' | 'when'> & Partial<Move>): Move {
  return { holds: true, undecided: [], sets: [], ...move };
}
