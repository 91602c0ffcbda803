import type { SessionStore } from '../session-store.ts';

/** An empty session store under test. */
export interface SessionStoreHarness {
  readonly store: SessionStore;
  /** Opens the same place once more, as another process would. */
  readonly open?: () => Promise<SessionStore>;
  /** Cuts off the end of what is stored, as a write that stopped half way would; every store is closed then. */
  readonly tear?: () => Promise<void>;
  /** Runs after each test, when every store is closed. */
  readonly dispose?: () => Promise<void>;
}

/** What a store can be asked for beside its interface. */
export type SessionStoreAbility = 'open' | 'tear';

/** A harness with every ability that a case needs. */
type AbleHarness = Required<Omit<SessionStoreHarness, 'dispose'>>;

/** One sentence of the contract, and how to see whether it holds. */
export interface SessionCase {
  readonly title: string;
  /** What the harness has to have, or the store, of what not every store has. */
  readonly needs?: readonly (SessionStoreAbility | 'watchChanges')[];
  readonly run: (harness: AbleHarness) => Promise<void>;
}
