import { readDefinition } from '@workflowlookup/core';
import { expect, test } from 'vitest';
import { exampleOf } from '../src/example-output.ts';
import { tryWorkflow } from '../src/index.ts';

test('The example for the fields of a step is accepted as its output', async () => {
  const fields = [
    { id: 'plain' },
    { id: 'long', min_length: 90 },
    { id: 'exact', min_length: 17, max_length: 17 },
    { id: 'short', max_length: 3 },
    { id: 'small', type: 'number', max: -2 },
    { id: 'big', type: 'number', min: 7 },
    { id: 'isGood', type: 'boolean' },
    { id: 'size', type: 'choice', options: ['s', 'm'] },
    { id: 'names', type: 'list', min_items: 2 },
    { id: 'sizes', type: 'list', options: ['s', 'm'] },
    { id: 'files', type: 'list', items: { path: 'text', lines: 'number' } },
    { id: 'owner', type: 'object', properties: { name: 'text', isOut: 'boolean' } },
  ];
  const steps = [{ id: 'only', title: 'Only', prompt: 'Do it.', fields }];
  const text = JSON.stringify({ id: 'fields', name: 'Fields', description: 'D', version: '1.0.0', steps });
  const { workflow, issues } = await readDefinition({ text, format: 'json' });
  expect(issues).toEqual([]);
  if (workflow === undefined) return;
  const { position } = await tryWorkflow(workflow);
  const step = position.status === 'active' ? position.steps[0] : undefined;
  expect(step?.example).toEqual(exampleOf(step?.outputSchema ?? {}));
  for (const pick of [0, 1, 2]) {
    const outputs = { only: JSON.stringify(exampleOf(step?.outputSchema ?? {}, pick)) };
    const trial = await tryWorkflow(workflow, { actions: [{ kind: 'submit', outputs }] });
    expect(trial.refusal).toBeUndefined();
    expect(trial.position.status).toBe('completed');
  }
});
