import { expect, test } from 'vitest';
import { messages, showValue, useOneOf } from '../src/messages.ts';

// The text of every message, so that a change of one is noticed.

/** Arguments for every message. */
const samples: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  showValue: [
    [{}],
    [[]],
    [null],
    [undefined],
    [true],
    [NaN],
    [Symbol('s')],
    ['x'.repeat(40)],
    ['x'.repeat(41)],
  ],
  useOneOf: [
    ['equals', ['equals', 'gt']],
    [undefined, ['equals', 'gt']],
  ],
  notACondition: [[7]],
  tooLong: [[10_001, 10_000]],
  unknownOperator: [['equal', 'Did you mean "equals"?']],
  useOneSign: [[['==', '!=']]],
  atColumn: [[3, 'Unexpected "#"']],
  unknownType: [['simpel', ['simple', 'and', 'or', 'not']]],
  unknownField: [
    ['valeu', 'value', ['variable', 'operator', 'value']],
    ['colour', undefined, ['variable', 'operator', 'value']],
  ],
  notAList: [[{}]],
  notAName: [[7]],
  noVariable: [['equals']],
  orderNeedsNumber: [['1']],
  needsJson: [['equals', undefined]],
  needsString: [['startsWith', 7]],
  needsPattern: [['matches', 7]],
  needsList: [['in', 'a']],
  needsJsonItems: [['in', undefined]],
  needsBoolean: [['exists', 'yes']],
  badPattern: [['Bad pattern: missing argument to repetition operator at "*".']],
  quotedValue: [['ready']],
  foundInstead: [
    [messages.expected.value, undefined],
    [messages.expected.list, 'x'],
  ],
  writeInstead: [['==']],
  unexpected: [['#']],
  unknownFlag: [['x']],
  longPattern: [[4097, 4096]],
  lookAround: [['(?=']],
  backReference: [['\\1']],
  invalidPattern: [
    ['missing closing )', '(a'],
    ['trailing backslash at end of expression', ''],
  ],
};

test('messages about conditions', () => {
  const words = Object.entries({ showValue, useOneOf, ...messages }).map(
    ([name, message]: [string, unknown]) => {
      if (typeof message !== 'function') return [name, message];
      const calls = samples[name];
      if (calls === undefined) throw new Error(`No sample for ${name}`);
      return [name, calls.map((args) => Reflect.apply(message, undefined, [...args]) as unknown)];
    },
  );
  expect(Object.fromEntries(words)).toMatchSnapshot('texts');
});
