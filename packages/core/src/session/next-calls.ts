import { accountFor } from './account-for.ts';
import { legalWays, wordOfEnd } from './choose-target.ts';
import type { Circumstances } from './command.ts';
import type { Navigator, Place, Whereabouts } from './navigator.ts';
import { needsHuman, openCheckpoints } from './open-checkpoints.ts';
import type { SessionState } from './session-state.ts';
import { whereabouts } from './whereabouts.ts';

/** A call that is legal now, whatever it is called on the wire. */
export type NextCall =
  | { readonly kind: 'read-activity'; readonly activity: string }
  | { readonly kind: 'yield'; readonly checkpoint: string }
  | { readonly kind: 'present'; readonly checkpoint: string }
  | {
      readonly kind: 'answer';
      readonly checkpoint: string;
      readonly options: readonly string[];
      /** `human`: an agent's answer is refused. */
      readonly by: 'any' | 'human';
    }
  | {
      readonly kind: 'move';
      /** Absent where no word names the end. */
      readonly activity?: string;
      /** Steps the manifest has to name, in order. */
      readonly steps: readonly string[];
      /** How many steps were left out to keep a status short. */
      readonly moreSteps?: number;
    };

/** The calls that are legal now, the one to make first at the head; none for a completed session. */
export function nextCalls(
  state: SessionState,
  navigator: Navigator,
  gates: Circumstances['gates'],
): readonly NextCall[] {
  if (state.status === 'completed') return [];
  const here = whereabouts(state, navigator);
  if (state.gate !== undefined)
    return answering(state.gate, navigator.place(state.gate.activity, here), gates);
  const work = workAt(state, navigator, here);
  const steps = work.due;
  return [
    ...(state.current === undefined ? [] : [{ kind: 'read-activity', activity: state.current } as const]),
    ...work.open.map((checkpoint) => ({ kind: 'yield', checkpoint }) as const),
    ...targets(state, navigator, here).map((activity) =>
      activity === undefined
        ? ({ kind: 'move', steps } as const)
        : ({ kind: 'move', activity, steps } as const),
    ),
  ];
}

/** The steps of an activity that are to be done as the variables stand, in order. */
export function remainingSteps(place: Place): readonly string[] {
  return accountFor(place).due.map(({ id }) => id);
}

function answering(
  { checkpoint }: NonNullable<SessionState['gate']>,
  place: Place,
  gates: Circumstances['gates'],
): readonly NextCall[] {
  const gate = place.gates.find(({ id }) => id === checkpoint);
  const options = gate?.options.map(({ id }) => id) ?? [];
  const by = gate !== undefined && needsHuman(gate, { gates }) ? 'human' : 'any';
  return [
    { kind: 'present', checkpoint },
    { kind: 'answer', checkpoint, options, by },
  ];
}

function workAt(
  state: SessionState,
  navigator: Navigator,
  here: Whereabouts,
): { readonly due: readonly string[]; readonly open: readonly string[] } {
  if (state.current === undefined) return { due: [], open: [] };
  const place = navigator.place(state.current, here);
  const account = accountFor(place);
  return {
    due: account.due.map(({ id }) => id),
    open: openCheckpoints(state, place, account).map(({ id }) => id),
  };
}

function targets(
  state: SessionState,
  navigator: Navigator,
  here: Whereabouts,
): readonly (string | undefined)[] {
  const ahead = navigator.ahead(here);
  if (ahead.obstacle !== undefined) return [];
  const ways = legalWays(navigator, here, { ahead, expected: state.expected });
  const end = wordOfEnd(navigator, here);
  if (ways.length === 0) return [end];
  return [...new Set(ways.map(({ target }) => (target.kind === 'end' ? end : target.id)))];
}
