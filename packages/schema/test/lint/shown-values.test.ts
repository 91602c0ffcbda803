import { expect, test } from 'vitest';
import type { Activity, ActivityVariable, ActivityWorkflow } from '../../src/index.ts';
import type { VariableSetters } from '../../src/workflow/step-workflow.ts';
import { checkPathsInAnswers, checkShownValues } from '../../src/lint/check-activity-variables.ts';

type Sketch = Partial<Activity> & { readonly id: string };

function workflowOf(
  sketches: readonly Sketch[],
  variables: readonly Partial<ActivityVariable>[],
): ActivityWorkflow {
  const activities = sketches.map((definition) => ({
    id: definition.id,
    file: `${definition.id}.yaml`,
    pointer: '',
    definition,
  }));
  return { definition: { variables }, activities } as unknown as ActivityWorkflow;
}

const variablesOf = (source: unknown) => [String(source).split(' ')[0] ?? ''];

function found(sketches: readonly Sketch[], setBy: VariableSetters): readonly string[] {
  const workflow = workflowOf(sketches, [{ name: 'commit', type: 'string', set_by: setBy }]);
  return [...checkShownValues({ workflow, file: 'workflow.yaml', variablesOf })].map(
    ({ code, pointer }) => `${code} ${pointer}`,
  );
}

const ok = {
  id: 'ok',
  name: 'OK',
  message: 'Merge {commit}?',
  approver: 'human' as const,
  options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { approved: true } } }],
};
const build = { id: 'build', transitions: [{ to: 'ask' }] };
const ask = { id: 'ask', checkpoints: [ok], transitions: [{ to: 'merge' }] };
const merge = { id: 'merge', transitions: [{ to: 'repair', condition: 'broken == true' }, { to: 'end' }] };
const repair = (to: string) => ({ id: 'repair', transitions: [{ to }] });
const finding = ['open-decision /variables/0/set_by'];

test.each<[string, readonly Sketch[], VariableSetters, readonly string[]]>([
  [
    'an activity between two iterations of the approved work',
    [build, ask, merge, repair('merge')],
    ['repair'],
    finding,
  ],
  ['the approved activity itself', [build, ask, merge, repair('merge')], ['build', 'merge'], finding],
  ['any agent', [build, ask, merge, repair('merge')], 'agent', finding],
  ['an activity before the question', [build, ask, merge, repair('merge')], ['build'], []],
  ['an activity from which the question comes again', [build, ask, merge, repair('ask')], ['repair'], []],
  ['an activity after which nothing is repeated', [build, ask, merge, repair('end')], ['repair'], []],
  ['answers only', [build, ask, merge, repair('merge')], 'checkpoint', []],
  [
    'an activity from which the question comes only if it was not answered before',
    [build, { ...ask, checkpoints: [{ ...ok, condition: 'approved != true' }] }, merge, repair('ask')],
    ['repair'],
    finding,
  ],
  [
    'work that is also done before the question',
    [
      { id: 'build', transitions: [{ to: 'repair' }, { to: 'ask' }] },
      { ...ask, transitions: [{ to: 'repair' }] },
      { id: 'repair', transitions: [{ to: 'build' }] },
    ],
    ['repair', 'build'],
    [],
  ],
  [
    'a question for agents',
    [build, { ...ask, checkpoints: [{ ...ok, approver: 'any' }] }, merge, repair('merge')],
    ['repair'],
    [],
  ],
])(
  'set_by of a variable that a checkpoint shows is reported or not: %s',
  (_name, sketches, setBy, expected) => {
    expect(found(sketches, setBy)).toEqual(expected);
  },
);

test('An answer that sets a path into a variable of another answer is reported', () => {
  const answers = (...effects: readonly Readonly<Record<string, string>>[]) => ({
    ...ask,
    checkpoints: [
      {
        ...ok,
        options: effects.map((setVariable, at) => ({ id: `o${at}`, label: 'O', effect: { setVariable } })),
      },
    ],
  });
  const codes = (sketch: Sketch) =>
    [...checkPathsInAnswers(workflowOf([sketch], []))].map(({ code, pointer }) => `${code} ${pointer}`);
  expect(codes(answers({ 'target.env': 'test' }, { target: 'none' }))).toEqual([
    'shadowed-name /checkpoints/0/options/0/effect/setVariable',
  ]);
  expect(codes(answers({ 'target.env': 'test' }, { 'target.env': 'live' }))).toEqual([]);
});
