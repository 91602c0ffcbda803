import { expect, test } from 'vitest';
import { checkDecisions } from '../src/check-decisions.ts';
import type { Activity, ActivityVariable, ActivityWorkflow } from '../src/index.ts';

const gate = (id: string, more: object = {}) => ({
  id,
  name: id,
  message: 'Go?',
  approver: 'human' as const,
  options: [{ id: 'yes', label: 'Yes' }],
  ...more,
});

function found(
  activities: readonly (Partial<Activity> & { readonly id: string })[],
  variables: readonly Partial<ActivityVariable>[],
  modes: readonly object[] = [],
) {
  const workflow = {
    definition: { variables: variables.map((one) => ({ type: 'boolean', ...one })), modes },
    activities: activities.map((definition) => ({
      id: definition.id,
      file: `${definition.id}.yaml`,
      pointer: '',
      definition,
    })),
  } as unknown as ActivityWorkflow;
  const variablesOf = (source: unknown) => [String(source).split(' ')[0] ?? ''];
  return [...checkDecisions({ workflow, file: 'workflow.yaml', variablesOf })].map(
    ({ code, file, pointer }) => `${code} ${file}${pointer}`,
  );
}

const sign = { id: 'sign', checkpoints: [gate('signed')] };
const branching = {
  id: 'build',
  transitions: [{ to: 'ship', condition: 'small == true' }, { to: 'sign' }],
};

test.each<[string, Parameters<typeof found>, readonly string[]]>([
  [
    'its own condition',
    [[{ id: 'sign', checkpoints: [gate('signed', { condition: 'risky == true' })] }], [{ name: 'risky' }]],
    ['open-decision sign.yaml/checkpoints/0/condition'],
  ],
  [
    'the condition of the step that stops there',
    [[{ ...sign, steps: [{ id: 'ask', checkpoint: 'signed', when: 'risky == true' }] }], [{ name: 'risky' }]],
    ['open-decision sign.yaml/steps/0/when'],
  ],
  [
    'a transition that goes around it',
    [[branching, sign], [{ name: 'small' }]],
    ['open-decision build.yaml/transitions/0/condition'],
  ],
  [
    'a mode that skips it',
    [[sign], [{ name: 'fast' }], [{ activationVariable: 'fast', skipActivities: ['sign'] }]],
    ['open-decision workflow.yaml/modes/0/activationVariable'],
  ],
  [
    'a path into a variable',
    [
      [
        { ...branching, transitions: [{ to: 'ship', condition: 'plan.small == true' }, { to: 'sign' }] },
        sign,
      ],
      [{ name: 'plan' }],
    ],
    ['open-decision build.yaml/transitions/0/condition'],
  ],
  ['a variable with an owner', [[branching, sign], [{ name: 'small', set_by: ['build'] }]], []],
  [
    'a checkpoint that agents answer',
    [[branching, { id: 'sign', checkpoints: [gate('signed', { approver: 'any' })] }], [{ name: 'small' }]],
    [],
  ],
  [
    'a setter that is not there',
    [[sign], [{ name: 'small', set_by: ['signed', 'sing'] }]],
    ['unknown-setter workflow.yaml/variables/0/set_by'],
  ],
])('%s', (_, given, codes) => {
  expect(found(...given)).toEqual(codes);
});
