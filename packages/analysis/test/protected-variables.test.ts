import { readWorkflowFolder } from '@workflowlookup/core';
import type { Trial, TrialAction } from '@workflowlookup/analysis';
import { tryWorkflow } from '@workflowlookup/analysis';
import type { Activity, ActivityVariable, CheckpointOption } from '@workflowlookup/schema';
import { expect, test } from 'vitest';

type Sketch = Partial<Activity> & { readonly id: string };

const work = { id: 'do', fields: [{ id: 'value' }], sets: { decision: 'value' } };
const ask = { id: 'ask', checkpoint: 'gate' };

/** Returns a checkpoint whose options set the variable `decision` to their ids. */
const checkpoint = (...options: readonly Partial<CheckpointOption>[]) => ({
  id: 'gate',
  name: 'Gate',
  message: 'Go on?',
  approver: 'human' as const,
  options: (options.length === 0 ? [{}, {}] : options).map((option, at) => ({
    id: ['yes', 'no'][at] ?? '',
    label: ['Yes', 'No'][at] ?? '',
    effect: { setVariable: { decision: ['yes', 'no'][at] ?? '' } },
    ...option,
  })),
});

const asking: Sketch = { id: 'a', steps: [ask], checkpoints: [checkpoint()], transitions: [{ to: 'b' }] };
const working: Sketch = { id: 'b', steps: [work], transitions: [{ to: 'end' }] };
const between: Sketch = { id: 'c', steps: [{ id: 'other' }], transitions: [{ to: 'b' }] };

const text: Partial<ActivityVariable> = { type: 'string', defaultValue: 'open' };

async function read(sketches: readonly Sketch[], variable = text) {
  const definition = {
    id: 'flow',
    version: '1.0.0',
    title: 'Flow',
    description: 'It asks a person.',
    enforcement: 'strict',
    initialActivity: 'a',
    variables: [{ name: 'decision', ...variable }],
    activities: sketches.map((sketch) => ({ version: '1.0.0', name: sketch.id, ...sketch })),
  };
  const { workflow, issuesByFile } = await readWorkflowFolder(
    new Map([['workflow.json', JSON.stringify(definition)]]),
    { id: 'flow' },
  );
  if (workflow === undefined) throw new Error(JSON.stringify([...issuesByFile]));
  return {
    workflow,
    stuck: [...issuesByFile.values()]
      .flat()
      .flatMap(({ code, pointer }) => (code === 'stuck' ? [pointer] : [])),
  };
}

/** Follows a session to its end or to the first refusal. Every question gets its first answer. */
async function follow({ workflow }: Awaited<ReturnType<typeof read>>): Promise<Trial> {
  const actions: TrialAction[] = [];
  for (;;) {
    const trial = await tryWorkflow(workflow, { actions });
    const { position, refusal } = trial;
    if (refusal !== undefined || position.status === 'completed') return trial;
    if (position.status === 'waiting')
      actions.push({ kind: 'answer', option: position.checkpoint.options[0]?.id ?? '' });
    else {
      const outputs = position.steps.map(({ id, outputSchema, isRequired }) =>
        isRequired
          ? [[id, outputSchema === undefined ? 'Done.' : JSON.stringify(valueFor(outputSchema))]]
          : [],
      );
      actions.push({ kind: 'submit', outputs: Object.fromEntries(outputs.flat()) as Record<string, string> });
    }
  }
}

/** Returns a value for the field of {@link work}: the value of the answer if the field allows it, and otherwise another one. */
function valueFor(schema: object): object {
  const written = JSON.stringify(schema);
  if (written.includes('"boolean"')) return { value: true };
  return { value: written.includes('"yes"') ? 'yes' : 'changed' };
}

const inFirst = '/activities/0/steps/0/sets/decision';
const inSecond = '/activities/1/steps/0/sets/decision';

test.each<[string, readonly Sketch[], string, Partial<ActivityVariable>?]>([
  [
    'in the activity that asks, before the question',
    [{ ...asking, steps: [work, ask], transitions: [] }],
    inFirst,
  ],
  [
    'in the activity that asks, without a step that names the question',
    [{ ...asking, steps: [work], transitions: [] }],
    inFirst,
  ],
  ['in the next activity', [asking, working], inSecond],
  [
    'in the next activity, of an answer of the user',
    [{ ...asking, checkpoints: [{ ...checkpoint(), approver: 'any' }] }, working],
    inSecond,
  ],
  [
    'in the activity after the next one',
    [{ ...asking, transitions: [{ to: 'c' }] }, working, between],
    inSecond,
  ],
  [
    'in the activity that the answer names',
    [
      {
        ...asking,
        checkpoints: [
          checkpoint({ effect: { setVariable: { decision: 'yes' }, transitionTo: 'b' } }, { effect: {} }),
        ],
        transitions: [{ to: 'end' }],
      },
      working,
    ],
    inSecond,
  ],
  ['by a variable that is not declared with a default', [asking, working], inSecond, { type: 'string' }],
  [
    'by a choice without the value of the answer',
    [
      asking,
      { ...working, steps: [{ ...work, fields: [{ id: 'value', type: 'choice', options: ['changed'] }] }] },
    ],
    inSecond,
  ],
])(
  'Lint warns of a step that sets a variable of an answer, and the server refuses it: %s',
  async (_name, sketches, at, variable) => {
    const found = await read(sketches, variable);
    expect(found.stuck).toEqual([at]);
    expect((await follow(found)).refusal?.code).toBe('VARIABLE_PROTECTED');
  },
);

test.each<[string, readonly Sketch[], Partial<ActivityVariable>?]>([
  [
    'before the question',
    [
      { ...working, id: 'a', transitions: [{ to: 'b' }] },
      { ...asking, id: 'b', transitions: [] },
    ],
  ],
  ['with set_by', [asking, working], { ...text, set_by: ['b'] }],
  [
    'under a condition that the answer decides',
    [asking, { ...working, steps: [{ ...work, when: 'decision == "open"' }] }],
  ],
  ['if the agent likes', [asking, { ...working, steps: [{ ...work, required: false }] }]],
  [
    'after an answer that does not set it',
    [{ ...asking, checkpoints: [checkpoint({ effect: {} }, { effect: { transitionTo: 'end' } })] }, working],
  ],
  [
    'on a path that the answer closes',
    [
      {
        ...asking,
        transitions: [
          { to: 'b', condition: 'decision == "open"' },
          { to: 'end', isDefault: true },
        ],
      },
      working,
    ],
  ],
  [
    'by a choice with the value of the answer',
    [
      asking,
      { ...working, steps: [{ ...work, fields: [{ id: 'value', type: 'choice', options: ['yes', 'no'] }] }] },
    ],
  ],
  [
    'by a boolean',
    [
      {
        ...asking,
        checkpoints: [
          checkpoint(
            { effect: { setVariable: { decision: true } } },
            { effect: { setVariable: { decision: false } } },
          ),
        ],
      },
      { ...working, steps: [{ ...work, fields: [{ id: 'value', type: 'boolean' }] }] },
    ],
    { type: 'boolean', defaultValue: false },
  ],
  [
    'if only the answer that is not asked for sets it',
    [{ ...asking, steps: [work], checkpoints: [{ ...checkpoint(), approver: 'any' }], transitions: [] }],
  ],
])('Lint does not warn of a step that the server accepts: %s', async (_name, sketches, variable) => {
  const found = await read(sketches, variable);
  expect(found.stuck).toEqual([]);
  expect((await follow(found)).position.status).toBe('completed');
});
