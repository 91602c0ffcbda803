import type { ErrorCode } from '@workflowlookup/schema';

/** Why a command is not carried out, and what would do. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a command comes to: one event and what the caller should hear, or a refusal that moves nothing. */
export type Decision<Event> =
  | { readonly ok: true; readonly event: Event; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** A decision against a command. */
export function refuse(
  code: ErrorCode,
  message: string,
  data: Refusal['data'] = {},
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code, message, data } };
}

/** The refusal of every call that a waiting checkpoint holds back. */
export function gateActive(checkpoint: string): Refusal {
  return {
    code: 'GATE_ACTIVE',
    message: `Checkpoint '${checkpoint}' waits for its answer. Nothing else goes on until it has one.`,
    data: { checkpoint_id: checkpoint },
  };
}
