import type { Expectation, WorkflowTest } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import { explore } from '../src/exploration/explore.ts';
import { failures, stops } from '../src/messages.ts';
import { createWorkflowTests } from '../src/workflow-tests.ts';
import { workflow } from '../../core/test/support/step-workflows.ts';
import { activityWorkflow } from '../../core/test/support/sessions.ts';

const long = { type: 'length', min: 10, message: 'At least 10 characters' } as const;

const entry = workflow(
  [
    { id: 'measure', prompt: 'Set `size`.' },
    { id: 'split', runCondition: 'size == "large"', requireConfirmation: true, approver: 'human' },
    {
      id: 'each',
      type: 'loop',
      loop: { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 2 },
      body: [{ id: 'write', title: 'Write', prompt: 'Write {{file}}.', validationCriteria: long }],
    },
  ],
  {
    variables: [
      { name: 'size', type: 'string' },
      { name: 'files', type: 'array' },
    ],
  },
);

async function run(test: Partial<WorkflowTest>, of = entry) {
  return createWorkflowTests(of).run({ name: 'a walk', ...test });
}

const large: Partial<WorkflowTest> = {
  context: { files: ['a', 'b'] },
  sets: { measure: { size: 'large' } },
  answers: { confirm: 'confirm' },
  outputs: { write: 'long enough' },
};

describe('a test of a step workflow', () => {
  it('passes if everything happens as expected', async () => {
    const result = await run({
      ...large,
      expect: {
        path: ['measure', 'split', 'each@0::write', 'write'],
        reached: ['split', 'each@1::write'],
        notReached: ['each@2::write'],
        variables: { size: 'large', left: null },
      },
    });
    expect(result).toMatchObject({
      name: 'a walk',
      failures: [],
      outcome: 'completed',
      path: ['measure', 'split', 'each@0::write', 'each@1::write'],
      refused: [],
      warnings: [],
    });
  });

  it.each<[expected: Expectation, differences: readonly string[]]>([
    [{ path: ['measure', 'write'] }, [failures.otherPath(2, 'write', 'split')]],
    [{ path: ['measure'] }, [failures.otherPath(2, undefined, 'split')]],
    [{ path: ['measure', 'split', 'write', 'write', 'rest'] }, [failures.otherPath(5, 'rest', undefined)]],
    [{ reached: ['rest'], notReached: ['split'] }, [failures.notReached('rest'), failures.reached('split')]],
    [{ refused: ['write'] }, [failures.notRefused('write', undefined)]],
    [{ outcome: 'unfinished' }, [failures.completed]],
    [{ variables: { size: 'small' } }, [failures.otherValue('size', 'large', 'small')]],
    [{ variables: { depth: 1 } }, [failures.otherValue('depth', null, 1)]],
    [{ warnings: ['drift'] }, [failures.noWarning('drift')]],
  ])('fails with the difference: %j', async (expected, differences) => {
    const result = await run({ ...large, expect: expected });
    expect(result.failures).toEqual(differences);
  });

  it('fails if it names something that the workflow does not have', async () => {
    const result = await run({
      ...large,
      outputs: { 'each@0::wriet': 'long enough', write: 'long enough' },
      sets: { measure: { size: 'large' }, 'split::other': {} },
      answers: { confirm: 'confirm', go: 'yes' },
      expect: { notReached: ['each'] },
    });
    expect(result.failures).toEqual([
      failures.unknownName('each@0::wriet', 'outputs', 'step', 'write'),
      failures.unknownName('split::other', 'sets', 'step or activity', undefined),
      failures.unknownName('go', 'answers', 'checkpoint', undefined),
      failures.unknownName('each', 'notReached', 'step or activity', undefined),
    ]);
  });

  it('submits the next output if one is refused', async () => {
    const outputs = { write: ['short', 'long enough'] };
    const refused = { step: 'each@0::write', issues: ['At least 10 characters'] };
    const one = { ...large, context: { files: ['a'] }, outputs };
    expect(await run(one)).toMatchObject({
      refused: [refused],
      failures: [failures.refused('each@0::write', refused.issues)],
    });
    const because = { step: 'write', because: 'At least 10' };
    expect(await run({ ...one, expect: { refused: ['write'] } })).toMatchObject({ failures: [] });
    expect(await run({ ...one, expect: { refused: [because] } })).toMatchObject({ failures: [] });
    expect(await run({ ...one, expect: { refused: [{ step: 'write', because: 'JSON' }] } })).toMatchObject({
      failures: [failures.otherRefusal('each@0::write', refused.issues, 'JSON')],
    });
  });

  it('ends unfinished if it has nothing more to submit', async () => {
    const { answers, outputs, ...rest } = large;
    expect(await run({ ...rest, outputs: outputs ?? {} })).toMatchObject({
      outcome: 'unfinished',
      stop: stops.unanswered('confirm', 'split'),
    });
    expect(await run({ ...rest, answers: answers ?? {} })).toMatchObject({
      failures: [failures.notCompleted(stops.noOutput('each@0::write', 'criteria'))],
    });
    const short = await run({
      ...large,
      outputs: { write: 'short' },
      expect: { outcome: 'unfinished', refused: ['write'] },
    });
    expect(short).toMatchObject({
      failures: [],
      stop: stops.outputRefused('each@0::write', ['At least 10 characters']),
    });
  });

  it('stops at anything that a strict session refuses', async () => {
    expect(await run({ ...large, sets: { measure: { size: 'large', colour: 'red' } } })).toMatchObject({
      stop: expect.stringContaining("'colour'"),
    });
    expect(await run({ ...large, answers: { confirm: 'perhaps' } })).toMatchObject({
      stop: expect.stringMatching(/'confirm'.*'perhaps'/),
    });
  });

  it('has to expect the warning of a loop that ends at its maximum', async () => {
    const test = { ...large, context: { files: ['a', 'b', 'c'] } };
    const { failures: differences, warnings } = await run(test);
    expect(warnings).toEqual([expect.stringContaining("'each'")]);
    expect(differences).toEqual(warnings.map(failures.unexpectedWarning));
    expect((await run({ ...test, expect: { warnings: ['maxIterations'] } })).failures).toEqual([]);
  });

  it('sends work back as often as its answers say', async () => {
    const result = await run({ ...large, answers: { 'split::confirm': ['revise', 'confirm'] } });
    expect(result.failures).toEqual([]);
  });
});

