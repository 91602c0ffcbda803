import type { Enforcement, ErrorCode, Json } from '@workflowlookup/schema';
import type { EvidenceResult } from '../evidence/collector.ts';
import type { EvidenceSight } from '../evidence/evidence-state.ts';
import type { SessionCheckpoint, CheckpointPolicy, Navigator } from '../navigation/navigator.ts';
import type { Judge } from './manifest.ts';
import type { AnswerOrigin, Autonomy, ManifestEntry } from './session-event.ts';
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
  | {
      readonly kind: 'move';
      /** Defaults to the first legal transition. */
      readonly activityId?: string;
      readonly condition?: string;
      readonly manifest?: readonly ManifestEntry[];
      readonly activityManifest?: readonly ActivityClaim[];
      readonly variables?: Readonly<Record<string, Json>>;
      /** Asks all checkpoints of the activity, including those that no step names, if the move has no other problem. */
      readonly asksAll?: true;
      /** The credential of the call: its id. */
      readonly credential?: string;
    }
  | {
      readonly kind: 'yield';
      readonly checkpointId: string;
      /** Values that the question is to show. */
      readonly variables?: Readonly<Record<string, Json>>;
      readonly credential?: string;
    }
  | {
      readonly kind: 'answer';
      readonly mode: AnswerMode;
      readonly by: 'agent' | 'human';
      /** The person who answers, and a note from them. */
      readonly person?: string;
      readonly note?: string;
      /** How the answer came. */
      readonly origin?: AnswerOrigin;
    }
  | {
      /** Keeps the result of a collection. Only servers make this command. */
      readonly kind: 'evidence';
      readonly activity: string;
      readonly evidence: string;
      readonly demand: string;
      readonly folder?: string;
      readonly result: EvidenceResult;
      /** Present if a person, or a statement that a trusted key signed, brings it. */
      readonly isFromOutside?: true;
      /** Who brings it, if that is not an agent of the session. */
      readonly origin?: AnswerOrigin;
      readonly credential?: string;
    }
  | { readonly kind: 'abandon'; readonly person?: string }
  | ({ readonly kind: 'park' } & ParkRequest & ParkedBy)
  | ({ readonly kind: 'unpark' } & ParkedBy);

/** Why a session is parked, and until when. */
export interface ParkRequest {
  readonly reason: string;
  /** A time in ISO 8601, with a time zone. */
  readonly until?: string;
}

/** Who parks or resumes a session. */
export interface ParkedBy {
  readonly by: 'agent' | 'human' | 'hook';
  readonly person?: string;
  /** The credential of the call: its id. */
  readonly credential?: string;
}

/** How to answer a checkpoint. The server itself answers with `by-policy`: it takes the default of a reversible one. */
export type AnswerMode =
  | { readonly kind: 'option'; readonly option: string }
  | { readonly kind: 'auto-advance' }
  | { readonly kind: 'condition-not-met' }
  | { readonly kind: 'by-policy' };

/** The inputs of a decision besides the state and the command. */
export interface DecisionInputs {
  readonly navigator: Navigator;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Time a checkpoint must have been open before an option may be chosen. */
  readonly minResponseMs: number;
  /** With `human`, a person must answer every checkpoint, whatever the definition says. */
  readonly gates: 'declared' | 'human';
  /** With `strict`, the session is strict on this server even if it was started as advisory. */
  readonly enforcement?: Enforcement;
  /** With `reversible`, the server may take the default option of a reversible checkpoint. Default `ask`. */
  readonly autonomy?: Autonomy;
  readonly judge: Judge;
  /** What the server sees of the files. Absent: evidence is not judged, as in tests of workflows. */
  readonly evidence?: EvidenceSight;
}

/** Why a command is refused, with the next legal call. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The call that helps, where the state of the session alone does not show it. */
  readonly remedy?: NextCall;
}

/** The result of a command: one event with warnings, or a refusal that changes nothing. */
export type Decision<Event> =
  | { readonly ok: true; readonly event: Event; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** A decision against a command. */
export function refuse(
  code: ErrorCode,
  message: string,
  data: Refusal['data'] = {},
  remedy?: NextCall,
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code, message, data, ...(remedy === undefined ? {} : { remedy }) } };
}

/** Returns the refusal that every call gets while a checkpoint is open. */
export function checkpointActive(checkpoint: string): Refusal {
  return {
    code: 'CHECKPOINT_OPEN',
    message: messages.checkpointOpen(checkpoint),
    data: { checkpoint_id: checkpoint },
  };
}

/**
 * Returns a refusal if a worker can't continue after a checkpoint: it is still open, or none was answered in this
 * activity.
 */
export function refuseResume({ gate: openCheckpoint, answered }: SessionState): Refusal | undefined {
  if (openCheckpoint !== undefined) return checkpointActive(openCheckpoint.checkpoint);
  if (answered.length > 0) return undefined;
  return refuse('INVALID_STATE', messages.nothingToResume()).refusal;
}

/** Returns whether only a person may answer a checkpoint. */
export function needsHuman(
  { approver }: Pick<SessionCheckpoint, 'approver'>,
  { gates }: { readonly gates: CheckpointPolicy },
): boolean {
  return gates === 'human' || approver === 'human';
}
