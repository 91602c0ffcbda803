import { WorkflowError } from '@workflowlookup/schema';
import { isSessionId } from './session-id.ts';

/** Which session a token is of, which of its states, and who holds it. */
export interface TokenPosition {
  readonly sid: string;
  /** The revision of the session the holder knows; below 2^32. */
  readonly revision: number;
  /** Number of the agent in this session, counted as they join; below 2^24. */
  readonly agent: number;
}

/** The fields that self-contained tokens show to who decodes them. The server never takes its state from them. */
export interface TokenPayload {
  /** Workflow id. */
  readonly wf: string;
  /** Current activity, `''` before the first. */
  readonly act: string;
  /** Last loaded skill, `''` before the first. */
  readonly skill: string;
  /** Last transition condition, `''` before the first. */
  readonly cond: string;
  /** Workflow version. */
  readonly v: string;
  /** How many tokens were made before this one. */
  readonly seq: number;
  /** When the token was made, in seconds since 1970. */
  readonly ts: number;
  /** Session id. */
  readonly sid: string;
  /** Agent id. */
  readonly aid: string;
  /** Checkpoint that waits for its answer. */
  readonly bcp?: string;
  /** Session id, workflow id, activity and workflow version of the parent. */
  readonly psid?: string;
  readonly pwf?: string;
  readonly pact?: string;
  readonly pv?: string;
}

/** What a token is made of. */
export interface TokenClaims extends TokenPosition {
  readonly payload: TokenPayload;
}

/**
 * What a token turned out to be: `genuine` when a key of the ring signed it; `unsigned` when it is well formed and
 * names a session but no key of the ring signed it; else `garbage`.
 */
export type OpenedToken =
  | { readonly kind: 'genuine'; readonly claims: TokenPosition & { readonly payload?: TokenPayload } }
  | { readonly kind: 'unsigned'; readonly sid: string }
  | { readonly kind: 'garbage' };

/**
 * Makes session tokens and reads them back. A token has exactly one spelling.
 *
 * @see docs/security.md#tokens
 */
export interface TokenCodec {
  /** The token of these claims, the same for the same claims while the signing key is the same. */
  seal(claims: TokenClaims): string;
  /** Takes any text and never throws. */
  open(token: string): OpenedToken;
}

/** One past the largest revision, and one past the largest event number of a trace token. */
export const revisionLimit = 2 ** 32;

/** One past the largest agent number. */
export const agentLimit = 2 ** 24;

/** Whether the fields of a position have its types and ranges. */
export function isPosition(value: { readonly [K in keyof TokenPosition]: unknown }): value is TokenPosition {
  return isSessionId(value.sid) && isBelow(revisionLimit, value.revision) && isBelow(agentLimit, value.agent);
}

/** Fails where a token could not hold the position: a number too large would come back as another one. @throws INTERNAL */
export function assertPosition(position: TokenPosition): void {
  if (isPosition(position)) return;
  const { sid, revision, agent } = position;
  throw new WorkflowError(
    'INTERNAL',
    `No token can name session '${sid}', revision ${revision}, agent ${agent}.`,
  );
}

/** Whether a value is a whole number from 0 up to the limit, without it. */
export function isBelow(limit: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < limit;
}
