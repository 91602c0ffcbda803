import { walkSteps } from '@workflowlookup/schema';
import type { Step } from '@workflowlookup/schema';
import { expect, test } from 'vitest';

const prompt = (id: string): Step => ({ id, title: id, prompt: id });
const loop = (id: string, body: string | readonly Step[]): Step => ({
  type: 'loop',
  id,
  title: id,
  loop: { type: 'for', count: 2, maxIterations: 2 },
  body,
});

const seen = (steps: readonly Step[], pointer?: string) =>
  walkSteps(steps, pointer).map(({ step, pointer: place, loops }) => [
    step.id,
    place,
    loops.map(({ id }) => id),
  ]);

test('Steps come in the order of the file, and a loop before its body', () => {
  expect(
    seen([prompt('one'), loop('outer', [prompt('two'), loop('inner', [prompt('six')])]), prompt('end')]),
  ).toEqual([
    ['one', '/steps/0', []],
    ['outer', '/steps/1', []],
    ['two', '/steps/1/body/0', ['outer']],
    ['inner', '/steps/1/body/1', ['outer']],
    ['six', '/steps/1/body/1/body/0', ['outer', 'inner']],
    ['end', '/steps/2', []],
  ]);
});

test('A step that a loop names as its body comes where it is defined', () => {
  expect(seen([loop('again', 'work'), prompt('work')])).toEqual([
    ['again', '/steps/0', []],
    ['work', '/steps/1', []],
  ]);
});

test('Pointers begin with the given prefix', () => {
  expect(seen([prompt('one')], '/body')).toEqual([['one', '/body/0', []]]);
});
