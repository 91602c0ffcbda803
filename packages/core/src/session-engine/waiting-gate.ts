import type { Gate, Place } from '../session/navigator.ts';
import { placeOfQuestion } from '../session/open-checkpoints.ts';
import type { OpenGate } from '../session/session-state.ts';
import type { LoadedRun } from './open-session.ts';

/** The checkpoint a session waits at. */
export interface WaitingGate {
  readonly open: OpenGate;
  readonly gate: Gate;
  readonly place: Place;
}

/** `undefined` where none waits, or the definition has none of that name. */
export function waitingGate({
  state,
  runnable,
}: Pick<LoadedRun, 'state' | 'runnable'>): WaitingGate | undefined {
  const { gate: open } = state;
  if (open === undefined) return undefined;
  const place = runnable.navigator.place(open.activity, state);
  const gate = place.gates.find(({ id }) => id === open.checkpoint);
  return gate && { open, gate, place: placeOfQuestion(state, place, gate) };
}
