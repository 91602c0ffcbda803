import type { SessionVault } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';

/** What readiness looks at. */
export interface ReadyParts {
  /** Opens the database and the keys. @throws STORAGE */
  vault(): Promise<SessionVault>;
  /** Whether the server is on its way out. */
  isDraining(): boolean;
}

/** Whether requests can be served, and what stands against it. */
export interface Readiness {
  readonly ok: boolean;
  readonly status: 'ready' | 'draining' | 'not_ready';
  /** Not looked at on the way out. */
  readonly database?: boolean;
  readonly keys?: boolean;
  /** Why they could not be opened, in the one word errors have for it. */
  readonly reason?: string;
}

/** The reason of keys that can't be used with this database, which is there. */
const otherKeys = 'other-keys';

/** Looks whether the database can be reached and the keys used; a server on its way out says so at once. */
export async function isReady({ vault, isDraining }: ReadyParts): Promise<Readiness> {
  if (isDraining()) return { ok: false, status: 'draining' };
  const { reason, opened } = await vault().then((found) => ({ opened: found, reason: undefined }), failureOf);
  const database = reason === otherKeys || (opened !== undefined && (await opened.store.health()).ok);
  const keys = opened !== undefined && opened.keys.signing.secret.length >= 32;
  const ok = database && keys;
  return { ok, status: ok ? 'ready' : 'not_ready', database, keys, ...(reason !== undefined && { reason }) };
}

function failureOf(error: unknown): { readonly reason: string | undefined; readonly opened: undefined } {
  const reason = error instanceof WorkflowError ? error.data['reason'] : undefined;
  return { reason: typeof reason === 'string' ? reason : undefined, opened: undefined };
}
