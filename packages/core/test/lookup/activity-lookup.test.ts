import { describe, expect, test } from 'vitest';
import type { NextReply } from '../../src/lookup/lookup.ts';
import { createEngine } from '../../src/engine.ts';
import { wholeDefinition } from '../../src/read-definition.ts';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { engineOf } from '../support/step-workflows.ts';
import type { ActivitySketch } from '../support/sessions.ts';
import { activityWorkflow } from '../support/sessions.ts';
import { activityTexts, headings, stepTexts } from '../../src/messages/instructions.ts';
import { nextMessages, partMessages } from '../../src/messages/lookup.ts';
import { transitionTexts } from '../../src/messages/sessions.ts';

const review: ActivitySketch = {
  id: 'review',
  description: 'Look at {branch}.',
  rules: ['Change nothing.'],
  steps: [
    {
      id: 'read-it',
      name: 'Read it',
      validationCriteria: [{ type: 'contains', value: 'read', message: 'Say read.' }],
    },
    { id: 'deep', name: 'Look deep', condition: 'depth == "full"' },
    { id: 'dull', name: 'Be dull', condition: 'lively == false' },
  ],
  checkpoints: [
    {
      id: 'good',
      name: 'Good enough',
      message: 'Is {branch} good?',
      approver: 'human',
      options: [
        { id: 'yes', label: 'Yes', effect: { setVariable: { clean: true } } },
        { id: 'no', label: 'No', effect: { transitionTo: 'mend', skipActivities: ['ship'] } },
      ],
    },
  ],
  loops: [
    {
      id: 'each',
      name: 'Each file',
      type: 'forEach',
      variable: 'file',
      over: 'files',
      steps: [{ id: 'look', name: 'Look at a file' }],
    },
  ],
  transitions: [
    { to: 'ship', condition: 'clean == true' },
    { to: 'mend', condition: 'broken == true' },
  ],
};
const mend: ActivitySketch = {
  id: 'mend',
  entryActions: [{ action: 'set', target: 'broken', value: false }],
  transitions: [{ to: 'review', isDefault: true }],
};
const flow = activityWorkflow([review, mend, { id: 'ship' }], {
  rules: ['Be honest.'],
  variables: [
    { name: 'clean', type: 'boolean', description: 'Whether it is good', defaultValue: false },
    { name: 'lively', type: 'boolean', defaultValue: true },
  ],
  modes: [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['mend'] }],
});
const engine = engineOf(flow);
const next = (completedSteps: readonly string[], context = {}, currentStep?: string): Promise<NextReply> =>
  engine.next({ workflowId: 'graph', completedSteps, context, ...(currentStep && { currentStep }) });

describe('the catalogue of activity workflows', () => {
  test('shows the title as the name and hides the meta workflow, which can still be read by its id', async () => {
    const both = engineOf(flow, activityWorkflow([{ id: 'start' }], { id: 'meta', title: 'Shared' }));
    const { workflows } = await both.list();
    expect(workflows).toEqual([
      { id: 'graph', name: 'Graph', description: '', category: 'default', version: '1.0.0', tags: [] },
    ]);
    expect(await both.summaries()).toEqual(workflows);
    expect(await both.metadata('meta')).toMatchObject({ name: 'Shared' });
    expect((await both.next({ workflowId: 'meta', completedSteps: [] })).step?.id).toBe('start');
  });

  test('previews the initial activity and counts activities', async () => {
    expect(await engine.preview('graph')).toMatchObject({
      id: 'graph',
      name: 'Graph',
      description: '',
      totalSteps: 3,
      firstStep: { id: 'review', title: 'Name of review', prompt: expect.stringContaining('Look at') },
    });
  });

  test('includes the activities and a name in a whole definition', () => {
    expect(wholeDefinition(flow)).toMatchObject({
      title: 'Graph',
      name: 'Graph',
      description: '',
      activities: [{ id: 'review' }, { id: 'mend' }, { id: 'ship' }],
    });
  });
});

