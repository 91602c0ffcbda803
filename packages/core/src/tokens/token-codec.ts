import type { TokenPosition } from './token-position.ts';

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
