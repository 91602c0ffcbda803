import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, test } from 'vitest';
import { createEngine } from '../../src/engine.ts';
import { engineOf, workflow } from '../support/step-workflows.ts';
import { nextMessages, partMessages, workflowMessages } from '../../src/messages/lookup.ts';
import { headings, stepTexts } from '../../src/messages/instructions.ts';

describe('list', () => {
  const engine = engineOf(
    workflow(['one-step'], { id: 'ccc', name: 'Needle', tags: ['fast'] }),
    workflow(['one-step'], { id: 'aaa', category: 'review', tags: ['fast', 'safe'] }),
    workflow(['one-step'], { id: 'bbb', description: 'Finds a NEEDLE' }),
  );

  test.each([
    { query: {}, ids: ['aaa', 'bbb', 'ccc'] },
    { query: { query: ' needle ' }, ids: ['bbb', 'ccc'] },
    { query: { category: 'review' }, ids: ['aaa'] },
    { query: { category: 'default' }, ids: ['bbb', 'ccc'] },
    { query: { tags: ['fast'] }, ids: ['aaa', 'ccc'] },
    { query: { tags: ['fast', 'safe'] }, ids: ['aaa'] },
    { query: { query: 'needle', tags: ['safe'] }, ids: [] },
  ])('finds $ids for the query $query', async ({ query, ids }) => {
    const { workflows, problems } = await engine.list(query);
    expect(workflows.map(({ id }) => id)).toEqual(ids);
    expect(problems).toBeUndefined();
  });

  test('returns every workflow exactly once over all pages', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await engine.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.workflows.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['aaa', 'bbb', 'ccc']);
  });

  test('refuses a cursor that no page returned', async () => {
    await expect(engine.list({ cursor: 'zzz' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('a workflow by id', () => {
  test('is described without its steps, and counts the steps in loops once but not the loops', async () => {
    const body = [{ id: 'inside', title: 't', prompt: 'p' }];
    const loop = {
      id: 'the-loop',
      type: 'loop',
      title: 't',
      loop: { type: 'for', count: 2, maxIterations: 2 },
      body,
    } as const;
    const fields = { $schema: 'https://example.com/step-workflow', metaGuidance: ['Calm'] };
    const engine = engineOf(workflow(['before', loop], fields));
    const metadata = await engine.metadata('flow');
    expect(metadata).toEqual({
      id: 'flow',
      name: 'Flow',
      description: 'A workflow of the tests.',
      version: '1.0.0',
      metaGuidance: ['Calm'],
      totalSteps: 2,
    });
    expect(await engine.preview('flow')).toEqual({
      ...metadata,
      firstStep: { id: 'before', title: 'Title of before', prompt: 'Do before.' },
    });
  });

  test.each([
    { name: 'every step has a condition', first: { id: 'only', runCondition: 'a == 1' } },
    {
      name: 'a loop needs a variable',
      first: {
        id: 'only',
        type: 'loop',
        loop: { type: 'for', count: 'n', maxIterations: 2 },
        body: [{ id: 'xxx', title: 't', prompt: 'p' }],
      } as const,
    },
  ])('has no first step when $name', async ({ first }) => {
    expect(await engineOf(workflow([first])).preview('flow')).toMatchObject({ firstStep: null });
  });

  test('is an error with a suggestion if it does not exist', async () => {
    await expect(engineOf(workflow(['one'])).get('flaw')).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
      message: workflowMessages.notFound('flaw', 'flow'),
      data: { workflowId: 'flaw' },
    });
  });

  test('is an error with the problems of its file if the file is broken', async () => {
    const issue = {
      severity: 'error',
      code: 'unknown-property',
      pointer: '/bogus',
      message: "Unknown property 'bogus'",
      line: 2,
      column: 3,
    } as const;
    const store = createMemoryStore([]);
    const broken = {
      id: 'broken',
      file: 'broken.json',
      severity: 'error',
      code: 'INVALID_WORKFLOW',
      issues: [issue],
    } as const;
    const engine = createEngine({ workflows: { ...store, problems: () => Promise.resolve([broken]) } });
    await expect(engine.get('broken')).rejects.toMatchObject({
      code: 'INVALID_WORKFLOW',
      data: { workflowId: 'broken', issues: [issue] },
    });
    expect((await engine.list()).problems).toEqual([broken]);
  });
});

describe('next', () => {
  test('returns everything that the author wrote, with the texts of the workflow first and only once', async () => {
    const engine = engineOf(
      workflow(
        [
          {
            id: 'one',
            agentRole: 'You are careful',
            guidance: ['First tip', 'Second tip'],
            askForFiles: true,
            requireConfirmation: true,
          },
          { id: 'two', requireConfirmation: true, approver: 'human' },
        ],
        {
          metaGuidance: ['Stay calm'],
          preconditions: ['Repo is clean'],
          clarificationPrompts: ['Which branch?'],
        },
      ),
    );
    const first = await engine.next({ workflowId: 'flow', completedSteps: [] });
    expect(first.guidance.prompt).toBe(
      [
        `${headings.workflowRules}\n- Stay calm`,
        `${headings.preconditions}\n- Repo is clean`,
        `${headings.clarifications}\n- Which branch?`,
        stepTexts.role('You are careful'),
        `${headings.guidance}\n- First tip\n- Second tip`,
        'Do one.',
        stepTexts.confirm(false),
        stepTexts.askForFiles,
      ].join('\n\n'),
    );
    const second = await engine.next({ workflowId: 'flow', completedSteps: ['one'] });
    expect(second.guidance).toEqual({
      prompt: `Do two.\n\n${stepTexts.confirm(true)}`,
      requiresConfirmation: true,
    });
  });

  test.each([
    { risk: 'high', requires: true },
    { risk: 'low', requires: false },
  ])('requires a confirmation depending on its condition: risk $risk', async ({ risk, requires }) => {
    const engine = engineOf(workflow([{ id: 'one', requireConfirmation: { var: 'risk', equals: 'high' } }]));
    const { guidance } = await engine.next({ workflowId: 'flow', completedSteps: [], context: { risk } });
    expect(guidance.requiresConfirmation).toBe(requires);
    expect(guidance.prompt.includes('confirm')).toBe(requires);
  });

  test('puts the criteria as sentences and the model hint beside the prompt', async () => {
    const criteria = [{ type: 'contains', value: 'alpha', message: 'Say alpha' }] as const;
    const engine = engineOf(workflow([{ id: 'one', validationCriteria: criteria, modelHint: 'strong' }]));
    const { step, guidance } = await engine.next({ workflowId: 'flow', completedSteps: [] });
    expect(guidance).toEqual({ prompt: 'Do one.', modelHint: 'strong', validationCriteria: ['Say alpha'] });
    expect(step).toEqual({ id: 'one', title: 'Title of one', prompt: 'Do one.' });
  });

  test('fills variables into texts once', async () => {
    const prompt =
      'Review {{repo.name}} at {{ depth }} for {{who}}, {{list}}, {{constructor.name}}, {{evil}}.';
    const engine = engineOf(workflow([{ id: 'one', prompt }]));
    const context = {
      repo: { name: 'core' },
      depth: 3,
      list: [1, { a: 2 }],
      evil: '{{secret}}',
      secret: 'LEAK',
    };
    const { guidance, step } = await engine.next({ workflowId: 'flow', completedSteps: [], context });
    const expected = 'Review core at 3 for [unset: who], [1,{"a":2}], [unset: constructor.name], {{secret}}.';
    expect(guidance.prompt).toBe(expected);
    expect(step?.prompt).toBe(expected);
  });

  test('shortens a long value that is named many times', async () => {
    const engine = engineOf(workflow([{ id: 'one', prompt: '{{a}}'.repeat(1000) }]));
    const { guidance } = await engine.next({
      workflowId: 'flow',
      completedSteps: [],
      context: { a: 'x'.repeat(100_000) },
    });
    expect(guidance.prompt.length).toBeLessThan(300_000);
    expect(guidance.prompt).toContain('[too long: a]');
  });

  test('names at the end the steps that did not run only because a variable is unset', async () => {
    const engine = engineOf(workflow([{ id: 'one', runCondition: 'size == "large"' }]));
    expect(await engine.next({ workflowId: 'flow', completedSteps: [] })).toEqual({
      step: null,
      guidance: { prompt: expect.stringContaining('- one (size)') },
      isComplete: true,
      undecided: [{ stepId: 'one', variables: ['size'] }],
    });
  });

  test('refuses an unknown current step', async () => {
    const request = engineOf(workflow(['one-step'])).next({
      workflowId: 'flow',
      currentStep: 'one-stop',
      completedSteps: [],
    });
    await expect(request).rejects.toMatchObject({
      code: 'STEP_NOT_FOUND',
      message: partMessages.noStep('flow', 'step', 'one-stop', 'one-step'),
      data: { stepId: 'one-stop' },
    });
  });

  test('names the variable that a loop needs', async () => {
    const body = [{ id: 'inside', title: 't', prompt: 'p' }];
    const engine = engineOf(
      workflow([
        { id: 'the-loop', type: 'loop', loop: { type: 'forEach', items: 'files', maxIterations: 9 }, body },
      ]),
    );
    await expect(
      engine.next({ workflowId: 'flow', completedSteps: [], context: { files: 'a' } }),
    ).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: nextMessages.wrongBound('the-loop', 'files', 'array', 'a string'),
      data: { loopId: 'the-loop', variable: 'files' },
    });
  });
});

describe('validate', () => {
  const rule = { type: 'contains', value: 'yes', message: 'Say yes' } as const;
  const body = [{ id: 'inside', title: 't', prompt: 'p', validationCriteria: [rule] }];
  const loop = {
    id: 'the-loop',
    type: 'loop',
    loop: { type: 'for', count: 2, maxIterations: 5 },
    body,
  } as const;
  const engine = engineOf(workflow(['plain', loop, { id: 'unusable', validationCriteria: ['['] }]));

  test.each(['inside', 'the-loop@1::inside'])('finds the step by the id %s', async (stepId) => {
    expect(await engine.validate({ workflowId: 'flow', stepId, output: 'no' })).toMatchObject({
      valid: false,
      issues: ['Say yes'],
    });
    expect(await engine.validate({ workflowId: 'flow', stepId, output: 'yes' })).toMatchObject({
      valid: true,
    });
  });

  test('refuses a blank output if there are no criteria', async () => {
    expect(await engine.validate({ workflowId: 'flow', stepId: 'plain', output: ' \n' })).toMatchObject({
      valid: false,
    });
  });

  test.each(['nowhere', 'the-loop', 'the-loop@9::inside'])(
    'reports the step %s as not found',
    async (stepId) => {
      await expect(engine.validate({ workflowId: 'flow', stepId, output: 'x' })).rejects.toMatchObject({
        code: 'STEP_NOT_FOUND',
      });
    },
  );

  test('refuses criteria that cannot be used, each time', async () => {
    for (let round = 0; round < 2; round += 1) {
      await expect(
        engine.validate({ workflowId: 'flow', stepId: 'unusable', output: 'x' }),
      ).rejects.toMatchObject({ code: 'INVALID_CRITERIA' });
    }
  });
});

describe('validateDefinition', () => {
  const engine = engineOf();

  test('reports no errors and no warnings for a valid definition', async () => {
    const text = JSON.stringify({ ...workflow(['one-step']).definition, version: undefined });
    expect(await engine.validateDefinition(text)).toEqual({ valid: true, issues: [], suggestions: [] });
  });

  test('uses the wording of the specification for missing properties', async () => {
    expect(await engine.validateDefinition('{"id":"test-workflow","name":"Test Workflow"}')).toEqual({
      valid: false,
      issues: ["Missing required property 'description'", "Missing required property 'steps'"],
      suggestions: [
        "Add required 'description' field with a meaningful description",
        "Add required 'steps' array with at least one step object",
      ],
    });
  });

  test('names the location of an error inside a step', async () => {
    const text = JSON.stringify(
      workflow([{ id: 'one-step', runCondition: { var: 'a', like: 1 } }]).definition,
      null,
      2,
    );
    const { valid, issues } = await engine.validateDefinition(text);
    expect(valid).toBe(false);
    expect(issues).toEqual([
      expect.stringMatching(/like.*\(\/steps\/0\/runCondition.*, line \d+, column \d+\)/),
    ]);
  });

  test('reports criteria that cannot be used', async () => {
    const text = JSON.stringify(workflow([{ id: 'one-step', validationCriteria: ['['] }]).definition);
    expect(await engine.validateDefinition(text)).toMatchObject({ valid: false });
  });
});
