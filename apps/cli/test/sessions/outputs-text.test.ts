import { expect, test } from 'vitest';
import { outputsText } from '../../src/sessions/question-text.ts';

const submitted = {
  activity: 'fix',
  step: 'prove',
  at: '2026-03-01T10:00:00.000Z',
  revision: 4,
  notDone: 'There are no tests.',
};

const plain = (_: unknown, text: string): string => text;

test('An output with a reason is shown as done without evidence, and a missing output as not done', () => {
  const [done, open] = ['The fix is in.', ''].map((output) => outputsText([{ ...submitted, output }], plain));
  expect(done).toMatch(/done, but not proved: There are no tests\.\n.*The fix is in\./i);
  expect(open).toContain('not done: There are no tests.');
  expect(open).not.toContain('proved');
});
