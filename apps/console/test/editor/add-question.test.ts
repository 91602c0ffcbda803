import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { Outline } from '@workflowlookup/diagrams';
import { outlineOf } from '@workflowlookup/diagrams';
import type { Workflow } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import type { AskingPart, TextChange } from '../../src/editor/add-question.ts';
import { questionAfter, questionBefore } from '../../src/editor/add-question.ts';
import { editorMessages } from '../../src/messages/workflows.ts';
import { placesOf } from '../../src/workflows/parts.tsx';

const { question: messages } = editorMessages;

function changed(text: string, { from, insert, select }: TextChange): { text: string; selected: string } {
  const after = text.slice(0, from) + insert + text.slice(from);
  return { text: after, selected: after.slice(select.from, select.to) };
}

const common = { version: '1.0.0', description: 'It has two parts.' };

const stepWorkflow = {
  id: 'flow',
  name: 'Flow',
  ...common,
  variables: [{ name: 'size', type: 'string', set_by: ['one'] }],
  steps: [
    { id: 'one', title: 'First', prompt: "Do it. Set 'size'." },
    { id: 'two', title: 'Say "two"', prompt: 'Do it again.', runCondition: { var: 'size', equals: 'large' } },
  ],
};

const top = `id: flow
name: Flow
version: 1.0.0
description: It has two parts.
variables:
  - { name: size, type: string, set_by: [one] }
`;

/** The same workflow, written in different ways. */
const stepTexts: readonly (readonly ['json' | 'yaml', string])[] = [
  ['json', JSON.stringify(stepWorkflow, null, 2)],
  ['json', JSON.stringify(stepWorkflow, null, '\t')],
  ['json', JSON.stringify(stepWorkflow)],
  ['yaml', JSON.stringify(stepWorkflow, null, 2)],
  [
    'yaml',
    `${top}steps:
  - id: one
    title: First
    prompt: |
      Do it. Set 'size'.

  # About the second one,
  # in two lines.
  - id: two
    title: Say "two"
    runCondition:
      var: size
      equals: large
    prompt: Do it again.`,
  ],
  [
    'yaml',
    `${top}steps:
- {id: one, title: First, prompt: "Do it. Set 'size'."}
-   &second
    "id": "two"
    title: Say "two"
    prompt: Do it again.
    runCondition:
          var: size
          equals: large
`,
  ],
  [
    'yaml',
    `${top}steps: [{id: one, title: First, prompt: "Do it. Set 'size'."},
        {id: two, title: 'Say "two"', prompt: Do it again., runCondition: {var: size, equals: large}}]
`,
  ],
];

test.each(stepTexts)(
  'A step with a checkpoint is added before a step, with its condition, in %s, text %#',
  async (notation, text) => {
    const read = async (source: string): Promise<Workflow> => {
      const { workflow, issues } = await readDefinition({ text: source, format: notation });
      expect(issues).toEqual([]);
      if (workflow === undefined) throw new Error('not served');
      return workflow;
    };
    const outline = outlineOf(await read(text));
    const part = partOf(outline, 'two', 'flow.yaml');
    const change = questionBefore({ text, notation }, part, outline);
    if (change === undefined) throw new Error('no change');
    const after = changed(text, change);
    const title = messages.title('Say "two"');
    expect(JSON.parse(`"${after.selected}"`)).toBe(title);
    expect((await read(after.text)).definition).toEqual({
      ...stepWorkflow,
      steps: [
        { ...stepWorkflow.steps[0], prompt: expect.stringMatching(/^Do it\. Set 'size'\.\n?$/) },
        {
          id: 'ask-before-two',
          title,
          prompt: messages.prompt,
          requireConfirmation: true,
          approver: 'human',
          runCondition: { var: 'size', equals: 'large' },
        },
        stepWorkflow.steps[1],
      ],
    });
    // The rest of the text is unchanged, and a comment stays before its step.
    expect(after.text.replace(change.insert, '')).toBe(text);
    const comment = /# in two lines\.\n *- id: two\n/;
    expect(comment.test(after.text)).toBe(comment.test(text));
  },
);

function partOf(outline: Outline, id: string, file: string): AskingPart {
  const activityFiles = (outline.activities ?? []).map((one, at) => ({
    id: one.id,
    file,
    pointer: file === 'workflow.yaml' ? `/activities/${at}` : '',
  }));
  const place = placesOf({ outline, activityFiles }, file).get(id);
  if (place === undefined) throw new Error(`The position of '${id}' is unknown`);
  const all = [...(outline.steps ?? []), ...(outline.activities ?? [])];
  const found = all.find((one) => one.id === id);
  return {
    id,
    name: found === undefined ? id : 'title' in found ? found.title : found.name,
    pointer: place.pointer,
  };
}

