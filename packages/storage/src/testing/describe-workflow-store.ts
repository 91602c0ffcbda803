import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeCases } from './change-cases.ts';
import type { OpenStore, StoreChange, WorkflowStoreHarness } from './contract-case.ts';
import { readCases } from './read-cases.ts';

/** Makes a new store that serves these definitions. */
export type MakeWorkflowStore = (
  definitions: readonly StepWorkflowDefinition[],
) => Promise<WorkflowStoreHarness>;

/** What a store can't be asked for. */
export interface ContractOptions {
  /** Why a harness has no such change; without a reason its absence fails the tests that need it. */
  readonly skip?: Partial<Readonly<Record<StoreChange, string>>>;
}

/** Tests that a store keeps the contract of `WorkflowStore`: call it in a vitest file, once for each adapter. */
export function describeWorkflowStore(
  name: string,
  make: MakeWorkflowStore,
  { skip = {} }: ContractOptions = {},
): void {
  describe(`${name}, as every workflow store`, () => {
    let opened: WorkflowStoreHarness[] = [];
    const open: OpenStore = async (...definitions) => {
      const harness = await make(definitions);
      opened.push(harness);
      return harness;
    };

    beforeEach(() => {
      opened = [];
    });
    afterEach(async () => {
      for (const { store, dispose } of opened) {
        await store.close();
        await dispose?.();
      }
    });

    it.for([...readCases, ...changeCases])('$title', async ({ needs = [], run }, context) => {
      for (const need of needs) if (skip[need] !== undefined) context.skip(skip[need]);
      expect.hasAssertions();
      await run(async (...definitions) => {
        const harness = await open(...definitions);
        const lacking = needs.filter((need) => harness[need] === undefined);
        expect(lacking, 'changes the harness lacks without giving a reason').toEqual([]);
        return harness;
      });
    });
  });
}
