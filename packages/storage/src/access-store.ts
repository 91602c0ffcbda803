import type { SessionStore } from './session-store.ts';

/** An API key as it is kept: by the hash of its secret, from which nobody finds the secret. */
export interface ApiKeyRecord {
  /** Names it; no secret. */
  readonly id: string;
  readonly principal: string;
  /** Never interpreted by a store. */
  readonly scopes: readonly string[];
  /** ISO 8601 in UTC, with milliseconds. */
  readonly createdAt: string;
  /** Never interpreted by a store. */
  readonly expiresAt?: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly revokedAt?: string;
  /** Never interpreted by a store. */
  readonly hash: string;
}

/**
 * Where it is kept who may come in, for all servers of one database. Every adapter runs `describeAccessStore` of
 * `@workflowlookup/storage/testing`. Failures are those of a {@link SessionStore}; what was acknowledged survives a crash.
 */
export interface AccessStore {
  /** Keeps an API key that is not revoked; false where its id is taken. */
  addApiKey(key: Omit<ApiKeyRecord, 'revokedAt'>): Promise<boolean>;
  /** Oldest first, revoked ones too. */
  apiKeys(): Promise<readonly ApiKeyRecord[]>;
  /** `undefined` where there is none with this id. */
  findApiKey(id: string): Promise<ApiKeyRecord | undefined>;
  /** Changes what is kept of a key's secret, where that is still what it was before; false where it is not. */
  changeApiKeyHash(id: string, change: { readonly before: string; readonly after: string }): Promise<boolean>;
  /** Revokes a key at a time, in the form of `createdAt`; the first time counts. Returns false if no key has this id. */
  revokeApiKey(id: string, at: string): Promise<boolean>;

  /**
   * Revokes an id until a time, in the form of `createdAt`; of several times the last one counts. Ids whose time was
   * over an hour ago are dropped: so long may the clock of a server be behind.
   */
  revokeId(id: string, until: string): Promise<void>;
  /** Whether an id was revoked; one whose time is over may be or not. */
  isRevoked(id: string): Promise<boolean>;

  /**
   * Notes the fingerprints of a server's token keys, beside those of other servers. False where others were noted and
   * none of these, and then nothing is.
   */
  noteTokenKeys(fingerprints: readonly string[]): Promise<boolean>;
}

/** A database of all that servers keep: sessions, and who may come in. */
export interface StateStore extends SessionStore {
  /** Over the same connections; closed with the store. */
  readonly access: AccessStore;
}
