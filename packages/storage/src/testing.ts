export type { OpenStore, StoreChange, WorkflowStoreHarness } from './testing/contract-case.ts';
export { describeWorkflowStore } from './testing/describe-workflow-store.ts';
export type { ContractOptions, MakeWorkflowStore } from './testing/describe-workflow-store.ts';
export { describeSessionStore } from './testing/describe-session-store.ts';
export type { MakeSessionStore, SessionContractOptions } from './testing/describe-session-store.ts';
export type { SessionStoreAbility, SessionStoreHarness } from './testing/session-case.ts';
