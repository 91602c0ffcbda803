export type { OpenStore, StoreChange, WorkflowStoreHarness } from './testing/contract-case.ts';
export { describeWorkflowStore } from './testing/describe-workflow-store.ts';
export type { ContractOptions, MakeWorkflowStore } from './testing/describe-workflow-store.ts';
export { describeSessionStore } from './testing/describe-session-store.ts';
export type { MakeSessionStore, SessionContractOptions } from './testing/describe-session-store.ts';
export type { SessionStoreAbility, SessionStoreHarness } from './testing/session-case.ts';
export { describeAccessStore } from './testing/describe-access-store.ts';
export type { AccessContractOptions, MakeAccessStore } from './testing/describe-access-store.ts';
export type { AccessStoreHarness } from './testing/access-case.ts';
