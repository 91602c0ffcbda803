import { evaluate, lookUp, undecided } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import type { CompiledActivity, CompiledLoop, CompiledWay } from './compile-activity.ts';
import { visitsOf } from './evolve.ts';
import type { Assignment, Move, Whereabouts } from './navigator.ts';

/** Activities by id. */
export type Graph = ReadonlyMap<string, CompiledActivity>;

/**
 * The ways on from an activity: its loops over activities, then its decisions, then its transitions in order, and its
 * defaults where nothing before them holds. An activity of a loop that has no way of its own leads to the next one of
 * the loop, and after the last come the ways of the activity that has the loop.
 *
 * @see docs/sessions.md#ways-on
 */
export function movesFrom(graph: Graph, id: string, at: Whereabouts): readonly Move[] {
  return inherited(graph, id, { at, movesOf: (activity) => ways(activity, repeats(activity, at), at) });
}

/** The ways along which an activity is passed over: its own, but for the loops it would run. */
export function movesPast(graph: Graph, id: string, at: Whereabouts): readonly Move[] {
  return inherited(graph, id, { at, movesOf: (activity) => ways(activity, [], at) });
}

/** How many rounds a loop may have. */
export function roundsOf(
  { type, over, maxIterations }: CompiledLoop,
  at: Pick<Whereabouts, 'variables'>,
): number {
  const list = type === 'forEach' && over !== undefined ? lookUp(at.variables, over) : undefined;
  return Array.isArray(list) ? Math.min(list.length, maxIterations) : maxIterations;
}

function inherited(
  graph: Graph,
  id: string,
  on: { at: Whereabouts; movesOf: (activity: CompiledActivity) => readonly Move[] },
): readonly Move[] {
  const passed = new Set<string>();
  let here: string | undefined = id;
  while (here !== undefined && !passed.has(here)) {
    passed.add(here);
    const activity = graph.get(here);
    if (activity !== undefined && hasWays(activity)) return on.movesOf(activity);
    const stay = membership(graph, here, on.at);
    if (stay?.next !== undefined) {
      return [way({ target: stay.next, when: 'the next of it', by: `loop '${stay.loop.id}'` })];
    }
    here = stay?.host;
  }
  return [];
}

function hasWays({ loops, decisions, transitions }: CompiledActivity): boolean {
  return (
    decisions.length > 0 || transitions.length > 0 || loops.some(({ activities }) => activities.length > 0)
  );
}

interface Membership {
  readonly host: string;
  readonly loop: CompiledLoop;
  readonly next: string | undefined;
}

/** The loop an activity belongs to, for as many visits as the loop may have rounds: without that bound it could go round for ever. */
function membership(graph: Graph, id: string, { visits }: Whereabouts): Membership | undefined {
  for (const [host, { loops }] of graph) {
    for (const loop of loops) {
      const at = loop.activities.indexOf(id);
      if (at >= 0 && host !== id && visitsOf(visits, id) <= loop.maxIterations) {
        return { host, loop, next: loop.activities[at + 1] };
      }
    }
  }
  return undefined;
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
    const holds = done < roundsOf(loop, at) && goesOn(loop, done, at);
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

function goesOn(
  { type, condition, breakCondition }: CompiledLoop,
  done: number,
  { variables }: Whereabouts,
): boolean {
  if (type === 'doWhile' && done === 0) return true;
  if (breakCondition !== undefined && evaluate(breakCondition, variables)) return false;
  return condition === undefined || evaluate(condition, variables);
}

function itemOf(
  { type, over, variable }: CompiledLoop,
  done: number,
  at: Whereabouts,
): readonly Assignment[] {
  if (type !== 'forEach' || over === undefined || variable === undefined) return [];
  const list = lookUp(at.variables, over);
  const value = Array.isArray(list) ? (list[done] as Json | undefined) : undefined;
  return value === undefined ? [] : [{ name: variable, value }];
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
