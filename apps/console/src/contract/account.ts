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
  /** Where `oauth` begins; a link to follow, present with that way. */
  readonly oauthUrl?: string;
  /** Version of the server. */
  readonly version: string;
}

/** `GET /console/api/me`: always 200. */
export type Me = SignedIn | SignedOut;

/**
 * `POST /console/api/sign-in`: 200 with {@link SignedIn}, and a cookie no script can read. 401 `TOKEN_INVALID` for a
 * wrong one, 429 with `Retry-After` after too many of those. `POST /console/api/sign-out` ends it: 204.
 */
export type SignInRequest = { readonly secret: string } | { readonly key: string };
