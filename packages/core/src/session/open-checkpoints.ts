import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { Account } from './account-for.ts';
import { unnamedGates } from './account-for.ts';
import type { Circumstances } from './command.ts';
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

/** Checkpoints that the work of an activity stops at, whose condition holds, and that nobody answered in this visit. */
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
  { values }: Account,
): (gate: Gate) => boolean {
  const seen: Context = { ...context, ...values };
  return (gate) =>
    (gate.condition === undefined || evaluate(gate.condition, seen)) &&
    (!answered.some(({ checkpoint }) => checkpoint === gate.id) || isSentBack(gate, answered));
}

/** Whether the last answer to a checkpoint sent the work back. */
export function isSentBack({ id, revision }: Gate, answered: SessionState['answered']): boolean {
  const last = answered.findLast(({ checkpoint }) => checkpoint === id);
  return revision !== undefined && last?.answer.kind === 'option' && last.answer.option === revision;
}
