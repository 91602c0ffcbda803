import { expect, test } from 'vitest';
import type { DryRunOptions } from '../../support/sessions.ts';
import { graph, said, walk } from '../../support/sessions.ts';
import { messages, transitionTexts } from '../../../src/messages/sessions.ts';

const doubtful = graph([
  {
    id: 'one',
    transitions: [
      { to: 'two', condition: 'a == 1' },
      { to: 'two', condition: 'b == "x"' },
      { to: 'three', condition: 'a == 1' },
      { to: 'end' },
    ],
  },
  { id: 'two' },
  { id: 'three' },
]);

test.each<[string, object, string, readonly string[]]>([
  ['two', { a: 1 }, 'c == 1', ["The condition of the transition to 'two' is 'a == 1', not 'c == 1'."]],
  ['two', { a: 1, b: 'x' }, 'c == 1', [messages.otherCondition('two', ['a == 1', 'b == "x"'], 'c == 1')]],
  ['two', { a: 1, b: 'x' }, 'a == 1', []],
  ['two', { a: 1, b: 'x' }, "b == 'x'", []],
  ['two', { a: 1 }, 'A == 1', []],
  ['two', { a: 1 }, 'A==1', []],
  ['end', {}, 'c == 1', []],
])(
  'The warnings for a move to %s with the variables %j and the condition %s are as expected',
  (target, variables, condition, warnings) => {
    const session = walk(doubtful, { variables: variables as NonNullable<DryRunOptions['variables']> });
    session.move();
    expect(said(session.move(target, { condition }))).toEqual(warnings);
  },
);

test('A claimed condition is compared with the closed transitions to the activity if none is open', () => {
  const session = walk(doubtful, { variables: { a: 2 } });
  session.move();
  expect(said(session.move('two', { condition: 'c == 1' }))).toEqual([
    messages.conditionFalse('two', ['a == 1', 'b == "x"']),
    messages.otherCondition('two', ['a == 1', 'b == "x"'], 'c == 1'),
  ]);
  expect(said(session.move('one', { condition: 'c == 1' }))).toEqual([
    messages.noTransition('one', 'two', transitionTexts.nothing()),
  ]);
});
