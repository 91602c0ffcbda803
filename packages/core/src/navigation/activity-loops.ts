import { visitsOf } from '../session/evolve.ts';
import { begins } from '../session/loop-iterations.ts';
import type { RunningLoop } from '../session/session-event.ts';
import type { CompiledActivity, CompiledLoop } from './compile-activity.ts';
import type { CandidateTransition, TransitionOrigin, SessionPosition } from './navigator.ts';
import { personsCheckpointOf, reachedWithout } from './passed-checkpoints.ts';
import type { Graph, PositionInLoops } from './transitions.ts';
import {
  hasTransitions,
  homesOf,
  isRunOf,
  laterIn,
  loopsWith,
  ownTargets,
  reachedFrom,
  roundsOf,
  targetsOf,
  writtenTargets,
} from './transitions.ts';

/** Returns the activities that belong to the loops of a host. */
export type Bodies = (host: string) => ReadonlySet<string>;

/** Returns the loops over activities that a session is in, the one whose round began last at the end. */
export function runningLoops(graph: Graph, bodies: Bodies, at: SessionPosition): readonly RunningLoop[] {
  if (at.loops !== undefined) return at.loops;
  // A journal of an older version has no rounds: there they were counted by visits.
  const { current, visits, skipped } = at;
  return [...graph].flatMap(([activity, compiled]) => {
    const { loops } = compiled;
    const isHere = current !== undefined && membersOf(compiled).length > 0;
    if (!isHere || (current !== activity && !bodies(activity).has(current))) return [];
    return loops.flatMap(({ id: loop, activities }) => {
      const first = activities.find((id) => !skipped.has(id));
      const rounds = first === undefined ? 0 : visitsOf(visits, first);
      return rounds === 0 ? [] : [{ activity, loop, rounds }];
    });
  });
}

/**
 * The loops that a session is in after a move. It stays in a loop along the loop's own moves, and along the transitions of
 * the loop's activities to each other and back to the host. Any other move leaves the loop: the next entry begins with the
 * first round.
 *
 * @see docs/sessions.md#loops-over-activities
 */
export function loopsAfter(
  running: readonly RunningLoop[],
  bodies: Bodies,
  {
    from,
    to,
    move,
  }: {
    readonly from: string | undefined;
    readonly to: string;
    readonly move: Pick<CandidateTransition, 'from'> | undefined;
  },
): readonly RunningLoop[] {
  const { activity: origin = from, loop, isRound } = move?.from ?? {};
  const goesOn = (host: string): boolean => {
    if (loop !== undefined && origin === host) return true;
    const body = bodies(host);
    return origin !== undefined && body.has(origin) && (to === host || body.has(to));
  };
  const kept = running.filter(({ activity }) => goesOn(activity));
  if (isRound !== true || origin === undefined || loop === undefined) return kept;
  const others = kept.filter((one) => one.activity !== origin || one.loop !== loop);
  return [...others, { activity: origin, loop, rounds: roundsOf(kept, origin, loop) + 1 }];
}

/** An activity that a session may reach, with the loops it is in there. */
interface GraphPosition {
  readonly id: string;
  readonly loops: readonly RunningLoop[];
}

/**
 * Returns whether one activity can be reached from another for a session in these loops. A running loop without rounds
 * left leads to none of its activities until the session has left it.
 */
export function leadsInRounds(
  graph: Graph,
  bodies: Bodies,
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: PositionInLoops },
): boolean {
  const spots = new Map([['', { id: from, loops: at.loops }]]);
  for (const spot of spots.values()) {
    if (spot.id === to) return true;
    for (const next of positionsAfter(graph, bodies, { spot, at })) spots.set(JSON.stringify(next), next);
  }
  return false;
}

/** The activities that come next whatever the conditions. One that is passed has no transitions, so its host's come next. */
function positionsAfter(
  graph: Graph,
  bodies: Bodies,
  {
    spot: { id, loops },
    at,
    passed = [],
  }: { readonly spot: GraphPosition; readonly at: PositionInLoops; readonly passed?: readonly string[] },
): readonly GraphPosition[] {
  const activity = graph.get(id);
  if (activity === undefined || passed.includes(id)) return [];
  const spot = (to: string, from?: TransitionOrigin): GraphPosition => {
    const move = from === undefined ? undefined : { from };
    return { id: to, loops: loopsAfter(loops, bodies, { from: id, to, move }) };
  };
  const hasRound = (loop: CompiledLoop): boolean => {
    const isRunning = loops.some((run) => isRunOf(run, { host: id, loop }));
    return !isRunning || begins(loop, roundsOf(loops, id, loop.id), at.variables);
  };
  const own = passed.length === 0 ? ownTargets(activity) : writtenTargets(activity);
  const next = [
    ...own.map((to) => spot(to)),
    ...activity.loops
      .filter(hasRound)
      .flatMap((loop) => loop.activities.map((to) => spot(to, { activity: id, loop: loop.id }))),
  ];
  if (hasTransitions(activity)) return next;
  return [
    ...next,
    ...homesOf(graph, id, loops).flatMap(({ host, loop }) => [
      ...(laterIn(loop, id) ?? []).map((to) => spot(to, { activity: host, loop: loop.id })),
      ...positionsAfter(graph, bodies, { spot: { id: host, loops }, at, passed: [...passed, id] }),
    ]),
  ];
}

