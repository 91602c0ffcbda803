export type { DefinitionProblem, WorkflowChange, WorkflowStore } from './workflow-store.ts';