test('A second checkpoint before a step, or one inside a loop, has its own id', async () => {
  const text = `id: flow
name: Flow
version: 1.0.0
description: It has a loop.
steps:
  - id: each
    title: Each
    type: loop
    loop: { type: for, count: 2, maxIterations: 2 }
    body:
      - id: inner
        title: Inner
        prompt: Do it.
`;
  const { workflow } = await readDefinition({ text, format: 'yaml' });
  if (workflow === undefined) throw new Error('not served');
  const first = changed(
    text,
    questionBefore(
      { text, notation: 'yaml' },
      partOf(outlineOf(workflow), 'inner', 'flow.yaml'),
      outlineOf(workflow),
    ) as TextChange,
  );
  const { workflow: next } = await readDefinition({ text: first.text, format: 'yaml' });
  if (next === undefined) throw new Error('not served');
  const second = changed(
    first.text,
    questionBefore(
      { text: first.text, notation: 'yaml' },
      partOf(outlineOf(next), 'inner', 'flow.yaml'),
      outlineOf(next),
    ) as TextChange,
  );
  const { workflow: last, issues } = await readDefinition({ text: second.text, format: 'yaml' });
  expect(issues).toEqual([]);
  expect(outlineOf(last as Workflow).steps).toMatchObject([
    { id: 'each', body: [{ id: 'ask-before-inner' }, { id: 'ask-before-inner-2' }, { id: 'inner' }] },
  ]);
});

const checkpoint = {
  id: 'ask',
  name: 'Ask',
  message: 'Is it right?',
  options: [{ id: 'yes', label: 'Yes' }],
};

const about = `id: flow
version: 1.0.0
title: Flow
description: It has two parts.
initialActivity: one
activities:
`;

/** An activity workflow in one file, written in different ways, and the checkpoints that its first activity has already. */
const activityTexts: readonly (readonly [string, readonly string[]])[] = [
  [
    `${about}  - id: one
    version: 1.0.0
    name: First
    steps:
      - id: do
        description: |
          Do it.

    # About the transitions.
    transitions:
      - to: two
  - { id: two, version: 1.0.0, name: Second, steps: [{ id: do, description: Do it. }] }
`,
    [],
  ],
  [
    `${about}- id: one
  version: 1.0.0
  name: First
  checkpoints:
  - id: ask
    name: Ask
    message: Is it right? # The agent asks its user.
    options:
    - { id: "yes", label: "Yes" }
  steps:
  - { id: do, description: Do it., checkpoint: ask }
  transitions: [{ to: two }]
- { id: two, version: 1.0.0, name: Second, steps: [{ id: do, description: Do it. }] }`,
    ['ask'],
  ],
  [
    JSON.stringify(
      {
        id: 'flow',
        version: '1.0.0',
        title: 'Flow',
        description: 'It has two parts.',
        initialActivity: 'one',
        activities: [
          { id: 'one', version: '1.0.0', name: 'First', steps: [{ id: 'do' }], transitions: [{ to: 'two' }] },
          { id: 'two', version: '1.0.0', name: 'Second', steps: [{ id: 'do' }] },
        ],
      },
      null,
      2,
    ),
    [],
  ],
  [
    `{id: flow, version: 1.0.0, title: Flow, description: It has two parts., initialActivity: one, activities: [
  {id: one, version: 1.0.0, name: First, steps: [{id: do, checkpoint: ask}], checkpoints: [${JSON.stringify(checkpoint)}], transitions: [{to: two}]},
  {id: two, version: 1.0.0, name: Second, steps: [{id: do}], checkpoints: []}]}`,
    ['ask'],
  ],
];

test.each(activityTexts)(
  'A checkpoint for a person is added after an activity, text %#',
  async (text, known) => {
    const read = async (source: string): Promise<Workflow> => {
      const { workflow, issuesByFile } = await readWorkflowFolder(new Map([['workflow.yaml', source]]), {
        id: 'flow',
      });
      expect([...issuesByFile.values()].flat()).toEqual([]);
      if (workflow === undefined) throw new Error('not served');
      return workflow;
    };
    const outline = outlineOf(await read(text));
    let now = text;
    for (const id of ['one', 'two']) {
      const change = questionAfter(
        { text: now, notation: 'yaml' },
        partOf(outline, id, 'workflow.yaml'),
        outline,
      );
      if (change === undefined) throw new Error('no change');
      const after = changed(now, change);
      expect(after.selected).toBe(messages.message(id === 'one' ? 'First' : 'Second'));
      expect(after.text.replace(change.insert, '').trimEnd()).toBe(now.trimEnd());
      now = after.text;
    }
    const { activities = [] } = outlineOf(await read(now));
    expect(activities).toEqual(
      (outline.activities ?? []).map((activity) => ({
        ...activity,
        checkpoints: [
          ...activity.checkpoints,
          {
            id: `after-${activity.id}`,
            name: messages.name(activity.name),
            message: messages.message(activity.name),
            approver: 'human',
            options: [
              { id: 'continue', label: messages.goOn },
              { id: 'again', label: messages.again, leadsTo: activity.id },
            ],
          },
        ],
      })),
    );
    expect(activities[0]?.checkpoints.map(({ id }) => id)).toEqual([...known, 'after-one']);
  },
);

test('An activity in its own file gets the checkpoint there', () => {
  const text = `id: one
version: 1.0.0
name: First
steps:
  - id: do
    description: Do it.`;
  const part = { id: 'one', name: 'First', pointer: '' };
  const { text: after } = changed(text, questionAfter({ text, notation: 'yaml' }, part, {}) as TextChange);
  expect(after.startsWith(`${text}\ncheckpoints:\n  - id: after-one\n`)).toBe(true);
});

test.each(['/steps/0', '/steps/7', '/name', '/steps'])(
  'No text is added if the step is no longer at %s',
  (pointer) => {
    const text = JSON.stringify(stepWorkflow);
    expect(
      questionBefore({ text, notation: 'json' }, { id: 'two', name: 'Two', pointer }, {}),
    ).toBeUndefined();
  },
);
