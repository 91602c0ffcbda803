import { answerCheckpoint } from './answer-checkpoint.ts';
import type { Circumstances, SessionCommand } from './command.ts';
import { moveOn } from './move-on.ts';
import { policyFor } from './policy.ts';
import type { Decision } from './refusal.ts';
import { gateActive, refuse } from './refusal.ts';
import type { SessionEvent } from './session-event.ts';
import type { OpenGate, SessionState } from './session-state.ts';
import { refuseTooMuch } from './variables.ts';
import { yieldCheckpoint } from './yield-checkpoint.ts';

/**
 * What a command does to a session: one event, or a refusal that names what is missing and the next legal call. Pure:
 * it reads no clock, no random source and no file.
 *
 * @see docs/sessions.md
 */
export function decide(
  state: SessionState,
  command: SessionCommand,
  circumstances: Circumstances,
): Decision<SessionEvent> {
  if (state.status === 'completed') {
    return refuse(
      'SESSION_COMPLETED',
      'The session is completed: it can be read, and takes no more calls that write.',
    );
  }
  const tooMuch = refuseTooMuch(state, 'variables' in command ? (command.variables ?? {}) : {});
  if (tooMuch !== undefined) return { ok: false, refusal: tooMuch };
  const at = underPolicy(state, circumstances);
  switch (command.kind) {
    case 'move':
      return state.gate === undefined ? moveOn(state, command, at) : held(state.gate);
    case 'yield':
      return state.gate === undefined ? yieldCheckpoint(state, command, at) : held(state.gate);
    case 'answer':
      return answerCheckpoint(state, command, at);
    case 'abandon':
      return { ok: true, event: abandonment(state, command), warnings: [] };
  }
}

/** The policy that was sealed into the session, or the server's where that is stricter. */
function underPolicy(state: SessionState, at: Circumstances): Circumstances {
  const { enforcement = 'advisory', gates, minResponseMs } = at;
  return { ...at, ...policyFor(state, { enforcement, gates, minResponseMs, trustElicitation: false }) };
}

function held({ checkpoint }: OpenGate): Decision<SessionEvent> {
  return { ok: false, refusal: gateActive(checkpoint) };
}

function abandonment({ current }: SessionState, { person }: { readonly person?: string }): SessionEvent {
  const from = current === undefined ? {} : { from: current };
  return {
    type: 'session-completed',
    ...from,
    condition: '',
    manifest: [],
    variables: {},
    outcome: 'abandoned',
    ...(person === undefined ? {} : { person }),
    warnings: [],
  };
}
