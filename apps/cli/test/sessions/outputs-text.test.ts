import { expect, test } from 'vitest';
import { outputTexts } from '../../src/messages/sessions.ts';
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
  expect(done).toContain(`${outputTexts.notProved(submitted.notDone)}\n`);
  expect(done).toContain('The fix is in.');
  expect(open).toContain(outputTexts.notDone(submitted.notDone));
  expect(open).not.toContain(outputTexts.notProved(submitted.notDone));
});
