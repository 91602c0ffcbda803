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
  ['tests: []', "'tests' must have at least one item, found none", 1],
  ['tests:\n  - name: a\n    answer: { go: yes }', "Unknown property 'answer'", 3],
  ['tests:\n  - name: a\n    answers: { go: 1 }', "'tests[0].answers.go'", 3],
  ['tests:\n  - name: a\n    sets: { go: [] }', "'tests[0].sets.go'", 3],
  ['tests:\n  - name: a\n    expect: { outcome: done }', 'completed', 3],
  ['tests:\n  - context: {}', "Missing required property 'name'", 2],
  ['tests: [', 'Flow sequence', 1],
])('says what is wrong, and where: %s', async (text, message, line) => {
  const { value, issues } = await readWorkflowTests({ text, format: 'yaml' });
  expect(value).toBeUndefined();
  expect(issues).toMatchObject([{ severity: 'error', line }]);
  expect(issues[0]?.message).toContain(message);
});
