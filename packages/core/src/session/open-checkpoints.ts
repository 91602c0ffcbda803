import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { Account } from './account-for.ts';
import { accountFor, unnamedGates } from './account-for.ts';
import type { Circumstances } from './command.ts';
import { withItem } from './loop-iterations.ts';
import type { Gate, Place } from './navigator.ts';
import type { OpenGate, SessionState } from './session-state.ts';

/** Whether only a person may answer a checkpoint. */
export function needsHuman({ approver }: Gate, { gates }: Pick<Circumstances, 'gates'>): boolean {
  return gates === 'human' || approver === 'human';
}

/** Whether only a person may answer the checkpoint a session waits at. */
export function waitsForHuman(open: OpenGate, gate: Gate, at: Pick<Circumstances, 'gates'>): boolean {
  return open.approver === 'human' || needsHuman(gate, at);
}

/** Whether a credential started, moved or stopped a session: then it speaks for the agents of the session. */
export function hasDriven(
  { drivers }: Pick<SessionState, 'drivers'>,
  credential: string | undefined,
): boolean {
  return credential !== undefined && drivers.includes(credential);
}

/**
 * Checkpoints that the work of an activity stops at, whose condition holds, and that were not answered in this visit: in a
 * loop once for each iteration.
 */
export function openCheckpoints(
  state: Pick<SessionState, 'answered'>,
  place: Place,
  account: Account,
): readonly Gate[] {
  return place.gates.filter(({ id }) => account.checkpoints.has(id)).filter(isOpen(state, place, account));
}

/** The checkpoints that are open, then those that no step names and an agent may stop at as well. */
export function offeredCheckpoints(
  state: Pick<SessionState, 'answered'>,
  place: Place,
  account: Account,
): readonly Gate[] {
  const more = unnamedGates(place).filter(({ id }) => !account.checkpoints.has(id));
  return [...openCheckpoints(state, place, account), ...more.filter(isOpen(state, place, account))];
}

function isOpen(
  { answered }: Pick<SessionState, 'answered'>,
  { context }: Place,
  { values, checkpoints }: Account,
): (gate: Gate) => boolean {
  const seen: Context = { ...context, ...values };
  return (gate) => {
    const asked = stopsOf(gate, checkpoints.get(gate.id) ?? [{}], seen);
    return asked.length > answersTo(gate, answered) || (asked.length > 0 && isSentBack(gate, answered));
  };
}

/** The items of the stops of a checkpoint at which its condition holds. */
function stopsOf({ condition }: Gate, stops: readonly Context[], seen: Context): readonly Context[] {
  return condition === undefined ? stops : stops.filter((item) => evaluate(condition, withItem(seen, item)));
}

/** An activity as the next question of a checkpoint sees it: in a loop, with the item of the iteration it is about. */
export function placeOfQuestion(state: Pick<SessionState, 'answered'>, place: Place, gate: Gate): Place {
  const { item } = nextStop(state, place, gate);
  return { ...place, context: withItem(place.context, item) };
}

/** Whether the condition of a checkpoint holds now, or once the steps that are due are done. */
export function isAsked(state: Pick<SessionState, 'answered'>, place: Place, gate: Gate): boolean {
  const { item, due } = nextStop(state, place, gate);
  return [place.context, due].some((seen) => stopsOf(gate, [item], seen).length > 0);
}

/** The item of the next stop at a checkpoint, and the variables as they are once the steps that are due are done. */
function nextStop(
  { answered }: Pick<SessionState, 'answered'>,
  place: Place,
  gate: Gate,
): { readonly item: Context; readonly due: Context } {
  const { checkpoints, values } = accountFor(place);
  const due = { ...place.context, ...values };
  const stops = stopsOf(gate, checkpoints.get(gate.id) ?? [], due);
  return { item: stops[answersTo(gate, answered)] ?? {}, due };
}

/**
 * Whether an answer takes the place of the one before. Answers about the items of a loop add up: in a loop over steps
 * those of one visit, in a loop over activities those of all its rounds.
 */
export function replacesEarlier(
  { answered }: Pick<SessionState, 'answered'>,
  place: Place,
  { id }: Gate,
): boolean {
  const isAnswered = answered.some((one) => one.checkpoint === id && one.answer.kind !== 'dismissed');
  if (!isAnswered) return place.isRepeated !== true;
  return (accountFor(place).checkpoints.get(id) ?? []).length < 2;
}

/** How often a checkpoint was answered in this visit. One answer covers all steps of an activity, or of one iteration. */
export function answersTo({ id }: Gate, answered: SessionState['answered']): number {
  return answered.filter(({ checkpoint }) => checkpoint === id).length;
}

/** Whether the last answer to a checkpoint sent the work back. */
export function isSentBack({ id, revision }: Gate, answered: SessionState['answered']): boolean {
  const last = answered.findLast(({ checkpoint }) => checkpoint === id);
  return revision !== undefined && last?.answer.kind === 'option' && last.answer.option === revision;
}
