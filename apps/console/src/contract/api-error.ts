import type { ErrorCode, Issue } from '@workflowlookup/schema';

/**
 * What answers of the console's routes with a status of 400 or more have. `code` is one of `docs/errors.md`:
 * `TOKEN_INVALID` with 401 means that one has to sign in, `FORBIDDEN` with 403 that one may not. With 429 and 503 there
 * may be `Retry-After`. What stands before all routes (503 of a full server, 403 of another host) may answer without it.
 */
export interface ApiError {
  readonly code: ErrorCode | 'TOO_MANY_REQUESTS';
  /** A sentence for people. */
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** 409 `STATE` of a save: the file is another one than that which was read, or there already. Nothing was written. */
export interface TextConflict extends ApiError {
  readonly code: 'STATE';
  readonly data: {
    /** Digest of what is there now; null where there is nothing any more. */
    readonly digest: string | null;
    /** What is there now. */
    readonly text: string | null;
  };
}

/** 422 `INVALID_WORKFLOW` of a save: the definition would not be served. Nothing was written. */
export interface InvalidText extends ApiError {
  readonly code: 'INVALID_WORKFLOW';
  readonly data: { readonly problems: readonly Issue[] };
}
