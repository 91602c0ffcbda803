import { expect, expectTypeOf, test } from 'vitest';
import { createWorkflows } from '../../src/embed/create-workflows.ts';
import { defineWorkflow } from '../../src/embed/define-workflow.ts';
import type {
  ActivityIdOf,
  CheckpointIdOf,
  DefinedWorkflow,
  OutputId,
  StepIdOf,
} from '../../src/embed/define-workflow.ts';

const message = 'Say more.';

test('Ids are inferred, including those of steps in loops', () => {
  const steps = defineWorkflow({
    id: 'steps',
    name: 'Steps',
    steps: [
      { id: 'list', title: 'List', prompt: 'List them.' },
      {
        type: 'loop',
        id: 'each',
        title: 'Each',
        loop: { type: 'for', count: 2, maxIterations: 2 },
        body: [{ id: 'item', title: 'Item', prompt: 'Do it.' }],
      },
    ],
  });
  expectTypeOf<StepIdOf<typeof steps>>().toEqualTypeOf<OutputId<'list' | 'item'>>();
  expectTypeOf<ActivityIdOf<typeof steps>>().toEqualTypeOf<OutputId<'list' | 'item'>>();
  expectTypeOf<CheckpointIdOf<typeof steps>>().toEqualTypeOf<'confirm'>();
  const activities = defineWorkflow({
    id: 'activities',
    title: 'Activities',
    activities: [
      {
        id: 'plan',
        name: 'Plan',
        steps: [{ id: 'think' }],
        loops: [{ id: 'each', name: 'Each', type: 'forEach', steps: [{ id: 'item' }] }],
        checkpoints: [{ id: 'go', name: 'Go', message: 'Go?', options: [{ id: 'no', label: 'No' }] }],
      },
      { id: 'build', name: 'Build' },
    ],
  });
  expectTypeOf<StepIdOf<typeof activities>>().toEqualTypeOf<OutputId<'think' | 'item'>>();
  expectTypeOf<ActivityIdOf<typeof activities>>().toEqualTypeOf<'plan' | 'build'>();
  expectTypeOf<CheckpointIdOf<typeof activities>>().toEqualTypeOf<'go'>();
  expect([steps.id, activities.id]).toEqual(['steps', 'activities']);
});

/** Expects that the workflow is also refused at run time, for users whose code is not compiled. */
async function expectRefused(defined: DefinedWorkflow): Promise<void> {
  await expect(createWorkflows({ definitions: [defined] }).start(defined)).rejects.toMatchObject({
    code: 'INVALID_WORKFLOW',
  });
}

const ids = { id: 'example', name: 'Example' } as const;
const list = { id: 'list', title: 'List', prompt: 'List them.' } as const;
const plan = { id: 'plan', name: 'Plan' } as const;

test('A property that does not exist is a compile error', async () => {
  // @ts-expect-error a step has no such property
  await expectRefused(defineWorkflow({ ...ids, steps: [{ ...list, nonsense: 1 }] }));
  const more = { id: 'example', title: 'Example' } as const;
  await expectRefused(
    // @ts-expect-error a step of an activity has its instructions in `description`, not in `prompt`
    defineWorkflow({ ...more, activities: [{ ...plan, steps: [{ id: 'think', prompt: 'Think.' }] }] }),
  );
  const go = { id: 'go', name: 'Go', message: 'Go?' } as const;
  await expectRefused(
    // @ts-expect-error the option has no label
    defineWorkflow({ ...more, activities: [{ ...plan, checkpoints: [{ ...go, options: [{ id: 'no' }] }] }] }),
  );
});

test('A criterion without its message or its value is a compile error', async () => {
  const accepted = defineWorkflow({
    ...ids,
    steps: [
      {
        ...list,
        validationCriteria: [
          { type: 'contains', value: 'x', message },
          {
            or: [
              { type: 'regex', pattern: '^x', message },
              { not: { type: 'schema', schema: true, message } },
            ],
          },
          { type: 'length', min: 3, message },
        ],
      },
    ],
  });
  expect(await createWorkflows({ definitions: [accepted] }).list()).toHaveLength(1);
  const length = { type: 'length', min: 3 } as const;
  // @ts-expect-error the criterion has no message
  await expectRefused(defineWorkflow({ ...ids, steps: [{ ...list, validationCriteria: length }] }));
  const contains = { type: 'contains', message } as const;
  // @ts-expect-error the criterion has no value
  await expectRefused(defineWorkflow({ ...ids, steps: [{ ...list, validationCriteria: contains }] }));
});
