import { describe, expect, expectTypeOf, test } from 'vitest';
import type { SessionQuery, SessionStore, WorkflowStore } from '@workflowlookup/storage';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { createWorkflows } from '../../src/embed/create-workflows.ts';
import type { Workflows } from '../../src/embed/create-workflows.ts';
import type { WorkflowSession } from '../../src/embed/workflow-session.ts';
import { defineWorkflow } from '../../src/embed/define-workflow.ts';
import type { StepIdOf, ActivityIdOf, CheckpointIdOf } from '../../src/embed/define-workflow.ts';

const review = defineWorkflow({
  id: 'review',
  name: 'Review',
  variables: [{ name: 'path', type: 'string', default: 'a.ts' }],
  steps: [
    {
      id: 'read',
      title: 'Read it',
      prompt: 'Read {{path}}.',
      validationCriteria: [{ type: 'contains', value: 'Seen:', message: 'List what you saw after "Seen:".' }],
    },
    { id: 'decide', title: 'Decide', prompt: 'Decide.' },
  ],
});

const release = defineWorkflow({
  id: 'release',
  title: 'Release',
  variables: [{ name: 'notes', type: 'string', defaultValue: '' }],
  activities: [
    {
      id: 'prepare',
      name: 'Prepare',
      steps: [{ id: 'write-notes', name: 'Write the notes' }],
      checkpoints: [
        {
          id: 'go',
          name: 'Go',
          message: 'Publish {notes}?',
          approver: 'human',
          options: [
            { id: 'yes', label: 'Publish', effect: { transitionTo: 'publish' } },
            { id: 'no', label: 'Stop', effect: { transitionTo: 'stop' } },
          ],
        },
      ],
      transitions: [{ to: 'publish', isDefault: true }, { to: 'stop' }],
    },
    { id: 'publish', name: 'Publish', steps: [{ id: 'push', name: 'Push the tag' }] },
    { id: 'stop', name: 'Stop', steps: [{ id: 'tell', name: 'Tell the team' }] },
  ],
});

describe('a step workflow', () => {
  test('continues step by step to its end', async () => {
    const workflows = createWorkflows({ definitions: [review] });
    const session = await workflows.start(review, { agent: 'ci' });
    const first = await session.enter();
    expect(first).toMatchObject({
      status: 'active',
      activity: { id: 'read', steps: [{ id: 'read', isRequired: true }], checkpoints: [] },
    });
    expect(JSON.stringify(first)).toContain('Read a.ts.');
    expect(await session.next({ outputs: { read: 'Seen: two typos.' } })).toMatchObject({
      status: 'active',
      activity: { id: 'decide' },
    });
    expect(await session.next({ outputs: { decide: 'Fix them.' } })).toEqual({
      status: 'completed',
      warnings: [],
    });
    await workflows.close();
  });

  test('accepts the output of a step together with the reason why there is no evidence for it', async () => {
    const store = createMemorySessionStore();
    const trial = defineWorkflow({
      id: 'trial',
      title: 'Trial',
      activities: [
        {
          id: 'all',
          name: 'All',
          steps: [
            { id: 'build', name: 'Build' },
            { id: 'try', name: 'Try', may_be_missing: true },
          ],
        },
      ],
    });
    const workflows = createWorkflows({ definitions: [trial], store });
    const session = await workflows.start(trial);
    await session.enter();
    await session.next({
      outputs: { try: 'It starts.', build: 'Built.' },
      notDone: { try: 'No device shows it.' },
    });
    const [last] = (await store.events(session.id, { after: 2 })).slice(-1);
    expect(last?.data).toMatchObject({
      manifest: [
        { step_id: 'build', output: 'Built.' },
        { step_id: 'try', output: 'It starts.', not_done: 'No device shows it.' },
      ],
    });
    await workflows.close();
  });

  test('returns a refusal as a value, and the session can continue', async () => {
    const workflows = createWorkflows({ definitions: [review] });
    const session = await workflows.start(review);
    await session.enter();
    const refused = await session.next({ outputs: { read: 'Fine.' } });
    expect(refused).toMatchObject({ status: 'refused', code: 'MANIFEST_INVALID' });
    expect(refused.status === 'refused' && refused.reasons.join()).toContain('List what you saw');
    expect(await session.current()).toMatchObject({ status: 'active', activity: { id: 'read' } });
    expect(await session.next({ outputs: { read: 'Seen: nothing.' } })).toMatchObject({ status: 'active' });
    expect(await session.next()).toMatchObject({ status: 'refused', code: 'MANIFEST_INVALID' });
  });
});

