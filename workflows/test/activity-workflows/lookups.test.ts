import type { Context } from '@workflowlookup/conditions';
import { createEngine } from '@workflowlookup/core';
import type { Activity, ActivityWorkflow } from '@workflowlookup/schema';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, it } from 'vitest';
import type { ActivityVisit } from './walks/walk.ts';
import { allActivityWalks } from './walks/index.ts';
import { readBundledFolders } from '../support/bundled-folders.ts';

const workflows = (await readBundledFolders()).flatMap(({ workflow }) => workflow ?? []);
const engine = createEngine({ workflows: createMemoryStore(workflows) });

describe.each(allActivityWalks)('the lookup tools on $id', ({ id, walks }) => {
  it.each(walks)('can follow the whole walk $name', async ({ path }) => {
    const completedSteps: string[] = [];
    let context: Context = {};
    for (const entry of path) {
      const [activity, visit] = typeof entry === 'string' ? [entry, {}] : entry;
      const reply = await engine.next({ workflowId: id, completedSteps, context });
      expect(reply.step?.id).toBe(activity);
      expect(reply.undecided).toBeUndefined();
      context = { ...context, ...settingsOf(activityOf(id, activity), visit) };
      completedSteps.push(activity);
    }
    expect(await engine.next({ workflowId: id, completedSteps, context })).toMatchObject({
      isComplete: true,
    });
  });

  it('reach the end even if no variable is ever set', async () => {
    const completedSteps: string[] = [];
    let reply = await engine.next({ workflowId: id, completedSteps });
    while (reply.step !== null) {
      completedSteps.push(reply.step.id);
      reply = await engine.next({ workflowId: id, completedSteps });
    }
    expect(reply.isComplete).toBe(true);
  });

  it('can validate the output of every step that has criteria or fields', async () => {
    const ids = criteriaIds(workflowOf(id));
    const verdicts = await Promise.all(
      ids.map((stepId) => engine.validate({ workflowId: id, stepId, output: 'Done.' })),
    );
    expect(ids.length).toBeGreaterThan(0);
    expect(verdicts.filter(({ valid }) => valid)).toEqual([]);
  });
});

function workflowOf(id: string): ActivityWorkflow {
  const found = workflows.find((workflow) => workflow.id === id);
  if (found === undefined) throw new Error(`${id} can't be read`);
  return found;
}

function activityOf(workflowId: string, id: string): Activity {
  const found = workflowOf(workflowId).activities.find((part) => part.id === id);
  if (found === undefined) throw new Error(`${workflowId} has no activity '${id}'`);
  return found.definition;
}

/** Returns the variables that a visit adds to the context: those that the definition sets, and those that the agent sets. */
function settingsOf({ entryActions = [], checkpoints = [] }: Activity, visit: ActivityVisit): Context {
  const { answers = {}, sets = {} } = visit;
  const entered = entryActions.map(({ target = '', value }) => [target, value] as const);
  const effects = checkpoints.flatMap(({ id, options }) => {
    const chosen = options.find((option) => option.id === answers[id]);
    return Object.entries(chosen?.effect?.setVariable ?? {});
  });
  return { ...Object.fromEntries([...entered, ...effects]), ...sets };
}

function criteriaIds({ activities }: ActivityWorkflow): readonly string[] {
  return activities.flatMap(({ id, definition: { steps = [], loops = [] } }) =>
    [...steps, ...loops.flatMap((loop) => loop.steps ?? [])]
      .filter(({ validationCriteria, fields }) => validationCriteria !== undefined || fields !== undefined)
      .map((step) => `${id}@0::${step.id}`),
  );
}
