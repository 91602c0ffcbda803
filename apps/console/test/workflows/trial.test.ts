import { expect, test } from 'vitest';
import { completedOutput } from '../../src/workflows/trial.tsx';

test('An example completes the entered fields, and replaces a text that is not an object', () => {
  const example = { size: 's', count: 1 };
  expect(JSON.parse(completedOutput(example, '{"size": "m"}'))).toEqual({ size: 'm', count: 1 });
  for (const entered of ['', 'mine', '[1]'])
    expect(JSON.parse(completedOutput(example, entered))).toEqual(example);
  for (const other of [['s'], 's', null])
    expect(JSON.parse(completedOutput(other, '{"size": "m"}'))).toEqual(other);
});
