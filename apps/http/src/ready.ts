import type { SessionVault } from '@workflowlookup/core';

/** What readiness looks at. */
export interface ReadyParts {
  /** Opens the database and the keys. @throws STORAGE */
  vault(): Promise<SessionVault>;
  /** Whether the server is on its way out. */
  isDraining(): boolean;
}

/** Whether requests can be served, and what stands against it. Says nothing of why: that is in the log. */
export interface Readiness {
  readonly ok: boolean;
  readonly status: 'ready' | 'draining' | 'not_ready';
  readonly database: boolean;
  readonly keys: boolean;
}

/** Looks whether the database can be reached and the keys used. */
export async function isReady({ vault, isDraining }: ReadyParts): Promise<Readiness> {
  const opened = await vault().catch(() => undefined);
  const database = opened !== undefined && (await opened.store.health()).ok;
  const keys = opened !== undefined && opened.keys.signing.secret.length >= 32;
  const ok = database && keys && !isDraining();
  const status = isDraining() ? 'draining' : ok ? 'ready' : 'not_ready';
  return { ok, status, database, keys };
}
