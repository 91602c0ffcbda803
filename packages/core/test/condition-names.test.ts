import { expect, test } from 'vitest';
import { readDefinition } from '../src/index.ts';

// Step workflows whose conditions read variables.

test('A condition that reads an undeclared variable is reported, with a suggestion', async () => {
  const found = await warningsOf({
    variables: [
      { name: 'explained', type: 'boolean' },
      { name: 'files', type: 'array' },
    ],
    steps: [
      { ...step('find', "Set 'explained'."), requireConfirmation: 'explaind == true' },
      { ...step('fix', 'Mend it.'), runCondition: 'explaned == true and explained.since > 3' },
      loop('until', { type: 'until', condition: 'explaind == true', maxIterations: 3 }),
    ],
    session_outcomes: [{ name: 'done', when: 'explainde == true', result: 'success' }],
  });
  const suggestion = expect.stringContaining("'explained'") as string;
  expect(found).toEqual([
    ['/steps/0/requireConfirmation', suggestion],
    ['/steps/1/runCondition', suggestion],
    ['/steps/2/loop/condition', suggestion],
    ['/session_outcomes/0/when', suggestion],
  ]);
});

test('A condition may read declared variables and the variables of the loops around its step', async () => {
  const inside = {
    ...step('check', 'Check {{file}}.'),
    runCondition: 'file.kind == "code" and currentIndex > 0',
  };
  const found = await warningsOf({
    variables: [{ name: 'ticket', type: 'string', required: true }],
    steps: [loop('each', { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 3 }, [inside])],
  });
  expect(found).toEqual([]);
});

test('A condition may read any variable if the workflow declares none', async () => {
  expect(await warningsOf({ steps: [{ ...step('fix', 'Mend it.'), runCondition: 'size == 1' }] })).toEqual(
    [],
  );
});

function step(id: string, prompt: string): object {
  return { id, title: id, prompt };
}

function loop(id: string, how: object, body: readonly object[] = [step('inside', 'Look.')]): object {
  return { id, type: 'loop', title: id, loop: how, body };
}

async function warningsOf(more: object): Promise<unknown> {
  const definition = { id: 'mend', name: 'Mend', description: 'Mends a bug.', version: '1.0.0', ...more };
  const { issues } = await readDefinition({ text: JSON.stringify(definition), format: 'json' });
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  return issues
    .filter(({ code }) => code === 'unknown-variable')
    .map(({ pointer, suggestion }) => [pointer, suggestion]);
}
