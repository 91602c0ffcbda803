import type { Enforcement, ErrorCode } from '@workflowlookup/schema';
import { defined } from '@workflowlookup/schema';
import type { EvidenceSight } from '../evidence/evidence-state.ts';
import type { SessionCheckpoint, CheckpointPolicy, Navigator } from '../navigation/navigator.ts';
import type { Judge } from './outputs/manifest.ts';
import type { SessionEventOf } from './evolve.ts';
import type { CollectionResult, LeavingEvent, ParkedBy, SealedPolicy } from './session-event.ts';
import type { SessionState } from './session-state.ts';
import type { NextCall } from './status.ts';
import { messages } from '../messages/sessions.ts';

/** An activity that an agent reports as done, with its outcome. The server checks only that the activity exists. */
export interface ActivityClaim {
  readonly activity_id: string;
  readonly outcome: string;
  readonly transition_condition?: string;
}

/** A request to a session. */
export type SessionCommand =
  | ({
      readonly kind: 'move';
      /** Defaults to the first legal transition. */
      readonly activityId?: string;
      readonly activityManifest?: readonly ActivityClaim[];
      /** Asks all checkpoints of the activity, including those that no step names, if the move has no other problem. */
      readonly asksAll?: true;
    } & Partial<Pick<LeavingEvent, 'condition' | 'manifest' | 'variables' | 'credential'>>)
  | ({
      readonly kind: 'yield';
      readonly checkpointId: string;
    } & Pick<SessionEventOf<'checkpoint-yielded'>, 'variables' | 'credential'>)
  | ({
      readonly kind: 'answer';
      readonly mode: AnswerMode;
    } & Pick<SessionEventOf<'checkpoint-answered'>, 'by' | 'person' | 'note' | 'origin'>)
  | ({
      /** Keeps the result of a collection. Only servers make this command. */
      readonly kind: 'evidence';
      /** Present if a person, or a statement that a trusted key signed, brings it. */
      readonly isFromOutside?: true;
    } & CollectionResult)
  | { readonly kind: 'abandon'; readonly person?: string }
  | ({ readonly kind: 'park' } & ParkRequest & ParkedBy)
  | ({ readonly kind: 'unpark' } & ParkedBy);

/** Why a session is parked, and until when. */
export interface ParkRequest {
  readonly reason: string;
  /** A time in ISO 8601, with a time zone. */
  readonly until?: string;
}

/** How to answer a checkpoint. The server itself answers with `by-policy`: it takes the default of a reversible one. */
export type AnswerMode =
  | { readonly kind: 'option'; readonly option: string }
  | { readonly kind: 'auto-advance' }
  | { readonly kind: 'condition-not-met' }
  | { readonly kind: 'by-policy' };

/** The inputs of a decision besides the state and the command, with the policy of this server. */
export interface DecisionInputs extends Pick<SealedPolicy, 'gates' | 'minResponseMs' | 'autonomy'> {
  readonly navigator: Navigator;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** With `strict`, the session is strict on this server even if it was started as advisory. */
  readonly enforcement?: Enforcement;
  readonly judge: Judge;
  /** What the server sees of the files. Absent: evidence is not judged, as in tests of workflows. */
  readonly evidence?: EvidenceSight;
}

/** Why a command is refused, which changes nothing, with the next legal call. */
export interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The call that helps, where the state of the session alone does not show it. */
  readonly remedy?: NextCall;
}

/** The result of a command: one event with warnings, or a refusal. */
export type Decision<Event> =
  | { readonly ok: true; readonly event: Event; readonly warnings: readonly string[] }
  | Refusal;

/** A decision against a command. */
export function refuse(
  code: ErrorCode,
  message: string,
  data: Refusal['data'] = {},
  remedy?: NextCall,
): Refusal {
  return { ok: false, ...defined({ code, message, data, remedy }) };
}

/** Returns the refusal that every call gets while a checkpoint is open. */
export function checkpointActive(checkpoint: string): Refusal {
  return refuse('CHECKPOINT_OPEN', messages.checkpointOpen(checkpoint), { checkpoint_id: checkpoint });
}

/**
 * Returns a refusal if a worker can't continue after a checkpoint: it is still open, or none was answered in this
 * activity.
 */
export function refuseResume({ gate: openCheckpoint, answered }: SessionState): Refusal | undefined {
  if (openCheckpoint !== undefined) return checkpointActive(openCheckpoint.checkpoint);
  if (answered.length > 0) return undefined;
  return refuse('INVALID_STATE', messages.nothingToResume());
}

/** Returns whether only a person may answer a checkpoint. */
export function needsHuman(
  { approver }: Pick<SessionCheckpoint, 'approver'>,
  { gates }: { readonly gates: CheckpointPolicy },
): boolean {
  return gates === 'human' || approver === 'human';
}
