import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore } from './sessions/session-store.ts';
import { sessionExportCases, sessionDataCases } from './testing/session-data-cases.ts';
import { sessionJournalCases, sessionRefusalCases } from './testing/session-journal-cases.ts';
import {
  sessionChangeCases,
  sessionFindCases,
  sessionHintCases,
  sessionIndexCases,
} from './testing/session-query-cases.ts';
import type { SessionStoreAbility, SessionStoreHarness } from './testing/session-sample.ts';

export type {
  OpenStore,
  StoreChange,
  WorkflowStoreHarness,
  ContractOptions,
  MakeWorkflowStore,
} from './testing/workflow-store.ts';
export { describeWorkflowStore } from './testing/workflow-store.ts';
export type { SessionStoreAbility, SessionStoreHarness } from './testing/session-sample.ts';
export { describeAccessStore } from './testing/access-store.ts';
export type { AccessContractOptions, MakeAccessStore, AccessStoreHarness } from './testing/access-store.ts';

/** Makes a new and empty store. */
export type MakeSessionStore = () => Promise<SessionStoreHarness>;

/** Options of the contract tests. */
export interface SessionContractOptions {
  /** Why the harness lacks an ability. Without a reason, the tests that need it fail. */
  readonly skip?: Partial<Readonly<Record<SessionStoreAbility, string>>>;
}

const cases = [
  ...sessionJournalCases,
  ...sessionRefusalCases,
  ...sessionFindCases,
  ...sessionIndexCases,
  ...sessionDataCases,
  ...sessionChangeCases,
  ...sessionHintCases,
  ...sessionExportCases,
];

/** Tests that a store keeps the contract of `SessionStore`. Call it in a vitest file, once for each adapter. */
export function describeSessionStore(
  name: string,
  make: MakeSessionStore,
  { skip = {} }: SessionContractOptions = {},
): void {
  describe(`${name}, as every session store`, () => {
    let opened: SessionStore[] = [];
    let dispose: SessionStoreHarness['dispose'];

    const missing = (ability: SessionStoreAbility) => async (): Promise<never> =>
      expect.fail(`the harness has no '${ability}' and gives no reason`);

    beforeEach(() => {
      opened = [];
      dispose = undefined;
    });
    afterEach(async () => {
      for (const store of opened) await store.close();
      await dispose?.();
    });

    it.for(cases)('$title', async ({ needs = [], run }, context) => {
      for (const need of needs)
        if (need !== 'watchChanges' && need !== 'index' && skip[need] !== undefined) context.skip(skip[need]);
      expect.hasAssertions();
      const harness = await make();
      const { store, open = missing('open'), tear = missing('tear') } = harness;
      ({ dispose } = harness);
      opened.push(store);
      if (needs.includes('watchChanges') && store.watchChanges === undefined)
        context.skip('the store gives no hints, and need not');
      if (needs.includes('index') && store.index === undefined)
        context.skip('the store keeps no index, and need not');
      const openAnother = async (): Promise<SessionStore> => {
        const another = await open();
        opened.push(another);
        return another;
      };
      await run({ store, open: openAnother, tear });
    });
  });
}
