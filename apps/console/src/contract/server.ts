import type { SessionCounts } from '@workflowlookup/core/operator';
import type { ErrorCode, Issue } from '@workflowlookup/schema';
import type { SessionListRow } from './sessions.ts';
import type { CatalogueSource } from './workflows.ts';

/** The request and response body of a route. */
export interface Route<Body, Answer> {
  readonly body: Body;
  readonly answer: Answer;
}

/** The routes for signing in, and the health of the server. */
export interface ServerRoutes {
  readonly 'GET /me': Route<undefined, Me>;
  readonly 'POST /sign-in': Route<SignInRequest, NewSession>;
  readonly 'POST /oauth/begin': Route<undefined, OAuthStart>;
  readonly 'POST /oauth/finish': Route<OAuthReturn, NewSession>;
  readonly 'POST /sign-out': Route<undefined, undefined>;
  readonly 'GET /health': Route<undefined, ConsoleHealth>;
}

/**
 * The body of a response with a status of 400 or more. `docs/errors.md` lists the codes: 401 `TOKEN_INVALID` means
 * that the user must sign in, 403 `FORBIDDEN` that they lack permission. Responses with 429 and 503 may have
 * `Retry-After`. Errors raised before routing (503 of a busy server, 403 for a foreign host) may lack this body.
 */
export interface ApiError {
  readonly code: ErrorCode | 'TOO_MANY_REQUESTS';
  /** A sentence for the user. */
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** 409 `CONFLICT`: the file changed since it was read, or a new file already exists. Nothing was written. */
export interface TextConflict extends ApiError {
  readonly code: 'CONFLICT';
  readonly data: {
    /** The digest of the current text, or null if the file no longer exists. */
    readonly digest: string | null;
    readonly text: string | null;
  };
}

/** 422 `INVALID_WORKFLOW`: the text has errors that keep the definition from being served. Nothing was written. */
export interface InvalidText extends ApiError {
  readonly code: 'INVALID_WORKFLOW';
  readonly data: { readonly problems: readonly Issue[] };
}

/** Sessions that changed since the last event, in any process. */
export interface SessionsChanged {
  /** Their current state, most recently changed first, at most 50. */
  readonly sessions: readonly SessionListRow[];
  /** Whether more sessions changed. Then the page must reload its list. */
  readonly isMore: boolean;
  readonly counts: SessionCounts;
}

/**
 * The server-sent events of `GET /console/api/changes`. The event name is the field name, and its data is JSON. The
 * first event is `hello`; the stream reports every change after it, and with `missedMs` those of so many milliseconds
 * before it. After a broken connection the page reloads what it shows.
 */
export interface ChangeEvents {
  readonly hello: { readonly version: string; readonly counts: SessionCounts };
  readonly sessions: SessionsChanged;
  readonly workflows: { readonly ids: readonly string[] | 'all' };
  /** The server closes the stream. Reconnect after `draining` or `limit`; sign in again after `signed-out`. */
  readonly end: { readonly reason: 'draining' | 'signed-out' | 'limit' };
}

export interface ConsoleHealth {
  readonly status: 'ready' | 'draining' | 'not_ready';
  readonly version: string;
  readonly node: string;
  readonly uptimeSeconds: number;
  readonly database: {
    readonly ok: boolean;
    /** `sqlite` or `postgres`. */
    readonly adapter: string;
    readonly lastChange: number;
    readonly problem?: string;
  };
  readonly keys: { readonly ok: boolean; readonly count: number; readonly problem?: string };
  readonly sources: readonly (CatalogueSource & { readonly errors: number; readonly warnings: number })[];
  readonly sessions: SessionCounts;
  /** Tool calls that failed since the server started, by error code, the most frequent first. */
  readonly refusals: readonly { readonly code: string; readonly count: number }[];
  /** The time to the first byte of a route's responses since the server started. */
  readonly latency: readonly {
    readonly route: string;
    readonly count: number;
    /** Upper bounds from a histogram. Absent if the value is above the highest bucket. */
    readonly p50Ms?: number;
    readonly p95Ms?: number;
    readonly p99Ms?: number;
  }[];
  /** Open MCP sessions and open streams. */
  readonly clients: { readonly sessions: number; readonly streams: number };
  /** When the health was measured, in ISO 8601. */
  readonly at: string;
}

export interface SignedIn {
  readonly state: 'signed-in';
  /** Whose sessions are shown. */
  readonly principal: string;
  /** The name that is recorded with answers. */
  readonly person: string;
  readonly scopes: readonly string[];
  /** What the user may do. The server enforces it regardless of what the page shows. */
  readonly may: {
    readonly answer: boolean;
    /** May save definitions to writable sources. */
    readonly save: boolean;
    /** Whose sessions the user sees: those of their principal, or all. */
    readonly sees: 'own' | 'all';
  };
  /** When the sign-in expires, in ISO 8601. */
  readonly until: string;
  readonly version: string;
}

export interface SignedOut {
  readonly state: 'signed-out';
  /** With the secret in a sign-in link, with an API key, or at an OAuth authorization server. */
  readonly methods: readonly ('secret' | 'key' | 'oauth')[];
  readonly version: string;
}

/** The response of `GET /console/api/me`. The status is always 200. */
export type Me = SignedIn | SignedOut;

/**
 * The body of `POST /console/api/sign-in`, which answers with {@link NewSession}. The status is 401 `TOKEN_INVALID`
 * for a wrong credential, and 429 with `Retry-After` after too many of them. `data.key` is the id of an API key that has
 * expired, was revoked, or was not made with the keys of the server. `POST /console/api/sign-out` ends the sign-in on
 * every server that shares the database and answers 204.
 */
export type SignInRequest = { readonly secret: string } | { readonly key: string };

/**
 * The result of signing in. The page sends the token in `Authorization: Bearer …` with every request. It keeps the
 * token in the local storage of its origin, which other hosts and ports can't read and which no browser sends on its
 * own.
 */
export interface NewSession {
  readonly token: string;
  readonly me: SignedIn;
}

/** The response of `POST /console/api/oauth/begin`: where to send the browser, and the state to keep until it returns. */
export interface OAuthStart {
  readonly url: string;
  /** The sealed state of the sign-in. Without it the reply of the authorization server is refused. */
  readonly journey: string;
}

/**
 * The body of `POST /console/api/oauth/finish`. `search` is what follows `#sign-in-returned` in the URL the browser
 * returns to. Answers with {@link NewSession}, or 401 `TOKEN_INVALID` if the authorization server signed nobody in.
 */
export interface OAuthReturn extends Pick<OAuthStart, 'journey'> {
  readonly search: string;
}
