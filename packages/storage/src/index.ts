export type { AccessStore, ApiKeyRecord, StateStore } from './access-store.ts';
export type {
  CallRecord,
  JournalEvent,
  JournalHead,
  LoadedSession,
  NewSession,
  PageRequest,
  PruneRequest,
  Range,
  RecordedCommand,
  SessionChange,
  SessionCounts,
  SessionPage,
  SessionQuery,
  SessionRow,
  SessionStatus,
  SessionStore,
  SessionWrite,
  Snapshot,
  StoreHealth,
} from './session-store.ts';
export type { DefinitionProblem, WorkflowChange, WorkflowStore } from './workflow-store.ts';
