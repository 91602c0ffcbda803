import { wordOfEnd } from './choose-target.ts';
import type { Circumstances } from './command.ts';
import type { Navigator, Place } from './navigator.ts';
import { isAsked, offeredCheckpoints, waitsForHuman } from './open-checkpoints.ts';
import type { Prospect } from './prospect.ts';
import { consider, undecidedOf } from './prospect.ts';
import type { SessionState } from './session-state.ts';
import { describeEarlyEnd, whyNoEnd } from './way-problems.ts';

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
      /** The condition of the checkpoint is false: all an agent can answer is that it is not met. */
      readonly isIdle?: true;
    }
  | {
      readonly kind: 'move';
      /** Absent where no word names the end, where the way on is undecided, and where an obstacle is to be cleared. */
      readonly activity?: string;
      /**
       * Variables nobody set and that decide whether a transition is open. Set them first; or name the end, which is
       * refused while a checkpoint that needs a person can still come.
       */
      readonly undecided?: readonly string[];
      /** Steps the manifest has to name, in order. */
      readonly steps: readonly string[];
      /** How many steps were left out to keep a status short. */
      readonly moreSteps?: number;
    };

/**
 * The calls that are legal now, the one to make first at the head; none for a completed session. Ways are those that
 * open once the steps are done.
 */
export function nextCalls(
  state: SessionState,
  navigator: Navigator,
  gates: Circumstances['gates'],
): readonly NextCall[] {
  if (state.status === 'completed') return [];
  if (state.gate !== undefined)
    return answering(state, state.gate, { place: navigator.place(state.gate.activity, state), gates });
  return callsFrom(consider(state, { kind: 'move' }, navigator, gates));
}

/** The legal calls of a session that is active and waits at no checkpoint. */
export function callsFrom(prospect: Prospect): readonly NextCall[] {
  const { state } = prospect;
  return [
    ...(state.current === undefined ? [] : [{ kind: 'read-activity', activity: state.current } as const]),
    ...yields(prospect),
    ...moves(prospect),
  ];
}

function answering(
  state: SessionState,
  open: NonNullable<SessionState['gate']>,
  { place, gates }: { readonly place: Place; readonly gates: Circumstances['gates'] },
): readonly NextCall[] {
  const { checkpoint } = open;
  const gate = place.gates.find(({ id }) => id === checkpoint);
  const options = gate?.options.map(({ id }) => id) ?? [];
  const by = gate !== undefined && waitsForHuman(open, gate, { gates }) ? 'human' : 'any';
  const isIdle = by === 'any' && gate !== undefined && !isAsked(state, place, gate);
  return [
    { kind: 'present', checkpoint },
    { kind: 'answer', checkpoint, options, by, ...(isIdle ? { isIdle } : {}) },
  ];
}

function yields({ state, work }: Prospect): readonly NextCall[] {
  if (work === undefined) return [];
  return offeredCheckpoints(state, work.place, work.account).map(({ id }) => ({
    kind: 'yield',
    checkpoint: id,
  }));
}

function moves(prospect: Prospect): readonly NextCall[] {
  const { navigator, here, work, ahead, ways } = prospect;
  const end = wordOfEnd(navigator, here);
  const steps = work?.account.due.map(({ id }) => id) ?? [];
  if (ahead.obstacle !== undefined || work?.account.missingLists[0] !== undefined)
    return [{ kind: 'move', steps }];
  const undecided = ways.length > 0 ? [] : undecidedOf(ahead);
  if (undecided.length > 0) return [{ kind: 'move', steps, undecided }];
  if (describeEarlyEnd(prospect) !== undefined) return [{ kind: 'move', steps }];
  const mayEnd = whyNoEnd(prospect) === undefined;
  const legal = ways.filter(({ target }) => target.kind === 'activity' || mayEnd);
  const words = legal.map(({ target }) => (target.kind === 'end' ? end : target.id));
  return [...new Set(words.length === 0 ? [end] : words)].map((activity) => ({
    kind: 'move',
    ...(activity === undefined ? {} : { activity }),
    steps,
  }));
}
