export type {
  OpenStore,
  StoreChange,
  WorkflowStoreHarness,
  ContractOptions,
  MakeWorkflowStore,
} from './testing/workflow-store.ts';
export { describeWorkflowStore } from './testing/workflow-store.ts';
export { describeSessionStore } from './testing/session-store.ts';
export type { MakeSessionStore, SessionContractOptions } from './testing/session-store.ts';
export type { SessionStoreAbility, SessionStoreHarness } from './testing/session-sample.ts';
export { describeAccessStore } from './testing/access-store.ts';
export type { AccessContractOptions, MakeAccessStore, AccessStoreHarness } from './testing/access-store.ts';
