import type { Activity, ActivityWorkflow, Json } from '@workflowlookup/schema';
import { parseOperationReference, walkActivitySteps } from '@workflowlookup/schema';
import { judgeFields } from '@workflowlookup/validation';
import { describe, expect, it } from 'vitest';
import type { ActivityWalks } from './walks/walk.ts';
import { allActivityWalks } from './walks/index.ts';
import { readBundledFolders } from '../support/bundled-folders.ts';
import { sampleOf, stepsWithFields, withHeadings } from '../support/field-samples.ts';

const readings = await readBundledFolders();
const workflows = readings.flatMap(({ workflow }) => workflow ?? []);

describe('the bundled activity workflows', () => {
  it('all have test walks', () => {
    expect(readings.map(({ id }) => id)).toEqual(allActivityWalks.map(({ id }) => id));
  });

  it.each(readings)('have no errors or warnings: $id', ({ workflow, issuesByFile }) => {
    expect([...issuesByFile]).toEqual([]);
    expect(workflow?.problems).toEqual([]);
  });

  it.each(allActivityWalks.filter(({ id }) => id !== 'meta'))(
    'take at most five activities for a small task: $id',
    ({ walks }) => {
      const lengths = walks.flatMap(({ name, path }) => (name.startsWith('a small') ? [path.length] : []));
      expect(Math.min(...lengths)).toBeLessThanOrEqual(5);
    },
  );

  it.each(allActivityWalks)('have test walks for every transition and every option: $id', (walks) => {
    const activities = activitiesOf(workflowOf(walks));
    const { taken, answers } = walked(walks);
    const transitions = activities.flatMap(({ id, transitions: all = [] }) =>
      all.map(({ to }) => `${id} to ${to}`),
    );
    expect(transitions.filter((transition) => !taken.has(transition))).toEqual([]);
    expect(activities.flatMap(optionsOf).filter((option) => !answers.has(option))).toEqual([]);
  });

  it.each(workflows)(
    'accept the fields of a step as JSON or under headings, and name a missing one: $id',
    (workflow) => {
      for (const step of stepsWithFields(workflow).values()) {
        const good = sampleOf(step);
        const issuesOf = (output: string) => judgeFields(step.fields, output).issues;
        expect(issuesOf(JSON.stringify(good))).toEqual([]);
        expect(issuesOf(withHeadings(good))).toEqual([]);
        for (const { id } of step.fields.filter(({ required }) => required !== false)) {
          const { [id]: _left, ...rest } = good;
          expect(issuesOf(JSON.stringify(rest)).join()).toContain(`"${id}"`);
        }
      }
    },
  );
});

describe.each(workflows)('$id', (workflow) => {
  const activities = activitiesOf(workflow);
  const allCheckpoints = activities.flatMap(({ id, checkpoints = [] }) =>
    checkpoints.map((checkpoint) => ({ activity: id, ...checkpoint })),
  );

  it('is strict, and has a condition, a decision, a loop and an optional activity', () => {
    expect(workflow.definition.enforcement).toBe('strict');
    const counts = {
      conditions: activities
        .flatMap(({ transitions = [] }) => transitions)
        .filter(({ condition }) => condition).length,
      decisions: activities.flatMap(({ decisions = [] }) => decisions).length,
      loops: activities.flatMap(({ loops = [] }) => loops).length,
      optional: activities.filter(({ required }) => required === false).length,
    };
    expect(Object.values(counts).every((count) => count > 0)).toBe(true);
  });

  it('lets an agent report that it cannot collect evidence', () => {
    const trapped = activities
      .flatMap((activity) => [...walkActivitySteps(activity)].map(({ step }) => step))
      .filter(({ evidence, may_be_missing: may }) => evidence !== undefined && may !== true);
    expect(trapped.map(({ id }) => id)).toEqual([]);
  });

  it('has a default transition in every activity', () => {
    const open = activities.filter(({ transitions = [] }) => !transitions.some(({ isDefault }) => isDefault));
    expect(open.map(({ id }) => id)).toEqual([]);
  });

  it('sets a variable for each option of its checkpoints', () => {
    const idle = allCheckpoints.flatMap(({ id, options }) =>
      options
        .filter(({ effect }) => Object.keys(effect?.setVariable ?? {}).length === 0)
        .map((option) => `${id}: ${option.id}`),
    );
    expect(idle).toEqual([]);
  });

  it('sets variables only to values of their type', () => {
    const types = new Map((workflow.definition.variables ?? []).map(({ name, type }) => [name, type]));
    const wrong = activities
      .flatMap(assignmentsOf)
      .filter(([name, value]) => types.get(name) !== typeOf(value));
    expect(wrong).toEqual([]);
  });

  it('has a transition for each option that only a person can choose, so that no variable overrides the answer', () => {
    const loose = allCheckpoints.filter(
      ({ approver, options }) => approver === 'human' && options.some(({ effect }) => !effect?.transitionTo),
    );
    expect(loose.map(({ id }) => id)).toEqual([]);
  });

  it('bundles every operation that a step uses', () => {
    const missing = activities.flatMap((activity) => {
      const bundled = new Set((activity.operations ?? []).map(unprefixed));
      return invocationsIn(activity).filter((invoked) => !bundled.has(invoked));
    });
    expect(missing).toEqual([]);
  });
});

