import { rootOf } from '../root-of.ts';
import type { Account } from './account-for.ts';
import { accountFor } from './account-for.ts';
import type { Way } from './choose-target.ts';
import { legalWays } from './choose-target.ts';
import type { SessionCommand } from './command.ts';
import type { Ahead, GatePolicy, Navigator, Place, Whereabouts } from './navigator.ts';
import type { SessionState } from './session-state.ts';
import { guardedNames } from './ownership.ts';
import type { Before, Values } from './variables.ts';
import { assign, withModeDefaults } from './variables.ts';
import { heldLists } from './loop-iterations.ts';
import { whereabouts } from './whereabouts.ts';

/** Asks a session to move on. */
export type MoveCommand = Extract<SessionCommand, { kind: 'move' }>;

/** A move under consideration. */
export interface Prospect {
  readonly state: SessionState;
  readonly command: MoveCommand;
  readonly navigator: Navigator;
  /** Which checkpoints need a person. */
  readonly gates: GatePolicy;
  /** The activity that is being left, and what the manifest makes of it. */
  readonly work: { readonly place: Place; readonly account: Account } | undefined;
  /** What the move sets before it enters anything: by the caller, by steps, by leaving, by modes that come into force. */
  readonly values: Values;
  /** The names among them that actions of the definition set. */
  readonly acted: ReadonlySet<string>;
  /** The session, with the names that no mode may fill in this call. */
  readonly before: Before;
  /** Where the session stands with these values. */
  readonly here: Whereabouts;
  readonly ahead: Ahead;
  readonly ways: readonly Way[];
}

/** Looks at a move: the caller's values come first, then what was done is gone through, then the ways are judged. */
export function consider(
  state: SessionState,
  command: MoveCommand,
  navigator: Navigator,
  gates: GatePolicy = 'declared',
): Prospect {
  const before = { ...state, guarded: navigator.modes.length === 0 ? none : guardedNames(state, navigator) };
  const given = withModeDefaults(navigator, before, command.variables ?? {});
  const work = workOf(state, command, { navigator, given, gates });
  const done = withModeDefaults(navigator, before, { ...given, ...work?.account.values });
  const left = state.current === undefined ? [] : navigator.sets(state.current, 'exit');
  const leaving = assign(left, { ...state.variables, ...done });
  const values = withModeDefaults(navigator, before, { ...done, ...leaving });
  const acted = new Set([...Object.keys(work?.account.values ?? {}), ...Object.keys(leaving)]);
  const here = whereabouts(state, navigator, values, { acted, gates });
  const ahead = navigator.ahead(here);
  const ways = legalWays(navigator, here, { ahead, expected: state.expected });
  return { state, command, navigator, gates, work, values, acted, before, here, ahead, ways };
}

const none: ReadonlySet<string> = new Set();

function workOf(
  state: SessionState,
  { manifest }: MoveCommand,
  { navigator, given, gates }: { navigator: Navigator; given: Values; gates: GatePolicy },
): Prospect['work'] {
  if (state.current === undefined) return undefined;
  const place = placeWith(state, navigator, { activity: state.current, given });
  return { place, account: accountFor(place, manifest, gates) };
}

/** An activity of a session as the values of a move make it. */
export function placeWith(
  state: SessionState,
  navigator: Navigator,
  { activity, given }: { readonly activity: string; readonly given: Values },
): Place {
  const place = navigator.place(activity, whereabouts(state, navigator, given));
  const lists = heldLists(place, { before: state.variables, given });
  const examples = navigator.enforcement === 'strict' ? [] : listsNobodySet(place, { state, given });
  return {
    ...place,
    ...(lists === undefined ? {} : { lists }),
    ...(examples.length === 0 ? {} : { examples }),
  };
}

/** Lists of loops that are what the definition begins with. Whoever sets one says that there is work to do. */
function listsNobodySet(
  { loops }: Place,
  { state, given }: { readonly state: SessionState; readonly given: Values },
): readonly string[] {
  const set = new Set([...state.assigned, ...Object.keys(given)]);
  return loops.flatMap(({ over }) => (over === undefined || set.has(rootOf(over)) ? [] : [over]));
}

/** Variables nobody set and that could still open a way. */
export function undecidedOf({ moves }: Ahead): readonly string[] {
  return [...new Set(moves.flatMap(({ undecided }) => undecided))];
}
