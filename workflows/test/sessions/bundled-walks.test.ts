import type { ActivityWorkflow, Workflow } from '@workflowlookup/schema';
import { verifyChain } from '@workflowlookup/storage/journal';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { afterAll, describe, expect, it } from 'vitest';
import { allActivityWalks } from '../activity-workflows/walks/index.ts';
import { readBundledFolders } from '../support/bundled-folders.ts';
import { readBundled } from '../support/bundled.ts';
import { expectedIds } from '../step-workflows/walks/walk.ts';
import { allWalks } from '../step-workflows/walks/index.ts';
import { actor, follower, visitsOf } from './conducts.ts';
import type { FinishedSession } from './obedient-agent.ts';
import { obey } from './obedient-agent.ts';
import { openTestServer } from './test-server.ts';

const sequences = (await readBundled()).flatMap(({ reading }) => reading.workflow ?? []);
const graphs = (await readBundledFolders()).flatMap(({ workflow }): readonly ActivityWorkflow[] =>
  workflow === undefined ? [] : [workflow],
);
const served: readonly Workflow[] = [...sequences, ...graphs];
const server = await openTestServer(createMemoryStore(served));
afterAll(() => server.close());

it('The walks include every bundled workflow', () => {
  const walked = [...allWalks, ...allActivityWalks].map(({ id }) => id);
  expect(walked.toSorted()).toEqual(served.map(({ id }) => id).toSorted());
});

describe.each(allActivityWalks)('$id', ({ id, walks }) => {
  const finished = new Map<object, Promise<FinishedSession>>();
  /** Follows a walk, but only once, because the tests below only read its session. */
  function follow(path: (typeof walks)[number]['path']): Promise<FinishedSession> {
    const session =
      finished.get(path) ?? obey(server.sessions('strict'), id, actor(visitsOf(path), servedOf(id)));
    finished.set(path, session);
    return session;
  }

  it.each(walks)('can be followed with the calls in the status: $name', async ({ path }) => {
    const session = await follow(path);
    expect(session.path).toEqual(visitsOf(path).map(([activity]) => activity));
    await expectWhole(session);
  });

  it('needs a person for exactly the checkpoints that require one', async () => {
    const workflow = graphs.find((one) => one.id === id);
    const checkpoints = workflow?.activities.flatMap(({ definition }) => definition.checkpoints ?? []) ?? [];
    const human = checkpoints
      .filter(({ approver }) => approver === 'human')
      .map((checkpoint) => checkpoint.id);
    const journeys = await Promise.all(walks.map(({ path }) => follow(path)));
    for (const { answers, byPeople } of journeys) {
      const asked = answers.filter((one) => human.includes(one.split(': ')[0] ?? ''));
      expect(byPeople).toBe(asked.length);
    }
  });
});

describe.each(allWalks)('$id', ({ id, walks, samples }) => {
  it.each(walks)('can be followed with the calls in the status: $name', async (walk) => {
    const finished = await obey(server.sessions('strict'), id, follower(walk, samples, servedOf(id)));
    expect(finished.path).toEqual(expectedIds(walk));
    await expectWhole(finished);
  });
});

function servedOf(id: string): Workflow {
  const found = served.find((workflow) => workflow.id === id);
  if (found === undefined) throw new Error(`${id} can't be read`);
  return found;
}

/** Checks that a session has ended, that its journal is intact, and that it warned once about each loop at its maximum. */
async function expectWhole({ sid, end, warnings, kept }: FinishedSession): Promise<void> {
  expect([...kept]).toEqual([]);
  expect(end).toMatchObject({ status: 'completed', next: [] });
  expect(warnings.filter((one) => !one.includes('maxIterations'))).toEqual([]);
  expect(warnings).toEqual([...new Set(warnings)]);
  const loaded = await server.store.load(sid);
  const { revision, hash } = loaded?.session ?? {};
  expect(verifyChain(sid, await server.store.events(sid))).toEqual({ ok: true, head: { revision, hash } });
}
