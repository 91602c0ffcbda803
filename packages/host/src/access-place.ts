import type { AuditLog } from './audit/audit-log.ts';
import type { KeyRing } from '@workflowlookup/core';
import type { AccessStore } from '@workflowlookup/storage';

/** The database where it is kept who may come in, opened when first asked for. */
export interface AccessPlace {
  /** Opens it; called again it gives the same. @throws STORAGE */
  open(): Promise<AccessStore>;
  /** Whether there is one yet; asking makes nothing. */
  isMade(): boolean;
  /** The keys that authenticate records of API keys; `undefined` where this machine has none for that database. @throws STORAGE */
  knownKeys(): KeyRing | undefined;
  /** Returns the same keys, and makes them first if there are none. @throws STORAGE if other servers of the database use different keys */
  sharedKeys(): Promise<KeyRing>;
  /** The state directory; not made yet where nothing was written there. */
  readonly directory: string;
  /** Keys that were made before this time are refused; ISO 8601. */
  readonly notBefore?: string;
  /** Records who makes and revokes keys. */
  readonly audit?: AuditLog;
}
