import type { Circumstances, SessionCommand } from './command.ts';
import type { Decision } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionState } from './session-state.ts';

/** Stops the session at a checkpoint of its current activity. */
export function yieldCheckpoint(
  { current, variables }: SessionState,
  { checkpointId }: Extract<SessionCommand, { kind: 'yield' }>,
  { navigator, gates: policy }: Circumstances,
): Decision<SessionEvent> {
  if (current === undefined) {
    return refuse(
      'STATE',
      'There is no current activity whose checkpoint could be yielded: enter one first.',
    );
  }
  const { gates } = navigator.place(current, { variables });
  if (gates.some(({ id }) => id === checkpointId)) {
    const event: SessionEvent = {
      type: 'checkpoint-yielded',
      activity: current,
      checkpoint: checkpointId,
      ...(policy === 'human' ? { approver: 'human' } : {}),
    };
    return { ok: true, event, warnings: [] };
  }
  const known = gates.length === 0 ? 'it has none' : `there are: ${gates.map(({ id }) => id).join(', ')}`;
  return refuse(
    'CHECKPOINT_NOT_FOUND',
    `Activity '${current}' has no checkpoint '${checkpointId}'; ${known}.`,
    { checkpoint_id: checkpointId },
  );
}
