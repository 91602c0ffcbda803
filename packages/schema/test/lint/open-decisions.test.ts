import { describe, expect, test } from 'vitest';
import { checkDecisions } from '../../src/lint/check-decisions.ts';
import type { Activity, ActivityVariable, ActivityWorkflow } from '../../src/index.ts';
import { createReader } from '../../src/index.ts';

const checkpoint = (id: string, more: object = {}) => ({
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

const choosing = (yes: Record<string, boolean>, no: Record<string, boolean>) =>
  checkpoint('signed', {
    options: [
      { id: 'yes', label: 'Yes', effect: { setVariable: yes } },
      { id: 'no', label: 'No', effect: { setVariable: no } },
    ],
  });
/** Returns a checkpoint that agents may answer. Its option sets variables, and has these other effects. */
const setting = (setVariable: Record<string, boolean>, more: object = {}) =>
  checkpoint('pace', {
    approver: 'any',
    options: [{ id: 'yes', label: 'Yes', effect: { setVariable, ...more } }],
  });
const each = { id: 'each', name: 'Each', type: 'while' as const, condition: 'more == true' };
const sign = { id: 'sign', checkpoints: [checkpoint('signed')] };
const branching = {
  id: 'build',
  transitions: [{ to: 'ship', condition: 'small == true' }, { to: 'sign' }],
};

test.each<[string, Parameters<typeof found>, readonly string[]]>([
  [
    'its own condition',
    [
      [{ id: 'sign', checkpoints: [checkpoint('signed', { condition: 'risky == true' })] }],
      [{ name: 'risky' }],
    ],
    ['open-decision sign.yaml/checkpoints/0/condition'],
  ],
  [
    'the condition of the step that has the checkpoint',
    [[{ ...sign, steps: [{ id: 'ask', checkpoint: 'signed', when: 'risky == true' }] }], [{ name: 'risky' }]],
    ['open-decision sign.yaml/steps/0/when'],
  ],
  [
    'the loop around the step that has the checkpoint',
    [
      [
        {
          ...sign,
          loops: [
            {
              id: 'each',
              name: 'Each',
              type: 'forEach',
              over: 'files',
              condition: 'more == true',
              breakCondition: 'done == true',
              steps: [{ id: 'ask', checkpoint: 'signed' }],
            },
            { id: 'other', name: 'Other', type: 'while', condition: 'free == true', steps: [{ id: 'do' }] },
          ],
        },
      ],
      ['files', 'more', 'done', 'free'].map((name) => ({ name })),
    ],
    [
      'open-decision sign.yaml/loops/0/condition',
      'open-decision sign.yaml/loops/0/breakCondition',
      'open-decision sign.yaml/loops/0/over',
    ],
  ],
  [
    'the loop that enters its activity',
    [
      [
        {
          id: 'host',
          loops: [
            { id: 'each', name: 'Each', type: 'forEach', over: 'files.all', activities: ['sign'] },
            { id: 'other', name: 'Other', type: 'forEach', over: 'free', activities: ['host'] },
          ],
        },
        sign,
      ],
      [{ name: 'files' }, { name: 'free' }],
    ],
    ['open-decision host.yaml/loops/0/over'],
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
  [
    'a transition that reads what only some options of a checkpoint set',
    [
      [
        { id: 'sign', checkpoints: [choosing({ approved: true }, {})], transitions: [{ to: 'next' }] },
        { id: 'next', transitions: [{ to: 'ship', condition: 'approved == true' }] },
        { id: 'ship' },
      ],
      [{ name: 'approved' }],
    ],
    ['open-decision next.yaml/transitions/0/condition'],
  ],
  [
    'a transition that reads a path into what only some options of a checkpoint set',
    [
      [
        { id: 'sign', checkpoints: [choosing({ plan: true }, {})], transitions: [{ to: 'next' }] },
        { id: 'next', transitions: [{ to: 'ship', condition: 'plan.approved == true' }] },
        { id: 'ship' },
      ],
      [{ name: 'plan' }],
    ],
    ['open-decision next.yaml/transitions/0/condition'],
  ],
  ...[
    { options: [{ approved: true }, { approved: false }], declared: { name: 'approved' } },
    { options: [{ approved: true }, {}], declared: { name: 'approved', set_by: 'checkpoint' } },
  ].map(({ options: [yes = {}, no = {}], declared }): [string, Parameters<typeof found>, string[]] => [
    `nothing where all options set it, or nobody else may: ${JSON.stringify(declared)}`,
    [
      [
        {
          id: 'sign',
          checkpoints: [choosing(yes, no)],
          transitions: [{ to: 'ship', condition: 'approved == true' }, { to: 'end' }],
        },
        { id: 'ship' },
      ],
      [declared],
    ],
    [],
  ]),
  ...[
    {
      self: 'any',
      set_by: 'checkpoint',
      to: 'sign',
      codes: ['open-decision next.yaml/transitions/0/condition'],
    },
    {
      self: 'any',
      set_by: ['signed'],
      to: 'sign',
      codes: ['open-decision next.yaml/transitions/0/condition'],
    },
    { self: 'any', set_by: 'checkpoint', to: 'ship', codes: [] },
    { self: 'any', set_by: ['self', 'signed'], to: 'sign', codes: [] },
    { self: 'human', set_by: 'checkpoint', to: 'sign', codes: [] },
  ].map(({ self, set_by, to, codes }): [string, Parameters<typeof found>, string[]] => [
    `a transition that reads what an answer to another checkpoint set before: ${self}, ${String(set_by)}, ${to}`,
    [
      [
        {
          id: 'pre',
          checkpoints: [{ ...setting({ approved: true }), id: 'self', approver: self as 'any' }],
          transitions: [{ to }],
        },
        { id: 'sign', checkpoints: [choosing({ approved: true }, {})], transitions: [{ to: 'next' }] },
        { id: 'next', transitions: [{ to: 'ship', condition: 'approved == true' }] },
        { id: 'ship' },
      ],
      [{ name: 'approved', set_by }],
    ],
    codes,
  ]),
  ...[
    { reader: 'pre', codes: [] },
    { reader: 'host', codes: ['open-decision host.yaml/transitions/0/condition'] },
  ].map(({ reader, codes }): [string, Parameters<typeof found>, string[]] => {
    const transitions = (id: string, to: string) => [
      ...(id === reader ? [{ to: 'ship', condition: 'approved == true' }] : []),
      { to },
    ];
    return [
      `what an answer set before, where it is read at '${reader}'`,
      [
        [
          { id: 'pre', checkpoints: [setting({ approved: true })], transitions: transitions('pre', 'host') },
          {
            id: 'host',
            loops: [{ ...each, activities: ['sign'] }],
            transitions: transitions('host', 'ship'),
          },
          { id: 'sign', checkpoints: [choosing({ approved: true }, {})] },
          { id: 'ship' },
        ],
        [{ name: 'approved', set_by: 'checkpoint' }],
      ],
      codes,
    ];
  }),
  ...(
    [
      ['an answer that leads elsewhere', { checkpoints: [setting({}, { transitionTo: 'ship' })] }, 1],
      ['an answer that skips activities', { checkpoints: [setting({}, { skipActivities: ['sign'] })] }, 1],
      ['a loop that leads to the person', { loops: [{ ...each, activities: ['sign'] }] }, 1],
      ['a loop that leads elsewhere', { loops: [{ ...each, activities: ['ship'] }] }, 0],
      ['an answer that sets what decides', { checkpoints: [setting({ small: true })] }, 1],
      [
        'an action that sets what decides',
        { entryActions: [{ action: 'set', target: 'small', value: true }] },
        1,
      ],
      ['nothing that decides', { checkpoints: [setting({ other: true })] }, 0],
    ] as const
  ).map(([what, work, count]): [string, Parameters<typeof found>, string[]] => [
    `a mode that skips an activity with ${what}`,
    [
      [{ id: 'express', ...work, transitions: [{ to: 'build' }] }, branching, sign, { id: 'ship' }],
      [{ name: 'careful' }, { name: 'small', set_by: 'checkpoint' }],
      [{ activationVariable: 'careful', skipActivities: ['express'] }],
    ],
    Array.from({ length: count }, () => 'open-decision workflow.yaml/modes/0/activationVariable'),
  ]),
  [
    'a mode that skips such an activity after the person was asked',
    [
      [sign, { id: 'express', checkpoints: [setting({}, { transitionTo: 'ship' })] }, { id: 'ship' }],
      [{ name: 'careful' }],
      [{ activationVariable: 'careful', skipActivities: ['express'] }],
    ],
    [],
  ],
  [
    'any name where nothing is declared',
    [[branching, sign], []],
    ['open-decision build.yaml/transitions/0/condition'],
  ],
  [
    'a name that an option leaves as it is, where nothing is declared',
    [
      [
        {
          id: 'sign',
          checkpoints: [choosing({ approved: true }, {})],
          transitions: [{ to: 'ship', condition: 'approved == true' }],
        },
        { id: 'ship' },
      ],
      [],
    ],
    ['open-decision sign.yaml/transitions/0/condition'],
  ],
  [
    'the list of a loop, but not its items, where nothing is declared',
    [
      [
        {
          ...sign,
          loops: [
            {
              id: 'each',
              name: 'Each',
              type: 'forEach',
              over: 'files',
              variable: 'file',
              steps: [{ id: 'ask', checkpoint: 'signed', when: 'file.risky == true' }],
            },
          ],
        },
      ],
      [],
    ],
    ['open-decision sign.yaml/loops/0/over'],
  ],
  [
    'the list of a loop over activities, but not its items, where nothing is declared',
    [
      [
        {
          id: 'build',
          loops: [
            {
              id: 'each',
              name: 'Each',
              type: 'forEach',
              over: 'files',
              variable: 'file',
              activities: ['sign'],
            },
          ],
        },
        { id: 'sign', checkpoints: [checkpoint('signed', { condition: 'file.risky == true' })] },
      ],
      [],
    ],
    ['open-decision build.yaml/loops/0/over'],
  ],
  ['a variable with an owner', [[branching, sign], [{ name: 'small', set_by: ['build'] }]], []],
  [
    'a checkpoint that agents answer',
    [
      [branching, { id: 'sign', checkpoints: [checkpoint('signed', { approver: 'any' })] }],
      [{ name: 'small' }],
    ],
    [],
  ],
  [
    'a setter that does not exist',
    [[sign], [{ name: 'small', set_by: ['signed', 'sing'] }]],
    ['unknown-setter workflow.yaml/variables/0/set_by'],
  ],
  [
    'a setter that is an activity and a checkpoint',
    [[{ id: 'sign', checkpoints: [checkpoint('sign')] }], [{ name: 'small', set_by: ['sign'] }]],
    ['shadowed-name workflow.yaml/variables/0/set_by'],
  ],
])('The open decision is reported or not: %s', (_, given, codes) => {
  expect(found(...given)).toEqual(codes);
});

describe('set_by in a step workflow', () => {
  const steps = [
    { id: 'plan', title: 'Plan', prompt: 'Plan it and set `small`.' },
    {
      id: 'each',
      type: 'loop',
      title: 'Each',
      loop: { type: 'for', count: 2, maxIterations: 2 },
      body: [{ id: 'build', title: 'Build', prompt: 'Build it.' }],
    },
  ];

  test.each<[string, string | readonly string[], readonly string[]]>([
    ['a step', 'plan', []],
    ['a step in a loop, and agents', ['build', 'agent'], []],
    ['a step that does not exist', ['plan', 'plann'], ['unknown-setter /variables/0/set_by']],
    ['a loop, in which no agent can be', 'each', ['unknown-setter /variables/0/set_by']],
    ['an answer, which cannot set variables here', 'checkpoint', ['unknown-setter /variables/0/set_by']],
  ])('may name %s, or causes a warning', async (_, setBy, codes) => {
    const { issues } = await createReader()({
      format: 'json',
      text: JSON.stringify({
        id: 'my-flow',
        name: 'My flow',
        description: 'For tests.',
        version: '1.0.0',
        variables: [{ name: 'small', type: 'boolean', set_by: setBy }],
        steps,
      }),
    });
    expect(issues.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(codes);
  });
});

describe('an open decision in a step workflow', () => {
  const step = { title: 'Step', prompt: 'Do it.' };
  const confirmed = { ...step, id: 'push', requireConfirmation: true, approver: 'human' };
  const free = ['a', 'b', 'c', 'd', 'e', 'item'].map((name) => ({ name, type: 'string', default: '' }));
  const loop = (spec: object, body: unknown, id = 'each') => ({
    id,
    type: 'loop',
    title: 'Loop',
    loop: { maxIterations: 2, ...spec },
    body,
  });
  const variablesOf = (source: unknown) => [String(source).split(' ')[0] ?? ''];

  async function openIn(steps: readonly object[], variables: readonly object[] = free) {
    const definition = {
      id: 'flow',
      name: 'Flow',
      description: 'A flow.',
      version: '1.0.0',
      variables,
      steps,
    };
    const { issues } = await createReader({ variablesOf })({
      text: JSON.stringify(definition),
      format: 'json',
    });
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    return issues.filter(({ code }) => code === 'open-decision').map(({ pointer }) => pointer);
  }

  test.each<[string, readonly object[], readonly string[]]>([
    ['the condition of the step', [{ ...confirmed, runCondition: 'a == 1' }], ['/steps/0/runCondition']],
    [
      'whether it is confirmed',
      [{ ...confirmed, requireConfirmation: 'a == 1' }],
      ['/steps/0/requireConfirmation'],
    ],
    [
      'the loops around it',
      [
        {
          ...loop({ type: 'while', condition: 'a == 1' }, [
            loop(
              { type: 'forEach', items: 'b.all', itemVar: 'item' },
              [{ ...confirmed, runCondition: 'item.c == 1' }],
              'inner',
            ),
            loop({ type: 'for', count: 'c' }, [{ ...step, id: 'other' }], 'free'),
          ]),
          runCondition: 'd == 1',
        },
      ],
      ['/steps/0/body/0/loop/items', '/steps/0/runCondition', '/steps/0/loop/condition'],
    ],
    [
      'a loop that names it as its body',
      [loop({ type: 'for', count: 'c' }, 'push'), confirmed],
      ['/steps/0/loop/count'],
    ],
    [
      'a step that a person need not confirm',
      [{ ...confirmed, approver: 'any', runCondition: 'a == 1' }],
      [],
    ],
    [
      'a step that nobody confirms',
      [{ ...confirmed, requireConfirmation: false, runCondition: 'a == 1' }],
      [],
    ],
  ])('is found in what decides about a step with a person: %s', async (_, steps, pointers) => {
    expect((await openIn(steps)).toSorted()).toEqual(pointers.toSorted());
  });

  test('is not reported for a name in a workflow without declarations, except for the item of a loop', async () => {
    const steps = [
      loop({ type: 'forEach', items: 'b', itemVar: 'item' }, [
        { ...confirmed, runCondition: 'item.risky == 1' },
      ]),
      { ...confirmed, id: 'sign', runCondition: 'a == 1' },
    ];
    expect(await openIn(steps, [])).toEqual(['/steps/0/loop/items', '/steps/1/runCondition']);
  });

  test('is not reported for a variable with set_by', async () => {
    const plan = { ...step, id: 'plan' };
    const steps = [plan, { ...confirmed, runCondition: 'a == 1' }];
    expect(await openIn(steps, [{ name: 'a', type: 'string', default: '', set_by: ['plan'] }])).toEqual([]);
  });
});

describe('a step after the step that asks a person', () => {
  const ask = { id: 'ask', checkpoint: 'signed' };
  const steps = (...later: readonly object[]) =>
    found([{ id: 'ship', steps: [ask, ...later], checkpoints: [checkpoint('signed')] } as never], []);

  test('is reported, because the agent reads it before the person answers', () => {
    expect(steps({ id: 'tag' }, { id: 'publish' })).toEqual(['open-decision ship.yaml/steps/1']);
    expect(steps({ id: 'note', required: false }, { id: 'tag' })).toEqual([
      'open-decision ship.yaml/steps/2',
    ]);
  });

  test('is not reported if it is optional or has a condition, or if an agent may answer', () => {
    expect(steps()).toEqual([]);
    expect(steps({ id: 'tag', required: false })).toEqual([]);
    expect(steps({ id: 'tag', when: 'live == true' })).toEqual([]);
    const pace = checkpoint('signed', { approver: 'any' });
    expect(found([{ id: 'ship', steps: [ask, { id: 'tag' }], checkpoints: [pace] }], [])).toEqual([]);
  });
});
