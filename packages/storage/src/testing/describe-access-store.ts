import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccessStoreHarness } from './access-case.ts';
import { accessCases } from './access-cases.ts';

/** Makes a new and empty store. */
export type MakeAccessStore = () => Promise<AccessStoreHarness>;

/** What an access store can't be asked for. */
export interface AccessContractOptions {
  /** Why a harness has no `open`; without a reason its absence fails the tests that need it. */
  readonly skip?: { readonly open?: string };
}

/** Tests that a store keeps the contract of `AccessStore`: call it in a vitest file, once for each adapter. */
export function describeAccessStore(
  name: string,
  make: MakeAccessStore,
  { skip = {} }: AccessContractOptions = {},
): void {
  describe(`${name}, as every access store`, () => {
    let dispose: AccessStoreHarness['dispose'];

    const missing = async (): Promise<never> => expect.fail("the harness has no 'open' and gives no reason");

    beforeEach(() => {
      dispose = undefined;
    });
    afterEach(() => dispose?.());

    it.for(accessCases)('$title', async ({ needs, run }, context) => {
      if (needs !== undefined && skip[needs] !== undefined) context.skip(skip[needs]);
      expect.hasAssertions();
      const harness = await make();
      ({ dispose } = harness);
      await run({ store: harness.store, open: harness.open ?? missing });
    });
  });
}