describe('an open checkpoint', () => {
  async function waiting(): Promise<{ workflows: Workflows; session: WorkflowSession<typeof release> }> {
    const workflows = createWorkflows({ definitions: [release] });
    const session = await workflows.start(release, { agent: 'bot' });
    expect(await session.enter()).toMatchObject({ activity: { id: 'prepare', checkpoints: ['go'] } });
    const result = await session.next({ outputs: { 'write-notes': 'Notes.' }, variables: { notes: '1.2' } });
    expect(result).toMatchObject({
      status: 'waiting',
      checkpoint: {
        id: 'go',
        message: 'Publish 1.2?',
        needsPerson: true,
        options: [{ id: 'yes' }, { id: 'no' }],
      },
    });
    return { workflows, session };
  }

  test('stops the session until a person answers, and then the same submission is repeated', async () => {
    const { workflows, session } = await waiting();
    expect(await session.answer('yes')).toMatchObject({ status: 'refused', code: 'HUMAN_REQUIRED' });
    expect(await session.next({ activity: 'publish' })).toMatchObject({
      status: 'refused',
      code: 'CHECKPOINT_OPEN',
    });
    expect(await session.waitForAnswer()).toMatchObject({ status: 'waiting' });
    const answered = await session.answer('no', { person: 'Ada', note: 'Not today.' });
    expect(answered).toMatchObject({ status: 'active', activity: { id: 'stop' } });
    const { checkpoints } = await workflows.operator('Ada').history(session.id);
    expect(checkpoints[0]?.answered).toMatchObject({ by: 'human', person: 'Ada', note: 'Not today.' });
  });

  test('can be answered elsewhere while the program waits', async () => {
    const { workflows, session } = await waiting();
    const result = session.waitForAnswer({ timeoutMs: 10_000 });
    await workflows.operator('Ada').respond(session.id, { mode: { kind: 'option', option: 'yes' } });
    expect(await result).toMatchObject({ status: 'active', activity: { id: 'publish' } });
  });

  const twoQuestions = defineWorkflow({
    id: 'two-questions',
    title: 'Two questions',
    activities: [
      {
        id: 'format',
        name: 'Format',
        steps: [{ id: 'ask', name: 'Ask', checkpoint: 'style' }],
        checkpoints: [
          { id: 'style', name: 'Style', message: 'Format it?', options: [{ id: 'yes', label: 'Yes' }] },
        ],
        transitions: [{ to: 'deploy' }],
      },
      {
        id: 'deploy',
        name: 'Deploy',
        steps: [{ id: 'sign', name: 'Sign', checkpoint: 'go' }],
        checkpoints: [
          {
            id: 'go',
            name: 'Go',
            message: 'Deploy it?',
            approver: 'human',
            options: [{ id: 'yes', label: 'Yes' }],
          },
        ],
      },
    ],
  });

  test.each(['the same object', 'another process'])(
    'refuses the answer of a person who was shown another checkpoint: %s',
    async (how) => {
      const workflows = createWorkflows({ definitions: [twoQuestions] });
      const bot = await workflows.start('two-questions', { agent: 'bot' });
      await bot.enter();
      const asked = await bot.ask('style');
      const other = await workflows.resume(bot.id, { agent: 'other' });
      await other.answer('yes');
      await other.next({ outputs: { ask: 'Formatted.' } });
      expect(await other.ask('go')).toMatchObject({ status: 'waiting', checkpoint: { id: 'go' } });
      const revision = asked.status === 'waiting' ? asked.checkpoint.revision : 0;
      const late = how === 'the same object' ? bot : await workflows.resume(bot.id, { agent: 'bot' });
      const by = { person: 'Ada', ...(late === bot ? {} : { revision }) };
      expect(await late.answer('yes', by)).toMatchObject({ status: 'refused', code: 'SESSION_CONFLICT' });
      expect(await late.current()).toMatchObject({ status: 'waiting', checkpoint: { id: 'go' } });
      expect(await late.answer('yes', { person: 'Ada' })).toMatchObject({ status: 'active' });
    },
  );

  test('refuses an option that it does not have', async () => {
    const { session } = await waiting();
    expect(await session.answer('perhaps', { person: 'Ada' })).toMatchObject({ status: 'refused' });
    expect(await session.current()).toMatchObject({ status: 'waiting' });
  });
});

test('Another agent can continue a session by its id', async () => {
  const store = createMemorySessionStore();
  const workflows = createWorkflows({ definitions: [review], store });
  const { id } = await workflows.start('review', { agent: 'one' });
  const session = await workflows.resume<typeof review>(id, { agent: 'two' });
  expect(await session.enter()).toMatchObject({ status: 'active' });
  expect(session.id).toBe(id);
  await workflows.close();
  await store.close();
});

test('A child session names its parent', async () => {
  const workflows = createWorkflows({ definitions: [review, release] });
  const parent = await workflows.start(release);
  await parent.enter();
  const child = await parent.startChild(review, { agent: 'worker' });
  expect(await child.enter()).toMatchObject({ status: 'active', activity: { id: 'read' } });
  expect((await child.status()).parent).toMatchObject({ sid: parent.id });
});

