import { describe, expect, test } from 'vitest';
import { createWorkflows } from '../../src/embed/create-workflows.ts';
import { defineWorkflow } from '../../src/embed/define-workflow.ts';
import type { CheckpointInput } from '../../src/embed/define-workflow.ts';
import type { SessionResult } from '../../src/embed/workflow-session.ts';

/** Returns a workflow with a checkpoint that no step names. */
function reportWith(checkpoint: Pick<CheckpointInput, 'approver' | 'condition'>) {
  return defineWorkflow({
    id: 'report',
    title: 'Report',
    variables: [{ name: 'pages', type: 'number' }],
    activities: [
      {
        id: 'write',
        name: 'Write',
        steps: [
          {
            id: 'summary',
            name: 'Write the summary',
            validationCriteria: [{ type: 'contains', value: 'Cost:', message: 'Name the cost.' }],
          },
          { id: 'detail', name: 'Write the details' },
        ],
        checkpoints: [
          {
            id: 'tone',
            name: 'Tone',
            message: 'Is it polite?',
            options: [{ id: 'yes', label: 'Yes', note: 'required' }],
            ...checkpoint,
          },
        ],
        transitions: [{ to: 'send', isDefault: true }],
      },
      { id: 'send', name: 'Send', steps: [{ id: 'mail', name: 'Send it' }] },
    ],
  });
}

const report = reportWith({});
const outputs = { summary: 'Cost: 1.', detail: 'Much.' };

function refusalOf(result: SessionResult): Extract<SessionResult, { status: 'refused' }> {
  if (result.status !== 'refused') throw new Error(`The result is ${result.status}.`);
  return result;
}

describe('the reasons of a refusal', () => {
  test('list each problem in its own entry, without the legal moves', async () => {
    const session = await createWorkflows({ definitions: [report] }).start(report);
    await session.enter();
    const wrong = { outputs: { summary: 'Cheap.', detail: '' }, variables: { pages: 'two', title: 'X' } };
    const { code, reasons, data, next } = refusalOf(await session.next(wrong));
    expect(code).toBe('MANIFEST_INVALID');
    expect(reasons.map((reason) => /'(\w+)'/.exec(reason)?.[1])).toEqual([
      'summary',
      'detail',
      'pages',
      'title',
    ]);
    expect(data).toEqual({});
    expect(next).toContainEqual({ kind: 'move', activity: 'send', steps: ['summary', 'detail'] });
  });

  test('name the missing outputs in one entry', async () => {
    const session = await createWorkflows({ definitions: [report] }).start(report);
    await session.enter();
    const { reasons } = refusalOf(await session.next({ outputs: { summary: 'Cost: 1.' } }));
    expect(reasons).toEqual([expect.stringContaining('detail')]);
  });

  test('are whole sentences, not the lines of a message', async () => {
    const workflows = createWorkflows({ definitions: [report], checkpoints: 'person' });
    const session = await workflows.start(report);
    await session.enter();
    await session.next({ outputs });
    const { code, reasons } = refusalOf(await session.answer('yes'));
    expect(code).toBe('HUMAN_REQUIRED');
    expect(reasons).toEqual([expect.stringMatching(/^\S[^\n]*\S$/)]);
  });
});

describe('a checkpoint that no step refers to', () => {
  test.each(['any', 'agent'] as const)('holds back next until an agent answers it: %s', async (approver) => {
    const asking = reportWith({ approver });
    const session = await createWorkflows({ definitions: [asking] }).start(asking);
    await session.enter();
    expect(await session.next({ outputs })).toMatchObject({
      status: 'waiting',
      checkpoint: { id: 'tone', needsPerson: false, options: [{ id: 'yes', note: 'required' }] },
    });
    expect(await session.answer('yes')).toMatchObject({ status: 'refused', code: 'NOTE_REQUIRED' });
    const answered = await session.answer('yes', { note: 'Read twice.' });
    expect(answered).toMatchObject({ status: 'active', activity: { id: 'send' } });
  });

  test('is asked only if its condition is true, which the variables of the same call can decide', async () => {
    const asking = reportWith({ condition: 'pages > 10' });
    const workflows = createWorkflows({ definitions: [asking] });
    for (const [pages, status] of [
      [2, 'active'],
      [20, 'waiting'],
    ] as const) {
      const session = await workflows.start(asking);
      await session.enter();
      expect(await session.next({ outputs, variables: { pages } })).toMatchObject({ status });
    }
  });

  test('only causes a warning in an advisory session, as if a step referred to it', async () => {
    const workflows = createWorkflows({ definitions: [report], enforcement: 'advisory' });
    const session = await workflows.start(report);
    await session.enter();
    const result = await session.next({ outputs });
    expect(result).toMatchObject({
      status: 'active',
      activity: { id: 'send' },
      warnings: [expect.stringContaining("'tone'")],
    });
  });
});

test('Checkpoints are asked in their order, whoever answers them', async () => {
  const options = [{ id: 'yes', label: 'Yes' }];
  const asking = defineWorkflow({
    id: 'asking',
    title: 'Asking',
    activities: [
      {
        id: 'write',
        name: 'Write',
        steps: [{ id: 'text' }],
        checkpoints: [
          { id: 'tone', name: 'Tone', message: 'Is it polite?', options },
          { id: 'publish', name: 'Publish', message: 'Publish it?', approver: 'human', options },
        ],
      },
    ],
  });
  const session = await createWorkflows({ definitions: [asking] }).start(asking);
  await session.enter();
  expect(await session.next({ outputs: { text: 'Dear all' } })).toMatchObject({ checkpoint: { id: 'tone' } });
  expect(await session.answer('yes')).toMatchObject({ checkpoint: { id: 'publish' } });
  const { reasons } = refusalOf(await session.answer('no', { person: 'Ada' }));
  expect(reasons).toEqual([expect.not.stringContaining('session.answer')]);
  expect(await session.answer('yes', { person: 'Ada' })).toMatchObject({ status: 'completed' });
});

test('next continues by itself if the session takes the default option', async () => {
  const checked = defineWorkflow({
    id: 'checked',
    name: 'Checked',
    steps: [
      { id: 'plan', title: 'Plan', prompt: 'Plan.', requireConfirmation: true, reversible: true },
      { id: 'build', title: 'Build', prompt: 'Build.' },
    ],
  });
  const workflows = createWorkflows({ definitions: [checked], autonomy: 'reversible' });
  const session = await workflows.start(checked);
  await session.enter();
  expect(await session.next({ outputs: { plan: 'A plan.' } })).toMatchObject({ activity: { id: 'build' } });
});

test('The last answer and all outputs can be read, even after the end', async () => {
  const workflows = createWorkflows({ definitions: [report] });
  const session = await workflows.start(report);
  await session.enter();
  await session.next({ outputs });
  await session.answer('yes', { person: 'Ada', note: 'Short and polite.' });
  expect(await session.next({ outputs: { mail: 'Sent.' } })).toMatchObject({ status: 'completed' });
  const { lastAnswer } = await session.status();
  expect(lastAnswer).toMatchObject({
    checkpoint: 'tone',
    answer: { option: 'yes' },
    note: 'Short and polite.',
  });
  const { outputs: kept } = await workflows.operator('Ada').contents(session.id);
  expect(kept.map(({ step, output }) => [step, output])).toEqual([
    ...Object.entries(outputs),
    ['mail', 'Sent.'],
  ]);
});
