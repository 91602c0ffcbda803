import { answerCheckpoint } from './answer-checkpoint.ts';
import type { Circumstances, SessionCommand } from './command.ts';
import { moveOn } from './move-on.ts';
import type { Decision } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionState } from './session-state.ts';
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
  at: Circumstances,
): Decision<SessionEvent> {
  if (state.status === 'completed') {
    return refuse(
      'SESSION_COMPLETED',
      `The session is completed: it can be read, and takes no more calls that write.`,
    );
  }
  switch (command.kind) {
    case 'move':
      return state.gate === undefined ? moveOn(state, command, at) : gateActive(state.gate);
    case 'yield':
      return state.gate === undefined ? yieldCheckpoint(state, command, at) : gateActive(state.gate);
    case 'answer':
      return answerCheckpoint(state, command, at);
    case 'abandon':
      return { ok: true, event: abandonment(state), warnings: [] };
  }
}

/** The refusal of every call that a waiting checkpoint holds back. */
export function gateActive({ checkpoint }: NonNullable<SessionState['gate']>): ReturnType<typeof refuse> {
  return refuse(
    'GATE_ACTIVE',
    `Checkpoint '${checkpoint}' waits for its answer. Nothing else goes on until it has one.`,
    {
      checkpoint_id: checkpoint,
    },
  );
}

function abandonment({ current }: SessionState): SessionEvent {
  const from = current === undefined ? {} : { from: current };
  return {
    type: 'session-completed',
    ...from,
    manifest: [],
    variables: {},
    outcome: 'abandoned',
    warnings: [],
  };
}
