import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import type { WorkflowStore } from '../workflow-store.ts';

/**
 * A store under test, and the ways to change what it serves. Each way settles once the change was made, which may be
 * before the store has noticed.
 */
export interface WorkflowStoreHarness {
  readonly store: WorkflowStore;
  /** Adds a definition, or puts it in place of the one with its id. */
  readonly put?: (definition: StepWorkflowDefinition) => Promise<void>;
  readonly remove?: (id: string) => Promise<void>;
  /** Makes the definition with this id unusable; `put` mends it. */
  readonly spoil?: (id: string) => Promise<void>;
  /** Runs after each test, when the store is closed. */
  readonly dispose?: () => Promise<void>;
}

/** A way to change what a store serves. */
export type StoreChange = 'put' | 'remove' | 'spoil';

/** Opens a store that serves these definitions, for one test; it is closed and disposed of afterwards. */
export type OpenStore = (...definitions: readonly StepWorkflowDefinition[]) => Promise<WorkflowStoreHarness>;

/** One sentence of the contract, and how to see whether it holds. */
export interface ContractCase {
  readonly title: string;
  readonly needs?: readonly StoreChange[];
  readonly run: (open: OpenStore) => Promise<void>;
}
