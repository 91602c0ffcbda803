import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/support/message-texts.ts';
import { fieldMessages, messages } from '../src/messages.ts';

test('messages about criteria and outputs', () => {
  const texts = messageTexts(messages, {
    mustContain: [['world']],
    onlyIf: [['large == true', 'Say more.']],
    mustMatch: [['\\d+']],
    mustHaveLength: [
      [3, undefined],
      [undefined, 1],
      [1, 5],
      [undefined, undefined],
    ],
    allOf: [[['Name the file.', 'Name the line.']], [['Name the file.']]],
    oneOf: [[['Name the file.', 'Name the line.']], [['Name the file.']]],
    not: [['Name the file.']],
    includeText: [['world']],
    addCharacters: [[1], [40]],
    removeText: [['world']],
    writeMatch: [['\\d+']],
    removeMatch: [['\\d+']],
    removeCharacters: [[1], [40]],
    metButForbidden: [['Name the file.']],
    meetNoLonger: [['Name the file.']],
    tooComplex: [['Name the file.']],
    outputTooLarge: [[5_000_000]],
    wrongValue: [
      ['', messages.expected.schema],
      ['/a/b', messages.expected.schema],
    ],
    expected: {
      noProperty: [['name']],
      property: [['name']],
      constant: [[{ a: 1 }]],
      oneOf: [[['a', 2]]],
      types: [[['string', 'null']]],
    },
    criteriaUnusable: [
      ['', messages.notARule(7)],
      ['/0/value', { message: 'Unexpected "#".' }],
    ],
    criteriaTooCostly: [[200_000_000]],
    definitionTooCostly: [[200_000_000, 400_000_000]],
    notARule: [[7]],
    noTypeOrComposition: [[[]], [['and', 'or']]],
    noMembers: [
      ['and', []],
      ['or', {}],
    ],
    criteriaTooDeep: [[32]],
    unknownRuleType: [['exact', ['contains', 'regex']]],
    unknownField: [
      ['max', 'contains', undefined],
      ['vale', 'contains', 'value'],
    ],
    notText: [['message', 5]],
    containsNothing: [[1]],
    noPattern: [[undefined]],
    badFlags: [[1]],
    badPattern: [['Unknown flag "z".']],
    badBound: [['min', 0.5]],
    noSchema: [[undefined]],
    schemaTooLarge: [[500, 10_000, 64]],
    unknownDialect: [['draft-04']],
    malformedSchema: [
      ['/type', messages.notASchema],
      ['', messages.referenceToValue('#/enum/0')],
    ],
    referenceToValue: [['#/enum/0']],
    unknownKeyword: [
      ['colour', undefined],
      ['requird', 'required'],
    ],
    contradictoryLengths: [[5, 2]],
    contradictoryTypes: [[['string', 'null'], ['array']]],
    meets: { contains: [['ready']], matches: [['a*']], other: [['length']] },
    impliesForbidden: [[messages.meets.contains('ready'), messages.meets.contains('read')]],
    alwaysForbidden: [[messages.meets.matches('a*')]],
    nothingMeets: [[messages.contradictions.isFalse]],
    contradictions: { bounds: [['minLength', 3, 'maxLength', 2]], requiredAndForbidden: [['name']] },
  });
  expect(texts).toMatchSnapshot();
});

test('messages about fields of outputs', () => {
  const observed = { description: 'What was seen.', min_length: 40 };
  const list = { type: 'list', items: { id: 'text', risk: { type: 'choice', options: ['low'] } } } as const;
  const texts = messageTexts(fieldMessages, {
    missing: [
      ['observed', observed],
      ['hypotheses', list],
      ['hypotheses[0].id', {}],
    ],
    wrongType: [
      ['observed', observed, 3],
      ['plan', { type: 'object', properties: { goal: 'text' } }, 'x'],
    ],
    tooShort: [['observed', observed, { length: 5, least: 40, value: 'short' }]],
    tooLong: [['observed', 50, 40]],
    outOfRange: [['runs', 0, { min: 1, max: 9 }]],
    notAnOption: [['risk', 'high', ['low', 'medium']]],
    tooFew: [['hypotheses', list, { count: 1, least: 2 }]],
    tooMany: [['hypotheses', 9, 5]],
    found: [[[]], [['Observed', 'Notes']]],
    brokenJson: [['Unexpected end of JSON input']],
    submitObject: [['{"observed":"…"}']],
  });
  expect(texts).toMatchSnapshot();
});
