import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { ActivityWorkflow } from '@workflowlookup/schema';
import { createFilesStore } from '@workflowlookup/storage/files';
import { verifyChain } from '@workflowlookup/storage/journal';
import { afterAll, describe, expect, it } from 'vitest';
import type { Journey } from './obedient-agent.ts';
import { obey } from './obedient-agent.ts';
import { openHouse } from './open-house.ts';
import { isShown } from './problem-proofs.ts';
import { wanderer } from './wanderer.ts';

/** A folder of activity workflows that are not of this repository. */
const directory = process.env['WORKFLOWLOOKUP_REAL_DEFINITIONS'];
const seeds = [0, 1, 2];

if (directory === undefined) {
  it.skip('walks definitions nobody here wrote: set WORKFLOWLOOKUP_REAL_DEFINITIONS to a folder of them', () => {});
} else {
  const store = createFilesStore({ directory, read: readDefinition, readFolder: readWorkflowFolder });
  const house = await openHouse(store);
  const problems = await store.problems();
  const ids = (await store.list()).map(({ id }) => id);
  const workflows = (await Promise.all(ids.map((id) => store.get(id)))).filter(
    (one): one is ActivityWorkflow => one?.kind === 'activities',
  );
  afterAll(async () => {
    await house.close();
    await store.close();
  });

  describe('a file', () => {
    it('is read, or is a problem', () => {
      expect(workflows.length).toBeGreaterThan(0);
      const read = workflows.flatMap((one) => [...one.activities, ...one.skills, ...one.resources]);
      expect(read.length).toBeGreaterThan(0);
    });

    it.each(problems.map((problem) => [problem.file, problem] as const))(
      'says itself why it is a problem: %s',
      async (file, { issues }) => {
        const shown = await Promise.all(
          issues
            .filter(({ severity }) => severity === 'error')
            .map((issue) => isShown(directory, file, issue)),
        );
        expect(shown.length).toBeGreaterThan(0);
        expect(shown).not.toContain(false);
      },
    );
  });

  describe.each(workflows.map((workflow) => [workflow.id, workflow] as const))('%s', (id, workflow) => {
    const broken = problems.filter((problem) => problem.id === id);
    const isSound = broken.length === 0;
    const leadsNowhere = broken.some(({ issues }) =>
      issues.some(({ message }) => message.includes('leads to')),
    );

    it.skipIf(leadsNowhere).each(seeds)('is gone through in an advisory session, seed %i', async (seed) => {
      const journey = await obey(house.sessions('advisory'), id, wanderer(workflow, seed));
      await expectWhole(journey);
    });

    it.runIf(isSound).each(seeds)(
      'is gone through in a strict session, without a warning, seed %i',
      async (seed) => {
        const journey = await obey(house.sessions('strict'), id, wanderer(workflow, seed));
        await expectWhole(journey);
        expect(journey.warnings).toEqual([]);
      },
    );
  });

  /** Ended, with a journal nobody changed. */
  async function expectWhole({ sid, end, path, answers }: Journey): Promise<void> {
    expect(end).toMatchObject({ status: 'completed', next: [] });
    const loaded = await house.store.load(sid);
    const events = await house.store.events(sid);
    const { revision, hash } = loaded?.session ?? {};
    expect(verifyChain(sid, events)).toEqual({ ok: true, head: { revision, hash } });
    // Start and end, each activity, and each checkpoint twice.
    expect(revision).toBe(2 + path.length + 2 * answers.length);
  }
}