describe('a test of an activity workflow', () => {
  const graph = activityWorkflow([
    {
      id: 'plan',
      steps: [
        { id: 'write', validationCriteria: long },
        { id: 'ask', checkpoint: 'go' },
        { id: 'polish', required: false, validationCriteria: long },
      ],
      checkpoints: [
        {
          id: 'go',
          name: 'Go?',
          message: 'Go?',
          options: [
            { id: 'yes', label: 'Yes' },
            { id: 'no', label: 'No', effect: { transitionTo: 'plan' } },
          ],
        },
        {
          id: 'extra',
          name: 'Extra?',
          message: 'Extra?',
          options: [{ id: 'skip', label: 'Skip', effect: { skipActivities: ['review'] } }],
        },
      ],
      transitions: [{ to: 'review' }],
    },
    {
      id: 'review',
      loops: [
        {
          id: 'each',
          name: 'Each',
          type: 'forEach',
          over: 'files',
          variable: 'file',
          steps: [{ id: 'read', validationCriteria: long }],
        },
      ],
      transitions: [{ to: 'end' }],
    },
  ]);
  const walk = createWorkflowTests(graph);
  const base = { name: 'a walk', outputs: { write: 'long enough' } };

  it('answers a checkpoint that is asked several times with one answer each', async () => {
    const result = await walk.run({
      ...base,
      context: { files: [] },
      answers: { go: ['no', 'yes'] },
      expect: { path: ['plan', 'plan', 'review'] },
    });
    expect(result.failures).toEqual([]);
  });

  it('answers an optional checkpoint if it has an answer for it', async () => {
    const result = await walk.run({
      ...base,
      answers: { go: 'yes', 'plan::extra': 'skip' },
      expect: { path: ['plan'] },
    });
    expect(result.failures).toEqual([]);
  });

  it('submits its outputs for optional steps and for iterations', async () => {
    const refused = await walk.run({
      ...base,
      context: { files: ['a', 'b'] },
      outputs: {
        'plan::write': 'long enough',
        polish: ['short', 'long enough'],
        'each@0::read': 'long enough',
        'each@1::read': 'short',
      },
      answers: { go: 'yes' },
      expect: { refused: ['polish', 'each@1::read'], outcome: 'unfinished' },
    });
    expect(refused.failures).toEqual([]);
  });

  it('counts what all tests together have covered', () => {
    expect(walk.coverage()).toEqual({
      sites: { total: 6, missed: ["step 'read' of 'review'"] },
      branches: { total: 3, missed: [] },
    });
  });
});

describe('a test of a workflow with fields', () => {
  const withFields = workflow(
    [
      {
        id: 'measure',
        prompt: 'Look at it.',
        fields: [{ id: 'extent', type: 'choice', options: ['small', 'large'] }],
        sets: { size: 'extent' },
      },
      { id: 'split', runCondition: 'size == "large"' },
    ],
    { variables: [{ name: 'size', type: 'string' }] },
  );

  it('gets the values of variables from the outputs, and requires those outputs', async () => {
    const outputs = { measure: '{"extent":"large"}' };
    expect(await run({ outputs }, withFields)).toMatchObject({
      failures: [],
      outcome: 'completed',
      path: ['measure', 'split'],
    });
    expect(await run({}, withFields)).toMatchObject({ path: ['measure'], outcome: 'unfinished' });
  });

  it('is not needed for exploration to find steps that depend on a field', () => {
    expect(explore(withFields).findings).toEqual([]);
  });
});