describe('the next activity', () => {
  test('is the initial activity at first, with everything that an agent needs', async () => {
    const { step, guidance, isComplete } = await next([], { branch: 'topic' });
    expect(step).toMatchObject({ id: 'review', title: 'Name of review' });
    expect(isComplete).toBe(false);
    expect(guidance).toEqual({
      prompt: [
        `${headings.workflowRules}\n- Be honest.`,
        `${headings.modes}\n- Fast: \`fast\`.`,
        'Look at topic.',
        `${headings.rules}\n- Change nothing.`,
        `${headings.steps}\n1. Read it (judged as review@0::read-it)`,
        'Each file (for each `file` in `files`):\n1. Look at a file',
        [
          headings.questions,
          '- `good` Good enough: Is topic good? Only a person may answer; you may not.',
          '  - yes: Yes → put `clean` = true into the context',
          "  - no: No → 'mend' comes next; skip from now on: ship",
        ].join('\n'),
        [headings.decidingVariables, '- `clean` (boolean): Whether it is good', '- `broken`'].join('\n'),
      ].join('\n\n'),
      requiresConfirmation: true,
      validationCriteria: ['review@0::read-it: Say read.'],
    });
    expect(guidance.prompt.endsWith(step?.prompt ?? '?')).toBe(true);
  });

  test('leaves out steps whose condition is false, and says so if only an unset variable decides that', async () => {
    const { guidance, undecided } = await next([]);
    expect(guidance.prompt).not.toMatch(/Look deep|Be dull/);
    expect(undecided).toEqual([{ stepId: 'review@0::deep', variables: ['depth'] }]);
    const deep = await next([], { depth: 'full' });
    expect(deep.guidance.prompt).toContain('2. Look deep');
    expect(deep.undecided).toBeUndefined();
  });

  test('shows the condition of a step if an answer can still make it true', async () => {
    const asked = engineOf(
      activityWorkflow([
        { ...review, steps: [{ id: 'praise', name: 'Praise it', when: 'clean == true' }] },
        { id: 'ship' },
        mend,
      ]),
    );
    const { guidance } = await asked.next({ workflowId: 'graph', completedSteps: [] });
    expect(guidance.prompt).toContain('1. Praise it (only when clean == true)');
  });

  test('follows the transitions of the last completed activity', async () => {
    expect((await next(['review'], { clean: true })).step?.id).toBe('ship');
    expect((await next(['review'], { broken: true })).step?.id).toBe('mend');
    expect((await next(['review', 'mend'])).step?.id).toBe('review');
  });

  test('follows the transitions of the current activity, completed or not', async () => {
    expect((await next([], { clean: true }, 'review')).step?.id).toBe('ship');
    expect((await next(['review'], {}, 'mend')).step?.id).toBe('review');
  });

  test('leaves out the activities that a mode skips', async () => {
    expect((await next(['review'], { broken: true, fast: true })).step?.id).toBe('review');
  });

  test('says which variables to set on entering it, and that it was completed before', async () => {
    const { guidance } = await next(['review', 'mend', 'review'], { broken: true });
    expect(guidance.prompt).toContain(activityTexts.again);
    expect(guidance.prompt).toContain(activityTexts.putFirst({ broken: false }));
  });

  test('is null if no transition is open, and the reply names the unset variables', async () => {
    expect(await next(['review', 'ship'])).toEqual({
      step: null,
      guidance: { prompt: stepTexts.end([]) },
      isComplete: true,
    });
    const end = await next(['review']);
    expect(end).toMatchObject({ step: null, isComplete: true });
    expect(end.undecided).toEqual([{ stepId: 'mend', variables: ['broken'] }]);
    expect(end.guidance.prompt).toContain('- mend (broken)');
  });

  test('names a transition that was not taken only because a variable is unset', async () => {
    const forked = engineOf(
      activityWorkflow([
        {
          id: 'start',
          transitions: [
            { to: 'rare', condition: 'odd == true' },
            { to: 'usual', isDefault: true },
          ],
        },
        { id: 'rare' },
        { id: 'usual' },
      ]),
    );
    expect(await forked.next({ workflowId: 'graph', completedSteps: ['start'] })).toMatchObject({
      step: { id: 'usual' },
      undecided: [{ stepId: 'rare', variables: ['odd'] }],
    });
  });

  test('ignores unknown completed ids with a warning', async () => {
    const reply = await next(['nope', 'review@0::read-it', 'nope']);
    expect(reply.step?.id).toBe('review');
    expect(reply.warnings).toEqual([
      nextMessages.unknownActivity('nope'),
      nextMessages.stepOfActivity('review@0::read-it', 'review'),
    ]);
  });

  test.each(['reviev', 'review@0::read-it'])(
    'is an error for the unknown current activity %s',
    async (id) => {
      await expect(next([], {}, id)).rejects.toMatchObject({
        code: 'STEP_NOT_FOUND',
        message: partMessages.noStep('graph', 'activity', id, 'review'),
      });
    },
  );

  test('repeats a loop over activities for each item of its list', async () => {
    const looping = engineOf(
      activityWorkflow([
        {
          id: 'host',
          loops: [
            {
              id: 'each',
              name: 'Each',
              type: 'forEach',
              variable: 'item',
              over: 'list',
              activities: ['one'],
            },
          ],
          transitions: [{ to: 'last' }],
        },
        { id: 'one', description: 'Do {item}.' },
        { id: 'last' },
      ]),
    );
    const ids: string[] = [];
    const prompts: string[] = [];
    for (;;) {
      const reply = await looping.next({
        workflowId: 'graph',
        completedSteps: ids,
        context: { list: ['first', 'second'] },
      });
      if (reply.step === null) break;
      ids.push(reply.step.id);
      prompts.push(reply.guidance.prompt);
    }
    expect(ids).toEqual(['host', 'one', 'one', 'last']);
    expect(prompts[2]).toContain(activityTexts.putFirst({ item: 'second' }));
    expect(prompts[2]).toContain('Do second.');
  });

  test('repeats a loop over activities again if the session returns to it', async () => {
    const loops = [
      { id: 'each', name: 'Each', type: 'forEach', variable: 'item', over: 'list', activities: ['one'] },
    ] as const;
    const looping = engineOf(
      activityWorkflow([
        { id: 'host', loops, transitions: [{ to: 'last' }] },
        { id: 'one' },
        { id: 'last', transitions: [{ to: 'host' }] },
      ]),
    );
    const ids: string[] = [];
    const items: (string | undefined)[] = [];
    while (ids.length < 8) {
      const request = { workflowId: 'graph', completedSteps: ids, context: { list: ['x', 'y'] } };
      const { step, guidance } = await looping.next(request);
      ids.push(step?.id ?? 'end');
      items.push(/`item` = "(.)"/.exec(guidance.prompt)?.[1]);
    }
    expect(ids).toEqual(['host', 'one', 'one', 'last', 'host', 'one', 'one', 'last']);
    expect(items.filter((item) => item !== undefined)).toEqual(['x', 'y', 'x', 'y']);
  });

  test('ends with a warning if the context never lets it leave a cycle', async () => {
    const done = Array.from({ length: 100 }, () => ['review', 'mend']).flat();
    const reply = await next(done);
    expect(reply).toMatchObject({ step: null, isComplete: true });
    expect(reply.warnings).toEqual([nextMessages.endedByLimit('review', 100)]);
  });

  test('is an error that includes the problems if the activity is broken', async () => {
    const issue = {
      severity: 'error',
      code: 'x-test',
      pointer: '',
      message: 'It is torn',
      line: 1,
      column: 1,
    } as const;
    const file = 'activities/02-torn.yaml';
    const torn = createEngine({
      workflows: createMemoryStore([
        {
          ...activityWorkflow([{ id: 'start', transitions: [{ to: 'torn' }] }]),
          problems: [{ kind: 'activity', id: 'torn', file, issues: [issue] }],
        },
      ]),
    });
    await expect(torn.next({ workflowId: 'graph', completedSteps: ['start'] })).rejects.toMatchObject({
      code: 'INVALID_WORKFLOW',
      message: nextMessages.cannotContinue('graph', transitionTexts.broken('torn', file, issue.message)),
      data: { workflowId: 'graph', stepId: 'torn' },
    });
  });
});

describe('the output of a step in an activity workflow', () => {
  const judge = (stepId: string, output: string) => engine.validate({ workflowId: 'graph', stepId, output });

  test.each([
    ['review', 'anything', true],
    ['review@0::read-it', 'anything', false],
    ['review@3::read-it', 'I read it', true],
    ['review@0::look', 'anything', true],
    ['review@0::each@1::look', 'anything', true],
  ])('is valid or not when it is checked as %s: %s', async (stepId, output, valid) => {
    expect((await judge(stepId, output)).valid).toBe(valid);
  });

  test.each([
    ['read-it', 'review@0::read-it'],
    ['review@0::red-it', 'review@0::read-it'],
    ['review@0::other@1::look', undefined],
    ['nope@0::nope', undefined],
    ['toString', undefined],
  ])('is refused with the error STEP_NOT_FOUND if the step is named %s', async (stepId, meant) => {
    await expect(judge(stepId, 'x')).rejects.toMatchObject({
      code: 'STEP_NOT_FOUND',
      message: partMessages.noStep('graph', 'step', stepId, meant),
      data: { stepId },
    });
  });
});
