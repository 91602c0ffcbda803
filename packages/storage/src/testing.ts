export type { OpenStore, StoreChange, WorkflowStoreHarness } from './testing/contract-case.ts';
export { describeWorkflowStore } from './testing/describe-workflow-store.ts';
export type { ContractOptions, MakeWorkflowStore } from './testing/describe-workflow-store.ts';
