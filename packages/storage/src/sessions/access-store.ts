import type { SessionStore } from './session-store.ts';

/** A stored API key. It has a hash of the secret, from which the secret can't be derived. */
export interface ApiKeyRecord {
  /** The public id of the key. */
  readonly id: string;
  readonly principal: string;
  /** Stores do not interpret it. */
  readonly scopes: readonly string[];
  /** ISO 8601 in UTC, with milliseconds. */
  readonly createdAt: string;
  /** Stores do not interpret it. */
  readonly expiresAt?: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly revokedAt?: string;
  /** Stores do not interpret it. */
  readonly hash: string;
}

/**
 * Stores API keys, revoked ids and key fingerprints for all servers that share a database. Every adapter runs
 * `describeAccessStore` of `@workflowlookup/storage/testing`. It fails in the same way as a {@link SessionStore}, and
 * an acknowledged write survives a crash.
 */
export interface AccessStore {
  /** Stores an API key that is not revoked. Returns false if the id is taken. */
  addApiKey(key: Omit<ApiKeyRecord, 'revokedAt'>): Promise<boolean>;
  /** Returns all keys, oldest first, including revoked ones. */
  apiKeys(): Promise<readonly ApiKeyRecord[]>;
  /** Returns the key with this id, or `undefined` if there is none. */
  findApiKey(id: string): Promise<ApiKeyRecord | undefined>;
  /** Replaces the stored hash of a key's secret if it still equals `before`. Returns false if it does not. */
  changeApiKeyHash(id: string, change: { readonly before: string; readonly after: string }): Promise<boolean>;
  /**
   * Revokes a key at a time, in the format of `createdAt`. A second call does not change the time. Returns false if no
   * key has this id.
   */
  revokeApiKey(id: string, at: string): Promise<boolean>;

  /**
   * Revokes an id until a time, in the format of `createdAt`. Of several times the latest one counts. Ids that expired
   * more than an hour ago are deleted; the clock of a server may be off by that much.
   */
  revokeId(id: string, until: string): Promise<void>;
  /** Returns whether an id is revoked. After its time has passed, the answer may be either. */
  isRevoked(id: string): Promise<boolean>;

  /**
   * Records the fingerprints of a server's token keys beside those of other servers. Returns false, and records
   * nothing, if others are recorded and none of these is among them.
   */
  noteTokenKeys(fingerprints: readonly string[]): Promise<boolean>;
}

/** A database with everything that servers share: sessions, API keys and revoked ids. */
export interface StateStore extends SessionStore {
  /** Uses the same connections as the store and is closed with it. */
  readonly access: AccessStore;
}
