import type { Outline } from '@workflowlookup/diagrams';
import { expect, test } from 'vitest';
import { placesOf } from '../../src/workflows/parts.tsx';

const common = {
  id: 'flow',
  name: 'Flow',
  description: '',
  version: '1.0.0',
  digest: '',
  tags: [],
  category: '',
  variables: [],
};

test('The steps of a step workflow are in its file, and those of a loop below it', () => {
  const inside = [{ id: 'inner', title: 'Inner' }];
  const steps = [
    { id: 'first', title: 'First' },
    { id: 'loop', title: 'Loop', body: inside },
    { id: 'again', title: 'Again', body: 'first' },
  ];
  const outline: Outline = { ...common, kind: 'steps', steps };
  expect([...placesOf({ outline, activityFiles: [] }, 'deep/flow.yaml')]).toEqual([
    ['first', { file: 'deep/flow.yaml', pointer: '/steps/0' }],
    ['loop', { file: 'deep/flow.yaml', pointer: '/steps/1' }],
    ['inner', { file: 'deep/flow.yaml', pointer: '/steps/1/body/0' }],
    ['again', { file: 'deep/flow.yaml', pointer: '/steps/2' }],
  ]);
});

const step = (id: string) => ({ id, isOptional: false });
const checkpoint = { id: 'ask', name: 'Ask', message: 'Sure?', approver: 'any' as const, options: [] };
const activity = { name: 'Activity', isFirst: false, loops: [], checkpoints: [], transitions: [] };

test.each(['team/flow/workflow.yaml', 'team/flow/activities/01-plan.yaml', 'team/flow/skills/01-plain.yaml'])(
  'The parts of an activity are in its own file or in the workflow file, seen from %s',
  (from) => {
    const activities = [
      {
        ...activity,
        id: 'plan',
        steps: [step('ask')],
        loops: [{ id: 'each', name: 'Each', rounds: '', steps: [step('one')] }],
        checkpoints: [checkpoint],
      },
      { ...activity, id: 'report', steps: [step('tell')] },
      { ...activity, id: 'borrowed', lender: 'other', steps: [step('none')] },
    ];
    const outline: Outline = { ...common, kind: 'activities', activities };
    const activityFiles = [
      { id: 'plan', file: 'activities/01-plan.yaml', pointer: '' },
      { id: 'report', file: 'workflow.yaml', pointer: '/activities/1' },
    ];
    const plan = 'team/flow/activities/01-plan.yaml';
    expect([...placesOf({ outline, activityFiles }, from)]).toEqual([
      ['plan', { file: plan, pointer: '' }],
      ['plan/ask', { file: plan, pointer: '/steps/0' }],
      ['plan/one', { file: plan, pointer: '/loops/0/steps/0' }],
      ['plan/checkpoint:ask', { file: plan, pointer: '/checkpoints/0' }],
      ['report', { file: 'team/flow/workflow.yaml', pointer: '/activities/1' }],
      ['report/tell', { file: 'team/flow/workflow.yaml', pointer: '/activities/1/steps/0' }],
    ]);
  },
);
