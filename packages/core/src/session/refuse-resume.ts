import type { Refusal } from './refusal.ts';
import { gateActive, refuse } from './refusal.ts';
import type { SessionState } from './session-state.ts';

/** Why a worker can't go on after a checkpoint: it still waits, or none was answered in this activity. */
export function refuseResume({ gate, answered }: SessionState): Refusal | undefined {
  if (gate !== undefined) return gateActive(gate.checkpoint);
  if (answered.length > 0) return undefined;
  return refuse('STATE', 'No checkpoint of this activity was answered: there is nothing to resume.').refusal;
}
