import type { Circumstances, SessionCommand } from './command.ts';
import type { Decision } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionState } from './session-state.ts';
import { whereabouts } from './whereabouts.ts';

/** Stops the session at a checkpoint of its current activity. */
export function yieldCheckpoint(
  state: SessionState,
  { checkpointId }: Extract<SessionCommand, { kind: 'yield' }>,
  { navigator }: Circumstances,
): Decision<SessionEvent> {
  const { current } = state;
  if (current === undefined) {
    return refuse(
      'STATE',
      'There is no current activity whose checkpoint could be yielded: enter one first.',
    );
  }
  const { gates } = navigator.place(current, whereabouts(state));
  if (!gates.some(({ id }) => id === checkpointId)) {
    const known = gates.length === 0 ? 'it has none' : `there are: ${gates.map(({ id }) => id).join(', ')}`;
    return refuse(
      'CHECKPOINT_NOT_FOUND',
      `Activity '${current}' has no checkpoint '${checkpointId}'; ${known}.`,
      {
        checkpoint_id: checkpointId,
      },
    );
  }
  return {
    ok: true,
    event: { type: 'checkpoint-yielded', activity: current, checkpoint: checkpointId },
    warnings: [],
  };
}
