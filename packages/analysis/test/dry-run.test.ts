import { describe, expect, it } from 'vitest';
import { dryRun } from '../src/index.ts';
import { reasons, stops } from '../src/messages.ts';
import { workflow } from '../../core/test/support/step-workflows.ts';
import { activityWorkflow } from '../../core/test/support/sessions.ts';

const review = workflow(
  [
    { id: 'measure' },
    { id: 'split', runCondition: 'size == "large"', requireConfirmation: true },
    {
      id: 'each',
      type: 'loop',
      loop: { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 3 },
      body: [{ id: 'write', title: 'Write', prompt: 'Write.' }],
    },
  ],
  {
    variables: [
      { name: 'size', type: 'string' },
      { name: 'files', type: 'array' },
    ],
  },
);

describe('the simulation of a step workflow', () => {
  it('says why each step came next, and which condition excluded each skipped step', () => {
    const { turns, end, why } = dryRun(review, { context: { files: ['a', 'b'] } });
    expect(turns.map(({ at }) => at)).toEqual(['measure', 'each@0::write', 'each@1::write']);
    expect(turns[1]).toMatchObject({
      name: 'Write',
      node: 'write',
      considered: [
        {
          target: 'split',
          verdict: 'skipped',
          why: reasons.conditionFalse('size == "large"'),
          undecided: ['size'],
        },
        {
          target: 'each@0::write',
          verdict: 'chosen',
          why: reasons.nextStep(undefined, { id: 'each', iteration: 1 }),
        },
      ],
    });
    expect(end).toBe('completed');
    expect(why).toBe(stops.unsetVariables(['size']));
  });

  it('includes a step whose condition is true, and answers its confirmation', () => {
    const { turns, left, why } = dryRun(review, { context: { size: 'large', files: ['a'] } });
    expect(turns[1]).toMatchObject({ at: 'split', considered: [{ verdict: 'chosen' }], answered: [] });
    expect(turns[2]?.answered).toMatchObject([{ checkpoint: 'confirm', option: 'confirm' }]);
    expect([left, why]).toEqual([[], undefined]);
  });

  it('stops at a loop without its list, and says what it needs', () => {
    const { end, why } = dryRun(review, {});
    expect(end).toBe('stuck');
    expect(why).toContain("'files'");
  });

  it('stops if an answer sends the work back again and again', () => {
    const walk = dryRun(review, {
      context: { size: 'large', files: [] },
      answers: { 'split/confirm': 'revise' },
    });
    expect(walk).toMatchObject({ end: 'stuck', why: stops.tooManyAnswers(50, 'split') });
  });
});

const plan = activityWorkflow(
  [
    {
      id: 'plan',
      checkpoints: [
        {
          id: 'how',
          name: 'How?',
          message: 'How?',
          options: [
            { id: 'as-it-is', label: 'As it is' },
            { id: 'quick', label: 'Quick', effect: { setVariable: { hurry: true } } },
            { id: 'again', label: 'Again', effect: { transitionTo: 'plan' } },
          ],
        },
      ],
      steps: [{ id: 'ask', checkpoint: 'how' }],
      transitions: [
        { to: 'careful', condition: 'risk == "high"' },
        { to: 'quick', condition: 'hurry == true' },
        { to: 'usual', isDefault: true },
      ],
    },
    { id: 'careful', transitions: [{ to: 'end' }] },
    { id: 'quick', transitions: [{ to: 'end' }] },
    { id: 'usual', transitions: [{ to: 'end' }] },
  ],
  {
    variables: [
      { name: 'risk', type: 'string' },
      { name: 'hurry', type: 'boolean' },
    ],
  },
);

it('A simulation stops early when mayGoOn returns false', () => {
  let left = 2;
  const options = { context: { files: ['a', 'b'] }, mayGoOn: () => left-- > 0 };
  const { turns, end, why } = dryRun(review, options);
  expect([turns.length, end, why]).toEqual([2, 'endless', 'It did not end after 2 turns.']);
});

describe('the simulation of an activity workflow', () => {
  it('evaluates the transitions in their order', () => {
    const { turns, end } = dryRun(plan, { context: { risk: 'high' } });
    expect(turns.map(({ at }) => at)).toEqual(['plan', 'careful']);
    expect(turns[1]?.considered.map(({ target, verdict }) => [target, verdict])).toEqual([
      ['careful', 'chosen'],
      ['quick', 'skipped'],
      ['usual', 'skipped'],
    ]);
    expect(end).toBe('completed');
  });

  it('uses the given answers, and continues with the variables that they set', () => {
    const { turns, variables } = dryRun(plan, { answers: { how: 'quick' } });
    expect(turns[1]).toMatchObject({
      at: 'quick',
      answered: [{ checkpoint: 'how', option: 'quick' }],
      sets: { hurry: true },
    });
    expect(turns[1]?.considered[0]).toMatchObject({ target: 'careful', undecided: ['risk'] });
    expect(variables).toMatchObject({ hurry: true });
  });

  it('says that an answer led to an activity', () => {
    const { turns, end } = dryRun(plan, { answers: { 'plan/how': 'again' } });
    expect(turns[1]).toMatchObject({
      at: 'plan',
      considered: [
        { target: 'plan', verdict: 'chosen', why: reasons.answerLeadsHere },
        { target: 'careful', verdict: 'not-reached' },
        { target: 'quick', verdict: 'not-reached' },
        { target: 'usual', verdict: 'not-reached' },
      ],
    });
    expect(end).toBe('endless');
  });
});

describe('the simulation with assumed outputs', () => {
  const sized = workflow(
    [
      {
        id: 'measure',
        fields: [
          { id: 'size', type: 'choice', options: ['small', 'large'] },
          { id: 'isDone', type: 'boolean' },
        ],
        sets: { size: 'size', isDone: 'isDone' },
      },
      { id: 'patch', runCondition: 'size == "small"' },
      { id: 'split', runCondition: 'size == "large"', requireConfirmation: true },
      { id: 'again', runCondition: 'isDone == false' },
    ],
    {
      variables: [
        { name: 'size', type: 'string' },
        { name: 'isDone', type: 'boolean' },
      ],
    },
  );

  it('chooses the first option of each field to take a branch, and marks it as assumed', () => {
    const { turns, end } = dryRun(sized, { assumes: true });
    expect(turns.map(({ at }) => at)).toEqual(['measure', 'patch']);
    expect(turns[1]).toMatchObject({ assumed: { size: 'small', isDone: true }, sets: { size: 'small' } });
    expect(end).toBe('completed');
  });

  it('keeps the given values, and reports the checkpoint before the end', () => {
    const { turns, answered } = dryRun(sized, { assumes: true, context: { size: 'large', isDone: true } });
    expect(turns.map(({ at }) => at)).toEqual(['measure', 'split']);
    expect(answered).toEqual([
      { checkpoint: 'confirm', option: 'confirm', name: expect.any(String), label: expect.any(String) },
    ]);
  });

  it('is off by default', () => {
    expect(dryRun(sized).turns.map(({ at }) => at)).toEqual(['measure']);
  });
});
