import { expect, test } from 'vitest';
import { definition, loop, read, step } from '../support/definitions.ts';
import { summarizeIssue } from '../support/summarize-issue.ts';

// The exact issues and suggestions for a definition, because authors act on them.

test.each<[what: string, more: object, expected: readonly string[]]>([
  ['steps of one id', { steps: [step('plan'), step('plan')] }, ['error duplicate-id /steps/1/id']],
  [
    'a long prompt and an unused variable',
    {
      steps: [step('plan', { prompt: 'x'.repeat(2001), title: 'T ' })],
      variables: [{ name: 'a', type: 'string' }],
    },
    ['warning long-prompt /steps/0/prompt', 'warning unused-variable /variables/0/name'],
  ],
  [
    'values of another type',
    {
      steps: [step('plan', { requireConfirmation: 'true', guidance: 'x', askForFiles: 1 })],
      tags: 'x',
      version: 1,
      category: 'Nope',
    },
    [
      'error wrong-value /version',
      'error wrong-value /steps/0/guidance',
      'error wrong-value /steps/0/askForFiles',
      'error wrong-value /tags',
      'error wrong-value /category',
    ],
  ],
  [
    'empty values and a repeated item',
    { steps: [], name: '', tags: ['a', 'a'] },
    ['error wrong-value /name', 'error wrong-value /steps', 'error repeated-item /tags/1'],
  ],
  [
    'loops of another form',
    {
      steps: [
        loop('a', [step('b')], { count: '2', maxIterations: '5' }),
        loop('c', [], { type: 'forEach', count: 2 }),
        loop('d', [step('e')], { type: 'til' }),
      ],
    },
    [
      'error wrong-value /steps/0/id',
      'error wrong-value /steps/0/loop/maxIterations',
      'error wrong-value /steps/0/body/0/id',
      'error wrong-value /steps/1/id',
      'error missing-property /steps/1/loop',
      'error wrong-value /steps/1/body',
      'error wrong-value /steps/2/id',
      'error wrong-value /steps/2/loop/type',
      'error wrong-value /steps/2/body/0/id',
    ],
  ],
  [
    'criteria of another form',
    {
      steps: [
        step('b', {
          validationCriteria: [{ type: 'contain' }, { type: 'length', min: '1' }, { and: [], or: [] }, 5],
        }),
      ],
    },
    [
      'error wrong-value /steps/0/id',
      'error missing-property /steps/0/validationCriteria/0',
      'error wrong-value /steps/0/validationCriteria/0/type',
      'error missing-property /steps/0/validationCriteria/1',
      'error wrong-value /steps/0/validationCriteria/1/min',
      'error wrong-value /steps/0/validationCriteria/2',
      'error wrong-value /steps/0/validationCriteria/2/and',
      'error wrong-value /steps/0/validationCriteria/2/or',
      'error wrong-value /steps/0/validationCriteria/3',
    ],
  ],
  ['an id of other characters', { id: 'My Flow!' }, ['error wrong-value /id']],
  ['an id too short', { id: '--' }, ['error wrong-value /id']],
  [
    'hidden characters',
    { name: 'a\u200bb', description: 'x\u202ey' },
    ['error hidden-character /name', 'error hidden-character /description'],
  ],
  ['a truth value for a text', { name: true }, ['error wrong-value /name']],
  ['nothing for a text', { name: null }, ['error wrong-value /name']],
  ['an empty list for a text', { name: [] }, ['error wrong-value /name']],
  ['a number for a word', { steps: [step('plan', { type: 5 })] }, ['error wrong-value /steps/0/type']],
  ['nothing for a step', { steps: [null] }, ['error wrong-value /steps/0']],
  ['a category without letters', { category: '!!' }, ['error wrong-value /category']],
  [
    'a property of an older form',
    { steps: [step('plan', { functionCalls: [] })] },
    ['error older-property /steps/0/functionCalls'],
  ],
])('The issues of a definition are as expected: %s', async (_, more, expected) => {
  expect((await read(definition(more))).issues.map(summarizeIssue)).toEqual(expected);
});