test('A missing workflow and a broken definition throw errors', async () => {
  const workflows = createWorkflows({ definitions: [review] });
  await expect(workflows.start('nowhere')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  await expect(workflows.resume('0123456789abcdef0123')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const broken = defineWorkflow({
    id: 'broken',
    name: 'Broken',
    steps: [{ id: 'a', title: '', prompt: '' }],
  });
  await expect(createWorkflows({ definitions: [broken] }).start(broken)).rejects.toMatchObject({
    code: 'INVALID_WORKFLOW',
    data: { workflow_id: 'broken' },
    // The definition has no version, which is only a warning.
    message: expect.not.stringContaining('version') as unknown,
  });
});

test.each([
  ['a transition', { transitions: [{ to: 'nowhere', isDefault: true }] }],
  ['a checkpoint', { steps: [{ id: 'do', checkpoint: 'nowhere' }] }],
])('A definition is refused if %s names something that does not exist', async (_what, more) => {
  const definition = { id: 'broken', title: 'Broken', activities: [{ id: 'one', name: 'One', ...more }] };
  const workflows = createWorkflows({ definitions: [defineWorkflow(definition)] });
  await expect(workflows.start('broken')).rejects.toMatchObject({
    code: 'INVALID_WORKFLOW',
    data: { issues: [{ severity: 'error' }] },
  });
});

test('list returns the workflows that can be started', async () => {
  const workflows = createWorkflows({ definitions: [review, release] });
  expect((await workflows.list()).map(({ id }) => id)).toEqual(['release', 'review']);
});

test('next also waits for a checkpoint that an agent may answer', async () => {
  const asks = defineWorkflow({
    id: 'asks',
    name: 'Asks',
    steps: [{ id: 'delete', title: 'Delete', prompt: 'Delete it.', requireConfirmation: true }],
  });
  const session = await createWorkflows({ definitions: [asks] }).start(asks);
  await session.enter();
  const result = await session.next({ outputs: { delete: 'Done.' } });
  expect(result).toMatchObject({ status: 'waiting', checkpoint: { id: 'confirm', needsPerson: false } });
  expect(await session.answer('confirm')).toMatchObject({ status: 'completed' });
});

test.each(['answer', 'waitForAnswer'] as const)(
  'After an answer that sends work back, the step is done again and the next submission asks again: %s',
  async (how) => {
    const asks = defineWorkflow({
      id: 'asks',
      name: 'Asks',
      steps: [
        { id: 'draft', title: 'Draft', prompt: 'Draft it.', requireConfirmation: true, approver: 'human' },
      ],
    });
    const workflows = createWorkflows({ definitions: [asks] });
    const session = await workflows.start(asks);
    const operator = workflows.operator('Ada');
    await session.enter();
    for (const draft of ['Bad.', 'Better.']) {
      expect(await session.next({ outputs: { draft } })).toMatchObject({ status: 'waiting' });
      if (how === 'waitForAnswer')
        await operator.respond(session.id, { mode: { kind: 'option', option: 'revise' } });
      const result = how === 'answer' ? session.answer('revise', { person: 'Ada' }) : session.waitForAnswer();
      expect(await result).toMatchObject({
        status: 'active',
        activity: { id: 'draft', steps: [{ id: 'draft', isRequired: true }] },
      });
      expect(await session.current()).toMatchObject({ status: 'active' });
    }
    expect(await session.next({ outputs: { draft: 'Good.' } })).toMatchObject({ status: 'waiting' });
    expect(await session.answer('confirm', { person: 'Ada' })).toMatchObject({ status: 'completed' });
    expect(await operator.contents(session.id)).toMatchObject({
      outputs: [{ step: 'draft', output: 'Good.' }],
    });
  },
);

test('A person is not asked about outputs that would be refused', async () => {
  const asks = defineWorkflow({
    id: 'asks',
    name: 'Asks',
    steps: [
      {
        id: 'draft',
        title: 'Draft',
        prompt: 'Draft it.',
        requireConfirmation: true,
        approver: 'human',
        validationCriteria: [{ type: 'contains', value: 'OK', message: 'Say OK.' }],
      },
    ],
  });
  const session = await createWorkflows({ definitions: [asks] }).start(asks);
  await session.enter();
  const refused = { status: 'refused', code: 'MANIFEST_INVALID' };
  expect(await session.next()).toMatchObject(refused);
  expect(await session.next({ outputs: { draft: 'Bad.' } })).toMatchObject(refused);
  expect(await session.current()).toMatchObject({ status: 'active', activity: { checkpoints: ['confirm'] } });
  expect(await session.next({ outputs: { draft: 'OK.' } })).toMatchObject({ status: 'waiting' });
  expect(await session.answer('confirm', { person: 'Ada' })).toMatchObject({ status: 'completed' });
});

test('A person is asked first if the answer decides which steps there are', async () => {
  const fix = defineWorkflow({
    id: 'fix',
    title: 'Fix',
    activities: [
      {
        id: 'repair',
        name: 'Repair',
        loops: [
          {
            id: 'each',
            name: 'Each',
            type: 'forEach',
            over: 'targets',
            variable: 'target',
            steps: [{ id: 'mend', name: 'Mend' }],
          },
        ],
        checkpoints: [
          {
            id: 'scope',
            name: 'Scope',
            message: 'What is to be repaired?',
            approver: 'human',
            options: [{ id: 'none', label: 'Nothing', effect: { setVariable: { targets: [] } } }],
          },
        ],
      },
    ],
  });
  const session = await createWorkflows({ definitions: [fix] }).start(fix);
  await session.enter();
  expect(await session.next()).toMatchObject({ status: 'waiting', checkpoint: { id: 'scope' } });
  expect(await session.answer('none', { person: 'Ada' })).toMatchObject({ status: 'completed' });
});

test('Outputs that are refused after an answer are not submitted again', async () => {
  const workflows = createWorkflows({ definitions: [release] });
  const session = await workflows.start(release);
  await session.enter();
  const submission = { outputs: { 'write-notes': 'Old.' }, activity: 'publish' } as const;
  expect(await session.next(submission)).toMatchObject({ status: 'waiting' });
  expect(await session.answer('no', { person: 'Ada' })).toMatchObject({ code: 'ILLEGAL_TRANSITION' });
  expect(await session.ask('go')).toMatchObject({ status: 'waiting' });
  expect(await session.answer('yes', { person: 'Ada' })).toMatchObject({ activity: { id: 'prepare' } });
});

test('An option can make every checkpoint need a person', async () => {
  const asks = defineWorkflow({
    id: 'asks',
    name: 'Asks',
    steps: [{ id: 'delete', title: 'Delete', prompt: 'Delete it.', requireConfirmation: true }],
  });
  const workflows = createWorkflows({ definitions: [asks], checkpoints: 'person' });
  const session = await workflows.start(asks);
  await session.enter();
  const result = await session.next({ outputs: { delete: 'Done.' } });
  expect(result).toMatchObject({ status: 'waiting', checkpoint: { needsPerson: true } });
  expect(await session.answer('confirm')).toMatchObject({ status: 'refused', code: 'HUMAN_REQUIRED' });
});

test('An option that does not exist is refused', () => {
  const options = { definitions: [], databaseFile: './sessions.db' };
  expect(() => createWorkflows(options)).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      data: expect.objectContaining({ option: 'databaseFile' }),
    }),
  );
});

