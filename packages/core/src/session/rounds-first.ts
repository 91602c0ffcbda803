import type { Bodies } from './activity-loops.ts';
import type { Graph } from './graph-moves.ts';
import type { Move, MoveOrigin, Whereabouts } from './navigator.ts';
import { personsCheckpointOf, reachedWithout } from './passed-by.ts';

/** A loop over activities, and the activity that has it. */
type LoopOrigin = Required<Pick<MoveOrigin, 'activity' | 'loop'>>;

/**
 * Closes the decisions and transitions of an activity while one of its loops has a round left in which a person could be
 * asked: an agent could otherwise name one of them and pass the questions of that round.
 *
 * @see docs/sessions.md#loops-over-activities
 */
export function roundsFirst(
  graph: Graph,
  bodies: Bodies,
  { moves, at }: { readonly moves: readonly Move[]; readonly at: Whereabouts },
): readonly Move[] {
  const left = moves.flatMap(({ holds, from }): readonly LoopOrigin[] => {
    if (!holds || from?.loop === undefined || from.isRound !== true) return [];
    const round = { activity: from.activity, loop: from.loop };
    return mayAsk(graph, bodies, { round, at }) ? [round] : [];
  });
  if (left.length === 0) return moves;
  return moves.map((move) => {
    if (!move.holds || move.from?.loop !== undefined) return move;
    const before = left.find(({ activity }) => activity === (move.from?.activity ?? at.current));
    return before === undefined ? move : { ...move, holds: false, before };
  });
}

/** Whether a person could be asked in a round of a loop. */
function mayAsk(
  graph: Graph,
  bodies: Bodies,
  { round: { activity: host, loop }, at }: { readonly round: LoopOrigin; readonly at: Whereabouts },
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
