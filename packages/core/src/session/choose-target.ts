import { reservedTargets } from '@workflowlookup/schema';
import type { Ahead, Move, Navigator, Whereabouts } from './navigator.ts';

/** What a session is to move to: an activity, or the end. */
export type Target = ActivityTarget | { readonly kind: 'end' };

/** An activity a session is to move to. */
export interface ActivityTarget {
  readonly kind: 'activity';
  readonly id: string;
}

/** A legal way on: where it leads once skipped activities are passed over, and the move it begins with. */
export interface Way {
  readonly target: Target;
  /** Absent where the answer to a checkpoint leads there. */
  readonly move?: Move;
}

/** The target a word names; an activity keeps the word where the workflow has none of that name. */
export function targetOf(navigator: Navigator, word: string, at: Whereabouts): Target {
  const id = navigator.find(word, at);
  if (id === undefined && reservedTargets.includes(word)) return { kind: 'end' };
  return { kind: 'activity', id: id ?? word };
}

/** A word that means the end in this workflow; `undefined` where it has activities of all these names. */
export function wordOfEnd(navigator: Navigator, at: Whereabouts): string | undefined {
  return reservedTargets.find((word) => targetOf(navigator, word, at).kind === 'end');
}

/**
 * The legal ways on, in the order in which they are tried. Where the answer to a checkpoint expects an activity, that is
 * the only one.
 */
export function legalWays(
  navigator: Navigator,
  at: Whereabouts,
  on: { readonly ahead: Ahead; readonly expected?: string | undefined },
): readonly Way[] {
  if (on.expected !== undefined) {
    return [{ target: passOver(navigator, targetOf(navigator, on.expected, at), at) }];
  }
  return on.ahead.moves
    .filter(({ holds }) => holds)
    .map((move) => ({ target: passOver(navigator, targetOf(navigator, move.target, at), at), move }));
}

/** Whether two targets are the same. */
export function sameTarget(one: Target, other: Target): boolean {
  return one.kind === 'activity' ? other.kind === 'activity' && one.id === other.id : other.kind === 'end';
}

/**
 * A skipped activity is passed over along its own ways; where none is left, or they go round, that is the end. One that
 * has to be entered then is the target itself.
 */
function passOver(navigator: Navigator, target: Target, at: Whereabouts): Target {
  const passed = new Set<string>();
  let here = target;
  while (here.kind === 'activity' && at.skipped.has(here.id)) {
    const { id } = here;
    const move = passed.has(id) ? undefined : navigator.past(id, at).find(({ holds }) => holds);
    if (move === undefined) return at.needed?.has(id) === true ? here : { kind: 'end' };
    passed.add(id);
    here = targetOf(navigator, move.target, at);
  }
  return here;
}

/** Moves as people read them; of several that say the same, one. */
export function describeMoves(moves: readonly Move[]): string {
  if (moves.length === 0) return 'none: the workflow ends here';
  const told = new Map<string, Move>();
  for (const move of moves) {
    const key = `${move.target} ${move.when}`;
    if (!told.has(key)) told.set(key, move);
  }
  return [...told.values()].map((move) => `${move.target} (${reasonOf(move)})`).join(', ');
}

/** Legal ways as people read them. */
export function describeWays(ways: readonly Way[]): string {
  if (ways.length === 0) return 'the end';
  return ways.map((way) => `${nameOf(way.target)} (${whyOf(way)})`).join(', ');
}

/** What leads along a move, with the decision or loop it comes from. */
export function reasonOf({ when, by }: Move): string {
  return by === undefined ? when : `${by}: ${when}`;
}

function nameOf(target: Target): string {
  return target.kind === 'end' ? 'the end' : target.id;
}

function whyOf({ target, move }: Way): string {
  if (move === undefined) return 'the answer to a checkpoint leads there';
  const isDirect = target.kind === 'end' || target.id === move.target;
  return isDirect ? reasonOf(move) : `${reasonOf(move)}; '${move.target}' is skipped`;
}