it('asks a person before an attack, a merge or a disclosure', () => {
  const human = workflows.flatMap((workflow) =>
    activitiesOf(workflow).flatMap(({ checkpoints = [] }) =>
      checkpoints.filter(({ approver }) => approver === 'human').map(({ id }) => `${workflow.id}: ${id}`),
    ),
  );
  expect(human).toEqual([
    'dependency-upgrade: merge-upgrades',
    'issue-to-merge: merge-approval',
    'security-audit: permission',
    'security-audit: disclose',
  ]);
});

function workflowOf({ id }: ActivityWalks): ActivityWorkflow {
  const found = workflows.find((workflow) => workflow.id === id);
  if (found === undefined) throw new Error(`${id} can't be read`);
  return found;
}

function activitiesOf({ activities }: ActivityWorkflow): readonly Activity[] {
  return activities.map(({ definition }) => definition);
}

function optionsOf({ id, checkpoints = [] }: Activity): readonly string[] {
  return checkpoints.flatMap((checkpoint) =>
    checkpoint.options.map((option) => `${id}: ${checkpoint.id}: ${option.id}`),
  );
}

/** Returns the transitions that the walks of a workflow take, and the options that they choose. */
function walked({ walks }: ActivityWalks): { taken: ReadonlySet<string>; answers: ReadonlySet<string> } {
  const taken = new Set<string>();
  const answers = new Set<string>();
  for (const { path } of walks) {
    const ids = path.map((entry) => (typeof entry === 'string' ? entry : entry[0]));
    for (const [at, id] of ids.entries()) taken.add(`${id} to ${ids[at + 1] ?? 'end'}`);
    for (const entry of path) {
      if (typeof entry === 'string') continue;
      const [id, { answers: given = {} }] = entry;
      for (const [checkpoint, option] of Object.entries(given))
        answers.add(`${id}: ${checkpoint}: ${option}`);
    }
  }
  return { taken, answers };
}

/** Returns the variables that options and entry actions of an activity set, with their values. */
function assignmentsOf({
  checkpoints = [],
  entryActions = [],
}: Activity): readonly (readonly [string, Json])[] {
  const effects = checkpoints.flatMap(({ options }) =>
    options.flatMap(({ effect }) => Object.entries(effect?.setVariable ?? {})),
  );
  return [...effects, ...entryActions.map(({ target = '', value = null }) => [target, value] as const)];
}

function typeOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the operations, such as `skill::operation`, that the descriptions of an activity's steps name. */
function invocationsIn(activity: Activity): readonly string[] {
  return [...walkActivitySteps(activity)].flatMap(({ step: { description = '' } }) =>
    [...description.matchAll(/[a-z-]+::[a-z-]+/g)].map(([invoked]) => invoked),
  );
}

function unprefixed(reference: string): string {
  const { skill = '', element = '' } = parseOperationReference(reference) ?? {};
  return `${skill}::${element}`;
}
