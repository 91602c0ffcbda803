import { expect, test } from 'vitest';
import { messages } from '../src/messages.ts';

test('the words of every message but the help', () => {
  expect([
    messages.refused('the reason'),
    messages.wrongOptions('the reason'),
    messages.startedByHand(),
  ]).toMatchSnapshot();
});
