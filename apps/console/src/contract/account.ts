/** How a person can sign in: with the secret of the console's address, an API key, or at the authorization server. */
export type WayToSignIn = 'secret' | 'key' | 'oauth';

/** What whoever is signed in may do; the server refuses the rest whatever the page shows. */
export interface Permissions {
  /** Answer checkpoints. */
  readonly answer: boolean;
  /** Save definitions to sources that take them. */
  readonly save: boolean;
  /** Whose runs are shown: those of the principal, or all that are kept here. */
  readonly sees: 'own' | 'all';
}

/** Somebody is signed in. */
export interface SignedIn {
  readonly state: 'signed-in';
  /** Whose runs are shown. */
  readonly principal: string;
  /** The name answers carry. */
  readonly person: string;
  readonly scopes: readonly string[];
  readonly may: Permissions;
  /** When one has to sign in again; ISO 8601. */
  readonly until: string;
  /** Version of the server. */
  readonly version: string;
}

/** Nobody is. */
export interface SignedOut {
  readonly state: 'signed-out';
  readonly ways: readonly WayToSignIn[];
  /** Version of the server. */
  readonly version: string;
}

/** `GET /console/api/me`: always 200. */
export type Me = SignedIn | SignedOut;

/**
 * `POST /console/api/sign-in`: 200 with {@link NewSession}. 401 `TOKEN_INVALID` for a wrong one, 429 with `Retry-After`
 * after too many of those. `POST /console/api/sign-out` ends it on every server of the database: 204.
 */
export type SignInRequest = { readonly secret: string } | { readonly key: string };

/**
 * What somebody who signs in gets. Every request sends the token in `Authorization: Bearer …`; the page keeps it in the
 * storage of its origin, where no page of another host or port can read it, and no browser sends it by itself.
 */
export interface NewSession {
  readonly token: string;
  readonly me: SignedIn;
}

/** `POST /console/api/oauth/begin`: where the browser goes, and what the page keeps until it comes back. */
export interface OAuthJourney {
  /** At the authorization server. */
  readonly url: string;
  /** Sealed; without it the reply of the authorization server signs nobody in. */
  readonly journey: string;
}

/**
 * `POST /console/api/oauth/finish`, with what stands behind `#sign-in-returned` in the address the browser comes back to:
 * 200 with {@link NewSession}, 401 `TOKEN_INVALID` where the authorization server signed nobody in.
 */
export interface OAuthReturn {
  readonly journey: string;
  readonly search: string;
}
