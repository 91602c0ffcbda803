import { readWorkflowTests } from '@workflowlookup/schema';
import { expect, test } from 'vitest';

const whole = `$schema: https://workflowlookup.dev/schemas/workflow-test.schema.json
workflow: release
tests:
  - name: a walk
    context: { size: large }
    outputs: { write: [short, long enough], list: { items: [1, 2] } }
    sets: { measure: [{ size: small }, { size: large }] }
    answers: { confirm: [revise, confirm], go: yes }
    expect:
      path: [measure, write]
      reached: [write]
      notReached: [skip]
      refused: [write, { step: list, because: at least }]
      outcome: unfinished
      variables: { size: null }
      warnings: [maxIterations]
`;

test('reads tests of a workflow, in YAML and in JSON', async () => {
  const yaml = await readWorkflowTests({ text: whole, format: 'yaml' });
  expect(yaml.issues).toEqual([]);
  expect(yaml.value).toMatchObject({ workflow: 'release', tests: [{ name: 'a walk' }] });
  const json = await readWorkflowTests({ text: JSON.stringify(yaml.value), format: 'json' });
  expect(json).toEqual(yaml);
});

test.each([
  ['tests: []', 'wrong-value', '/tests', 1, "'tests'"],
  ['tests:\n  - name: a\n    answer: { go: yes }', 'unknown-property', '/tests/0/answer', 3, "'answer'"],
  [
    'tests:\n  - name: a\n    answers: { go: 1 }',
    'wrong-value',
    '/tests/0/answers/go',
    3,
    "'tests[0].answers.go'",
  ],
  ['tests:\n  - name: a\n    sets: { go: [] }', 'wrong-value', '/tests/0/sets/go', 3, "'tests[0].sets.go'"],
  [
    'tests:\n  - name: a\n    expect: { outcome: done }',
    'wrong-value',
    '/tests/0/expect/outcome',
    3,
    "'completed'",
  ],
  ['tests:\n  - context: {}', 'missing-property', '/tests/0', 2, "'name'"],
  ['tests: [', 'syntax-error', '', 1, 'YAML'],
])('says what is wrong, and where: %s', async (text, code, pointer, line, named) => {
  const { value, issues } = await readWorkflowTests({ text, format: 'yaml' });
  expect(value).toBeUndefined();
  const message = expect.stringContaining(named) as string;
  expect(issues).toMatchObject([{ severity: 'error', code, pointer, line, message }]);
});
