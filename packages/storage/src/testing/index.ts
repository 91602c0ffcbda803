import { describe, expect, test } from 'vitest';
import {
  sessionAgentCases,
  sessionContentCases,
  sessionExportCases,
  sessionPruneCases,
} from './session-data-cases.ts';
import { sessionJournalCases, sessionRefusalCases, sessionWriteCases } from './session-journal-cases.ts';
import {
  sessionChangeCases,
  sessionFindCases,
  sessionHintCases,
  sessionIndexCases,
} from './session-query-cases.ts';
import type { SessionFixtures, SessionStoreAbility, SessionStoreHarness } from './session-sample.ts';
import { ability } from './session-sample.ts';

export type {
  OpenStore,
  StoreChange,
  WorkflowStoreHarness,
  ContractOptions,
  MakeWorkflowStore,
} from './workflow-store.ts';
export { describeWorkflowStore } from './workflow-store.ts';
export type { SessionStoreAbility, SessionStoreHarness } from './session-sample.ts';
export { describeAccessStore } from './access-store.ts';
export type { AccessContractOptions, MakeAccessStore, AccessStoreHarness } from './access-store.ts';

/** Makes a new and empty store. */
export type MakeSessionStore = () => Promise<SessionStoreHarness>;

/** Options of the contract tests. */
export interface SessionContractOptions {
  /** Why the harness lacks an ability. Without a reason, the tests that need it fail. */
  readonly skip?: Partial<Readonly<Record<SessionStoreAbility, string>>>;
}

const suites = [
  sessionWriteCases,
  sessionJournalCases,
  sessionRefusalCases,
  sessionFindCases,
  sessionIndexCases,
  sessionContentCases,
  sessionAgentCases,
  sessionPruneCases,
  sessionChangeCases,
  sessionHintCases,
  sessionExportCases,
];

/** Tests that a store keeps the contract of `SessionStore`. Call it in a vitest file, once for each adapter. */
export function describeSessionStore(
  name: string,
  make: MakeSessionStore,
  { skip: reasons = {} }: SessionContractOptions = {},
): void {
  const it = test.extend<SessionFixtures>({
    harness: async ({ task: _task }, use) => {
      expect.hasAssertions();
      const harness = await make();
      const opened = [harness.store];
      await use({ ...harness, opened });
      for (const store of opened) await store.close();
      await harness.dispose?.();
    },
    store: ({ harness }, use) => use(harness.store),
    open: ({ harness, skip }, use) => {
      const open = ability('open', harness.open, { skip, reason: reasons.open });
      return use(async () => {
        const another = await open();
        harness.opened.push(another);
        return another;
      });
    },
    tear: ({ harness, skip }, use) => use(ability('tear', harness.tear, { skip, reason: reasons.tear })),
    index: ({ store, skip }, use) => use(store.index ?? skip('the store keeps no index, and need not')),
    watchChanges: ({ store, skip }, use) =>
      use(store.watchChanges ?? skip('the store gives no hints, and need not')),
  });
  describe(`${name}, as every session store`, () => {
    for (const suite of suites) suite(it);
  });
}
