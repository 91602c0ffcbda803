/** A way to sign in: with the secret in a sign-in link, with an API key, or at an OAuth authorization server. */
export type SignInMethod = 'secret' | 'key' | 'oauth';

/** What the signed-in user may do. The server enforces it regardless of what the page shows. */
export interface Permissions {
  readonly answer: boolean;
  /** May save definitions to writable sources. */
  readonly save: boolean;
  /** Whose sessions the user sees: those of their principal, or all. */
  readonly sees: 'own' | 'all';
}

export interface SignedIn {
  readonly state: 'signed-in';
  /** Whose sessions are shown. */
  readonly principal: string;
  /** The name that is recorded with answers. */
  readonly person: string;
  readonly scopes: readonly string[];
  readonly may: Permissions;
  /** When the sign-in expires, in ISO 8601. */
  readonly until: string;
  readonly version: string;
}

export interface SignedOut {
  readonly state: 'signed-out';
  readonly ways: readonly SignInMethod[];
  readonly version: string;
}

/** The response of `GET /console/api/me`. The status is always 200. */
export type Me = SignedIn | SignedOut;

/**
 * The body of `POST /console/api/sign-in`, which answers with {@link NewSession}. The status is 401 `TOKEN_INVALID`
 * for a wrong credential, and 429 with `Retry-After` after too many of them. `POST /console/api/sign-out` ends the
 * sign-in on every server that shares the database and answers 204.
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
export interface OAuthReturn {
  readonly journey: string;
  readonly search: string;
}
