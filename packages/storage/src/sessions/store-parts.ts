import type { SessionStore } from '../session-store.ts';

/** What a store does with sessions and their journals. */
export type JournalMethods = Pick<
  SessionStore,
  'create' | 'load' | 'append' | 'recorded' | 'events' | 'find' | 'counts' | 'changes'
>;

/** What a store does with what is kept by its digest. */
export type ContentMethods = Pick<
  SessionStore,
  'putDefinition' | 'getDefinition' | 'putBlob' | 'getBlob' | 'blobs'
>;

/** What a store keeps beside the journals. */
export type SideMethods = Pick<
  SessionStore,
  'recordCall' | 'calls' | 'joinAgent' | 'agents' | 'delivered' | 'markDelivered' | 'resetDelivered'
>;
