import { createMemorySessionStore, createMemoryStore } from '@workflowlookup/storage/memory';
import type { Workflow } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { describe, expect, it } from 'vitest';
import { allActivityWalks } from '../activity-workflows/walks/index.ts';
import { readBundledFolders } from '../support/bundled-folders.ts';
import { readBundled } from '../support/bundled.ts';
import { allWalks } from '../step-workflows/walks/index.ts';
import { actor, follower, visitsOf } from './conducts.ts';
import type { Conduct } from './obedient-agent.ts';
import { obey } from './obedient-agent.ts';
import { openTestServer } from './test-server.ts';

const served: readonly Workflow[] = [
  ...(await readBundled()).flatMap(({ reading }) => reading.workflow ?? []),
  ...(await readBundledFolders()).flatMap(({ workflow }) => workflow ?? []),
];
const workflows = createMemoryStore(served);

/** The first walk of every bundled workflow. */
const walks: readonly (readonly [id: string, conduct: () => Conduct])[] = [
  ...allActivityWalks.map(({ id, walks: [walk] }) => {
    return [id, () => actor(visitsOf(walk?.path ?? []), servedOf(id))] as const;
  }),
  ...allWalks.map(({ id, walks: [walk], samples }) => {
    return [id, () => follower(walk ?? { name: '', steps: [] }, samples, servedOf(id))] as const;
  }),
];

function servedOf(id: string): Workflow {
  const found = served.find((workflow) => workflow.id === id);
  if (found === undefined) throw new Error(`${id} can't be read`);
  return found;
}

describe.each(walks)('a walk through %s', (id, conduct) => {
  it('has the same journal in memory and in SQLite', async () => {
    const inMemory = await keep(createMemorySessionStore());
    const inSqlite = await keep();
    expect(inMemory.events.length).toBeGreaterThan(4);
    expect(inSqlite).toEqual(inMemory);
  });

  /** Follows the walk, with the same clock and random values each time. Returns the session from the store. */
  async function keep(store?: SessionStore) {
    let ticks = 0;
    let draws = 0;
    const server = await openTestServer(workflows, {
      ...(store === undefined ? {} : { store }),
      now: () => new Date(Date.UTC(2026, 2, 1) + 1000 * (ticks += 1)),
      random: (length) => new Uint8Array(length).fill((draws += 1)),
    });
    const { sid } = await obey(server.sessions('strict'), id, conduct());
    const [loaded, events, calls] = await Promise.all([
      server.store.load(sid),
      server.store.events(sid),
      server.store.calls(sid),
    ]);
    await server.close();
    return { session: loaded?.session, events, calls };
  }
});
