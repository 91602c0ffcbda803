import type { AccessPlace } from './access-place.ts';

/** Ids that were revoked before their time, for every server of a database. */
export interface RevokedIds {
  /** Keeps an id until that time, in milliseconds since the epoch. @throws STORAGE */
  add(id: string, untilMs: number): Promise<void>;
  /** Whether an id was revoked; a server with Postgres may learn of it a second later. @throws STORAGE */
  has(id: string): Promise<boolean>;
}

/** Opens them. Where there is no database none is made to look. */
export function openRevokedIds({ open, isMade }: AccessPlace): RevokedIds {
  return {
    add: async (id, untilMs) => (await open()).revokeId(id, new Date(untilMs).toISOString()),
    has: async (id) => isMade() && (await open()).isRevoked(id),
  };
}