test.each<[string, unknown, object]>([
  ['a status that does not exist', ['waiting'], { unknown: 'waiting' }],
  ['a status outside of a list', 'active', {}],
])('A request about sessions with %s is refused', async (_what, given, named) => {
  const operator = createWorkflows().operator('Ada');
  const statuses = given as NonNullable<SessionQuery['statuses']>;
  const request = { before: '2026-01-01T00:00:00.000Z', statuses };
  const asked = [operator.find({ statuses }), operator.prunable(request), operator.prune(request)];
  const data = { field: 'statuses', statuses: ['active', 'blocked', 'parked', 'completed'], ...named };
  const refused = { status: 'rejected', reason: { code: 'INVALID_INPUT', data } };
  expect(await Promise.allSettled(asked)).toMatchObject([refused, refused, refused]);
});

test('A store that lacks methods is refused immediately', () => {
  const { putDefinition: _left, watchChanges: _optional, ...store } = createMemorySessionStore();
  expect(() => createWorkflows({ store: store as unknown as SessionStore })).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      data: { option: 'store', missing: ['putDefinition'] },
    }),
  );
  const source = { list: async () => [] };
  expect(() => createWorkflows({ source: source as unknown as WorkflowStore })).toThrow(
    expect.objectContaining({ data: { option: 'source', missing: ['get', 'problems', 'watch', 'close'] } }),
  );
});

test('Ids are inferred from the definition', () => {
  expectTypeOf<'read'>().toExtend<StepIdOf<typeof review>>();
  expectTypeOf<'raed'>().not.toExtend<StepIdOf<typeof review>>();
  expectTypeOf<ActivityIdOf<typeof release>>().toEqualTypeOf<'prepare' | 'publish' | 'stop'>();
  expectTypeOf<CheckpointIdOf<typeof release>>().toEqualTypeOf<'go'>();
  expectTypeOf<StepIdOf<string>>().toEqualTypeOf<string>();
});
