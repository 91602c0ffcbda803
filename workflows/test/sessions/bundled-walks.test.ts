import type { ActivityWorkflow, Workflow } from '@workflowlookup/schema';
import { verifyChain } from '@workflowlookup/storage/journal';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { afterAll, describe, expect, it } from 'vitest';
import type { ActivityVisit, ActivityWalks } from '../activity-walk.ts';
import { allActivityWalks } from '../activity-walks/index.ts';
import { readBundledFolders } from '../bundled-folders.ts';
import { readBundled } from '../bundled.ts';
import { renderings } from '../output.ts';
import type { Output } from '../output.ts';
import type { Sample, Walk } from '../walk.ts';
import { expectedIds } from '../walk.ts';
import { allWalks } from '../walks/index.ts';
import type { Conduct, Journey } from './obedient-agent.ts';
import { obey } from './obedient-agent.ts';
import { openHouse } from './open-house.ts';

const sequences = (await readBundled()).flatMap(({ reading }) => reading.workflow ?? []);
const graphs = (await readBundledFolders()).flatMap(({ workflow }): readonly ActivityWorkflow[] =>
  workflow === undefined ? [] : [workflow],
);
const served: readonly Workflow[] = [...sequences, ...graphs];
const house = await openHouse(createMemoryStore(served));
afterAll(() => house.close());

it('walks every bundled workflow', () => {
  const walked = [...allWalks, ...allActivityWalks].map(({ id }) => id);
  expect(walked.toSorted()).toEqual(served.map(({ id }) => id).toSorted());
});

describe.each(allActivityWalks)('$id', ({ id, walks, outputs }) => {
  it.each(walks)('is gone through by who does what the status says: $name', async ({ path }) => {
    const visits = path.map((entry) => (typeof entry === 'string' ? ([entry, {}] as const) : entry));
    const journey = await obey(house.sessions('strict'), id, actor(visits, outputs));
    expect(journey.path).toEqual(visits.map(([activity]) => activity));
    await expectWhole(journey);
  });

  it('is answered by people where it asks for them', async () => {
    const workflow = graphs.find((one) => one.id === id);
    const gates = workflow?.activities.flatMap(({ definition }) => definition.checkpoints ?? []) ?? [];
    const human = gates.filter(({ approver }) => approver === 'human').map((gate) => gate.id);
    const journeys = await Promise.all(
      walks.map(({ path }) => {
        const visits = path.map((entry) => (typeof entry === 'string' ? ([entry, {}] as const) : entry));
        return obey(house.sessions('strict'), id, actor(visits, outputs));
      }),
    );
    for (const { answers, byPeople } of journeys) {
      const asked = answers.filter((one) => human.includes(one.split(': ')[0] ?? ''));
      expect(byPeople).toBe(asked.length);
    }
  });
});

describe.each(allWalks)('$id', ({ id, walks, samples }) => {
  it.each(walks)('is gone through by who does what the status says: $name', async (walk) => {
    const journey = await obey(house.sessions('strict'), id, follower(walk, samples));
    expect(journey.path).toEqual(expectedIds(walk));
    await expectWhole(journey);
  });
});

/** Plays the visits of a walk, one after the other. */
function actor(
  visits: readonly (readonly [activity: string, visit: ActivityVisit])[],
  outputs: ActivityWalks['outputs'],
): Conduct {
  let left = 0;
  return {
    ...certain,
    output: (step) => textOf(outputs[step] ?? 'Done as described.'),
    choose: ({ checkpoint }) => visits[left]?.[1].answers?.[checkpoint] ?? '',
    learn() {
      const [, visit] = visits[left] ?? [];
      left += 1;
      return visit?.sets ?? {};
    },
  };
}

/** Learns in each step what a walk says. */
function follower({ steps }: Walk, samples: Readonly<Record<string, Sample>>): Conduct {
  const sets = new Map(steps.map((step) => (typeof step === 'string' ? [step, {}] : step)));
  return {
    ...certain,
    output(step) {
      const good = samples[step.split('::').at(-1) ?? '']?.good ?? 'Done as described.';
      return textOf(Array.isArray(good) ? (good[0] as Output) : (good as Output));
    },
    choose: () => 'confirm',
    learn: (step) => sets.get(step) as ReturnType<Conduct['learn']>,
  };
}

/** Who knows what the work taught leaves nothing to guess. */
const certain: Pick<Conduct, 'settle' | 'clear'> = {
  settle: () => ({}),
  clear: () => ({}),
};

function textOf(output: Output): string {
  return renderings(output)[0] ?? '';
}

/** Ended with a journal nobody changed, and warned of nothing but loops that were cut short, of each once. */
async function expectWhole({ sid, end, warnings }: Journey): Promise<void> {
  expect(end).toMatchObject({ status: 'completed', next: [] });
  expect(warnings.filter((one) => !one.includes('maxIterations'))).toEqual([]);
  expect(warnings).toEqual([...new Set(warnings)]);
  const loaded = await house.store.load(sid);
  const { revision, hash } = loaded?.session ?? {};
  expect(verifyChain(sid, await house.store.events(sid))).toEqual({ ok: true, head: { revision, hash } });
}
