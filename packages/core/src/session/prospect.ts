import type { Account } from './account-for.ts';
import { accountFor } from './account-for.ts';
import type { Way } from './choose-target.ts';
import { legalWays } from './choose-target.ts';
import type { SessionCommand } from './command.ts';
import type { Ahead, Navigator, Place, Whereabouts } from './navigator.ts';
import type { SessionState } from './session-state.ts';
import type { Values } from './variables.ts';
import { assign, withModeDefaults } from './variables.ts';
import { whereabouts } from './whereabouts.ts';

/** Asks a session to move on. */
export type MoveCommand = Extract<SessionCommand, { kind: 'move' }>;

/** A move under consideration. */
export interface Prospect {
  readonly state: SessionState;
  readonly command: MoveCommand;
  readonly navigator: Navigator;
  /** The activity that is being left, and what the manifest makes of it. */
  readonly work: { readonly place: Place; readonly account: Account } | undefined;
  /** What the move sets before it enters anything: by the caller, by steps, by leaving, by modes that come into force. */
  readonly values: Values;
  /** Where the session stands with these values. */
  readonly here: Whereabouts;
  readonly ahead: Ahead;
  readonly ways: readonly Way[];
}

/** Looks at a move: the caller's values come first, then what was done is gone through, then the ways are judged. */
export function consider(state: SessionState, command: MoveCommand, navigator: Navigator): Prospect {
  const given = withModeDefaults(navigator, state, command.variables ?? {});
  const work = workOf(state, command, { navigator, given });
  const done = withModeDefaults(navigator, state, { ...given, ...work?.account.values });
  const left = state.current === undefined ? [] : navigator.sets(state.current, 'exit');
  const leaving = assign(left, { ...state.variables, ...done });
  const values = withModeDefaults(navigator, state, { ...done, ...leaving });
  const here = whereabouts(state, navigator, values);
  const ahead = navigator.ahead(here);
  const ways = legalWays(navigator, here, { ahead, expected: state.expected });
  return { state, command, navigator, work, values, here, ahead, ways };
}

function workOf(
  state: SessionState,
  { manifest }: MoveCommand,
  { navigator, given }: { navigator: Navigator; given: Values },
): Prospect['work'] {
  if (state.current === undefined) return undefined;
  const place = navigator.place(state.current, whereabouts(state, navigator, given));
  return { place, account: accountFor(place, manifest) };
}

/** Variables nobody set and that could still open a way. */
export function undecidedOf({ moves }: Ahead): readonly string[] {
  return [...new Set(moves.flatMap(({ undecided }) => undecided))];
}
