import type { AccessStore } from '../access-store.ts';

/** An empty access store under test. */
export interface AccessStoreHarness {
  readonly store: AccessStore;
  /** Opens the same place once more, as another process would. */
  readonly open?: () => Promise<AccessStore>;
  /** Runs after each test: lets everything go. */
  readonly dispose?: () => Promise<void>;
}

/** One sentence of the contract, and how to see whether it holds. */
export interface AccessCase {
  readonly title: string;
  readonly needs?: 'open';
  readonly run: (harness: Required<Omit<AccessStoreHarness, 'dispose'>>) => Promise<void>;
}
