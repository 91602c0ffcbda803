// A file whose exports are all public is exported as a whole.
export * from './sessions/session-store.ts';
export type {
  DefinitionProblem,
  Provenance,
  UntrustedDefinition,
  WorkflowChange,
  WorkflowStore,
} from './workflow-store.ts';
