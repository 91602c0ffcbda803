import { expect, test } from 'vitest';
import type { TrialAction } from '../src/index.ts';
import { dryRun, tryWorkflow } from '../src/index.ts';
import { workflow } from '../../core/test/support/step-workflows.ts';
import { activityWorkflow } from '../../core/test/support/sessions.ts';

const report = workflow(
  [
    {
      id: 'read',
      title: 'Read',
      prompt: 'Read about {{topic}}.',
      validationCriteria: [{ type: 'length', min: 10 }],
    },
    { id: 'publish', title: 'Publish', prompt: 'Publish it.', requireConfirmation: true },
  ],
  { variables: [{ name: 'topic', type: 'string' }] },
);

const submit = (outputs: Record<string, string>): TrialAction => ({ kind: 'submit', outputs });

test('A trial begins with the instructions of the first step, with the variables filled in', async () => {
  const { position, turns } = await tryWorkflow(report, { context: { topic: 'bees' } });
  expect(turns).toMatchObject([{ at: 'read', name: 'Read' }]);
  expect(position).toMatchObject({
    status: 'active',
    steps: [
      { id: 'read', name: 'Read', text: expect.stringContaining('Read about bees.'), isRequired: true },
    ],
  });
});

test('An output that does not meet its criteria is refused with the reasons, unless the person accepts it', async () => {
  const short = await tryWorkflow(report, { actions: [submit({ read: 'Bees.' })] });
  expect(short).toMatchObject({
    applied: 0,
    position: { status: 'active' },
    refusal: { code: 'MANIFEST_INVALID', reasons: [expect.stringContaining("'read'")] },
  });
  const none = await tryWorkflow(report, { actions: [submit({})] });
  expect(none).toMatchObject({ applied: 0, refusal: { code: 'MANIFEST_INVALID' } });
  const accepted = await tryWorkflow(report, {
    actions: [{ kind: 'submit', outputs: { read: 'Bees.' }, isAccepted: true }],
  });
  expect(accepted).toMatchObject({ applied: 1, turns: [{ at: 'read' }, { at: 'publish' }] });
  expect(accepted.refusal).toBeUndefined();
});

test('A trial stops at a checkpoint, can send the work back, and ends with an outcome', async () => {
  const actions: TrialAction[] = [submit({ read: 'Bees make honey.' }), submit({ publish: 'Published.' })];
  const asked = await tryWorkflow(report, { actions });
  expect(asked.position).toMatchObject({ status: 'waiting', checkpoint: { id: 'confirm' } });
  const back = await tryWorkflow(report, { actions: [...actions, { kind: 'answer', option: 'revise' }] });
  expect(back).toMatchObject({
    applied: 3,
    position: { status: 'active', steps: [{ id: 'publish' }] },
    answered: [{ checkpoint: 'confirm', option: 'revise' }],
  });
  const done = await tryWorkflow(report, { actions: [...actions, { kind: 'answer', option: 'confirm' }] });
  expect(done).toMatchObject({ applied: 3, position: { status: 'completed', outcome: {} } });
});

test('An unknown option is refused, and the checkpoint still waits', async () => {
  const actions: TrialAction[] = [submit({ read: 'Bees make honey.' }), submit({ publish: 'Published.' })];
  const trial = await tryWorkflow(report, { actions: [...actions, { kind: 'answer', option: 'maybe' }] });
  expect(trial).toMatchObject({ applied: 2, position: { status: 'waiting' }, refusal: {} });
});

test('Outputs are submitted in the order of the steps, in whatever order they were written', async () => {
  const two = activityWorkflow([
    { id: 'work', steps: [{ id: 'first' }, { id: 'second', required: false }, { id: 'third' }] },
  ]);
  const outputs = { third: 'Done.', second: 'Done.', first: 'Done.' };
  for (const isAccepted of [false, true]) {
    const trial = await tryWorkflow(two, { actions: [{ kind: 'submit', outputs, isAccepted }] });
    expect([trial.refusal, trial.position.status]).toEqual([undefined, 'completed']);
  }
});

const endless = workflow(
  [
    {
      id: 'rounds',
      type: 'loop',
      loop: { type: 'while', condition: 'isDone != true', maxIterations: 2 },
      body: [{ id: 'try-it', title: 'Try it', prompt: 'Try it.' }],
    },
    { id: 'last', title: 'Last', prompt: 'The end.' },
  ],
  { variables: [{ name: 'isDone', type: 'boolean', default: false }] },
);

test('A loop that ends at its maximum is reported in a simulation and in a trial', async () => {
  const limit = expect.stringMatching(/'rounds'.*\b2\b/);
  const { turns } = dryRun(endless);
  expect(turns.at(-1)).toMatchObject({ at: 'last', warnings: [limit] });
  const actions: TrialAction[] = ['rounds@0::try-it', 'rounds@1::try-it'].map((id) =>
    submit({ [id]: 'Done.' }),
  );
  const trial = await tryWorkflow(endless, { actions });
  expect(trial.turns.at(-1)).toMatchObject({ at: 'last', warnings: [limit] });
});

const batches = activityWorkflow(
  [
    {
      id: 'plan',
      steps: [{ id: 'think', name: 'Think' }],
      loops: [
        {
          id: 'each',
          name: 'Each',
          type: 'while',
          condition: 'isDone != true',
          maxIterations: 2,
          activities: ['work'],
        },
      ],
      transitions: [{ to: 'end', isDefault: true }],
    },
    { id: 'work', steps: [{ id: 'do-it', name: 'Do it' }], transitions: [{ to: 'plan' }] },
  ],
  { variables: [{ name: 'isDone', type: 'boolean', defaultValue: false }] },
);

test('A loop over activities that ends at its maximum is reported', () => {
  const { end, left, turns } = dryRun(batches);
  expect([end, turns.map(({ at }) => at)]).toEqual(['completed', ['plan', 'work', 'plan', 'work', 'plan']]);
  expect(left[0]).toMatchObject({
    target: 'work',
    verdict: 'skipped',
    why: expect.stringMatching(/'each'.*\b2\b/),
  });
});
