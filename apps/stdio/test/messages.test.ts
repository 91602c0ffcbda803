import { expect, test } from 'vitest';
import { messages } from '../src/messages.ts';

test('messages of the stdio server, except the help', () => {
  expect([
    messages.refused('the reason'),
    messages.wrongOptions('the reason'),
    messages.startedByHand(),
  ]).toMatchSnapshot();
});
