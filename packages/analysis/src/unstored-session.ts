import type {
  DecisionInputs,
  Navigator,
  Refusal,
  SessionCommand,
  SessionStart,
  SessionState,
} from '@workflowlookup/core/decisions';
import { begin, decide, evolve, startSession } from '@workflowlookup/core/decisions';
import type { SessionEvent } from '@workflowlookup/core/sessions';

/** The time of every event. Nothing in a session that is not stored depends on it. */
export const timeless = '2000-01-01T00:00:00.000Z';
const nowMs = Date.parse(timeless);

/** A command that was carried out, with the states before and after it. */
export interface StateTransition {
  readonly before: SessionState;
  readonly command: SessionCommand;
  readonly event: SessionEvent;
  readonly after: SessionState;
  /** Warnings that an agent would get. */
  readonly warnings: readonly string[];
}

/** Returns the state of a session that has not entered anything yet. */
export function startUnstored(navigator: Navigator, start?: SessionStart): SessionState {
  return begin('unstored', { at: timeless, event: startSession(navigator, start) });
}

/** Returns what decisions in a session that is not stored depend on. */
export function circumstances(navigator: Navigator): Omit<DecisionInputs, 'judge'> {
  return { navigator, nowMs, minResponseMs: 0, gates: 'declared' };
}

/** Carries out a command, with outputs that count as accepted, or returns why it is refused. */
export function carryOut(
  navigator: Navigator,
  before: SessionState,
  command: SessionCommand,
): StateTransition | { readonly refusal: Refusal } {
  const decision = decide(before, command, { ...circumstances(navigator), judge: () => undefined });
  if (!decision.ok) return { refusal: decision };
  const { event, warnings } = decision;
  return { before, command, event, after: evolve(before, { at: timeless, event }), warnings };
}
