import type { AccessStore } from '@workflowlookup/storage';

/** The database where it is kept who may come in, opened when first asked for. */
export interface AccessPlace {
  /** Opens it; called again it gives the same. @throws STORAGE */
  open(): Promise<AccessStore>;
  /** Whether there is one yet; asking makes nothing. */
  isMade(): boolean;
}
