import { expect, test } from 'vitest';
import { createLineWriter } from '../src/run.ts';

test('The lines of one turn are written together, in order', async () => {
  const written: string[] = [];
  const lines = createLineWriter((text) => written.push(text));
  lines.add('one\n');
  lines.add('two\n');
  expect(written).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  lines.add('three\n');
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual(['one\ntwo\n', 'three\n']);
});

test('Waiting lines are written immediately, and once, when the process ends', async () => {
  const written: string[] = [];
  const lines = createLineWriter((text) => written.push(text));
  lines.add('last\n');
  lines.flush();
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual(['last\n']);
});
