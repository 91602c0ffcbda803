/** What a credential may be good for. */
export const scopes = ['read', 'write', 'checkpoints:respond'] as const;

/** `read`: tools that change nothing; `write`: the others; `checkpoints:respond`: its holder answers as a person. */
export type Scope = (typeof scopes)[number];

/** A key as it is kept: without its secret. */
export interface ApiKey {
  /** Names it in lists and logs; no secret. */
  readonly id: string;
  /** Who its holder is: sessions belong to principals, and several keys may have one. */
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601: from then on it does not count. */
  readonly expiresAt?: string;
  /** ISO 8601: since then it does not count. */
  readonly revokedAt?: string;
  /** Present where its record is not what a server with the key ring made: it does not count until a person seals it. */
  readonly isUnsealed?: true;
}

/** What a new key is to be. */
export interface NewApiKey {
  /** Printable ASCII without spaces, at most 128 characters. */
  readonly principal: string;
  /** One or more. */
  readonly scopes: readonly Scope[];
  /** A date in the future, ISO 8601, or a span from now: `12h`, `30d`, `4w`. */
  readonly expiresAt?: string;
}

/** The result of looking up a secret. */
export type CheckedKey =
  /** The secret fits a record that nobody with the key ring made: somebody wrote to the database, or an older release did. */
  | { readonly standing: 'unsealed'; readonly key: ApiKey }
  | { readonly standing: 'good'; readonly key: ApiKey }
  /** The secret is right, but the key has expired or was revoked. */
  | { readonly standing: 'over'; readonly key: ApiKey; readonly reason: string }
  | { readonly standing: 'unknown' };

/** Whether a key is accepted: it may be revoked or expired. */
export function standingOf(
  { revokedAt, expiresAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>,
  nowMs: number = Date.now(),
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs ? 'expired' : 'active';
}

/** The keys of a database. Every method throws STORAGE where that can't be used. */
export interface ApiKeys {
  /** Makes a key. Its secret is in what this gives and nowhere else. @throws INVALID_PARAMS */
  create(key: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Oldest first, revoked ones too. */
  list(): Promise<readonly ApiKey[]>;
  /**
   * Revokes a key on every server of this database. With Postgres, other servers learn of it within a second. Returns
   * false if no key has this id. @throws STORAGE with `data.reason` `not-revoked` if the database did not keep the
   * revocation
   */
  revoke(id: string): Promise<boolean>;
  /** The key a secret is of, where it counts now. Its hash is compared in constant time. */
  verify(secret: string): Promise<ApiKey | undefined>;
  /** The same, and of a secret that does not count why: its holder may be told, for they had it. */
  check(secret: string): Promise<CheckedKey>;
  /** Seals the record of a key that was not made here. Returns false if no key has that id. */
  seal(id: string): Promise<boolean>;
  /**
   * Makes the database and what this state directory recalls agree on what was revoked: a database that was restored from a
   * backup learns again what it forgot. Seals what an older key of the ring sealed. Gives the keys it revoked again.
   */
  sync(): Promise<readonly string[]>;
  /** The key with this id, where it counts now. */
  find(id: string): Promise<ApiKey | undefined>;
}

/** Whether a text names a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