/**
 * The activities that belong to the loops of a host: those the loops name, those of their own loops, and those that can't
 * be reached without going through one of these.
 */
export function bodiesIn(graph: Graph, initial: string | undefined): Bodies {
  const known = new Map<string, ReadonlySet<string>>();
  return (host) => {
    const found = known.get(host) ?? bodyOf(graph, initial, host);
    known.set(host, found);
    return found;
  };
}

function bodyOf(graph: Graph, initial: string | undefined, host: string): ReadonlySet<string> {
  const members = insideOf(graph, host);
  const stops = new Set([...members, host]);
  const reached = (from: readonly string[]): ReadonlySet<string> =>
    reachedFrom(
      graph,
      from.filter((id) => !stops.has(id)),
      stops,
    );
  const outside = reached([...(initial === undefined ? [] : [initial]), ...targetsOf(graph, host)]);
  const behind = reached([...members].flatMap((id) => targetsOf(graph, id)));
  return new Set([...members, ...[...behind].filter((id) => !outside.has(id))]);
}

/**
 * Returns a graph whose loops know their ends: the activities without transitions that belong to a loop which does not
 * name them. The loop continues after them as after the activity that leads there.
 */
export function withEnds(graph: Graph, bodies: Bodies): Graph {
  const last = [...graph].flatMap(([id, activity]) =>
    hasTransitions(activity) || loopsWith(graph, id).length > 0 ? [] : [id],
  );
  const endsOf = (
    host: string,
    { activities }: CompiledLoop,
  ): readonly (readonly [string, string | undefined])[] =>
    last.flatMap((id) => {
      // A loop around the host continues with rounds of its own. As an end it would begin this loop again without a bound.
      if (!bodies(host).has(id) || insideOf(graph, id).has(host)) return [];
      const stops = [host, ...insideOf(graph, host)];
      const leading = stops.filter((member) => reachedWithout(graph, member, ...stops).includes(id));
      if (!leading.some((member) => activities.includes(member))) return [];
      return [[id, leading.length === 1 ? leading[0] : undefined]];
    });
  return new Map(
    [...graph].map(([host, activity]) => {
      const loops = activity.loops.map((loop) => {
        const ends = loop.activities.length === 0 ? [] : endsOf(host, loop);
        return ends.length === 0 ? loop : { ...loop, ends: new Map(ends) };
      });
      return [host, { ...activity, loops }];
    }),
  );
}

/** The activities that the loops of a host name, and those that their own loops name. */
function insideOf(graph: Graph, host: string): ReadonlySet<string> {
  const members = new Set(membersOf(graph.get(host)));
  for (const id of members) for (const inner of membersOf(graph.get(id))) members.add(inner);
  members.delete(host);
  return members;
}

function membersOf(activity: CompiledActivity | undefined): readonly string[] {
  return activity?.loops.flatMap(({ activities }) => activities) ?? [];
}

type LoopOrigin = Required<Pick<TransitionOrigin, 'activity' | 'loop'>>;

/** A round that is left, with its position among the moves. */
interface RoundLeft {
  readonly round: LoopOrigin;
  readonly position: number;
}

/**
 * Closes the later loops, the decisions and the transitions of an activity while one of its loops has a round left in
 * which a person could be asked: an agent could otherwise name one of them and pass the questions of that round.
 *
 * @see docs/sessions.md#loops-over-activities
 */
export function roundsFirst(
  graph: Graph,
  bodies: Bodies,
  { moves, at }: { readonly moves: readonly CandidateTransition[]; readonly at: SessionPosition },
): readonly CandidateTransition[] {
  const left = moves.flatMap(({ holds, from }, position): readonly RoundLeft[] => {
    if (!holds || from?.loop === undefined || from.isRound !== true) return [];
    const round = { activity: from.activity, loop: from.loop };
    return mayAsk(graph, bodies, { round, at }) ? [{ round, position }] : [];
  });
  if (left.length === 0) return moves;
  return moves.map((move, position) => {
    const { holds, from: { activity = at.current, loop, isRound } = {} } = move;
    if (!holds || (loop !== undefined && isRound !== true)) return move;
    const before = left.find((one) => one.round.activity === activity && one.position < position)?.round;
    return before === undefined ? move : { ...move, holds: false, before };
  });
}

/** Returns whether a person could be asked in a round of a loop. */
function mayAsk(
  graph: Graph,
  bodies: Bodies,
  { round: { activity: host, loop }, at }: { readonly round: LoopOrigin; readonly at: SessionPosition },
): boolean {
  const { loops = [] } = graph.get(host) ?? {};
  const members = loops.find(({ id }) => id === loop)?.activities ?? [];
  const others = loops.flatMap(({ activities }) => activities).filter((id) => !members.includes(id));
  const body = bodies(host);
  return members
    .flatMap((member) => reachedWithout(graph, member, host, ...others))
    .some((id) => {
      const activity = graph.get(id);
      if (activity === undefined || !body.has(id) || at.skipped.has(id)) return false;
      return personsCheckpointOf(activity, at.gates ?? 'declared') !== undefined;
    });
}
