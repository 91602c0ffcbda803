import { expect, test } from 'vitest';
import { definition, loop, read, step } from './definitions.ts';
import { inFull } from './in-full.ts';

// What is wrong with a definition and what would do, word for word: authors act on these lines.

test.each<[what: string, more: object, told: readonly string[]]>([
  [
    'steps of one id',
    { steps: [step('plan'), step('plan')] },
    [
      "error duplicate-id /steps/1/id: Duplicate step id 'plan': /steps/0 has it too. Give every step its own id, also across loops and their bodies",
    ],
  ],
  [
    'what is hard to follow, and unused',
    {
      steps: [step('plan', { prompt: 'x'.repeat(2001), title: 'T ' })],
      variables: [{ name: 'a', type: 'string' }],
    },
    [
      "warning long-prompt /steps/0/prompt: 2001 characters in 'prompt' of step 'plan': more than 2000 are hard to follow. Split the step, or move detail to its guidance",
      "warning unused-variable /variables/0/name: Nothing looks at variable 'a'. Remove it, or let a condition or a text look at it",
    ],
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
      'error wrong-value /version: \'version\' must be text, found the number 1. Put it in quotes: "1"',
      'error wrong-value /steps/0/guidance: \'guidance\' of step \'plan\' must be a list, found the text "x". Write a list, also of one item: ["\u2026"]',
      "error wrong-value /steps/0/askForFiles: 'askForFiles' of step 'plan' must be true or false, found the number 1. Write true or false here",
      'error wrong-value /tags: \'tags\' must be a list, found the text "x". Write a list, also of one item: ["\u2026"]',
      "error wrong-value /category: 'category' must be lowercase letters, digits and dashes, found the text \"Nope\". Use 'nope'",
    ],
  ],
  [
    'what is empty, and said twice',
    { steps: [], name: '', tags: ['a', 'a'] },
    [
      "error wrong-value /name: 'name' must be 1 to 128 characters long, found 0. Add 1 character",
      "error wrong-value /steps: 'steps' must have at least one item, found none. Add at least one item",
      "error repeated-item /tags/1: 'tags' must not say the same thing twice, found item 1 again in item 2. Remove one of the two",
    ],
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
      "error wrong-value /steps/0/id: 'id' of loop 'a' must be 3 to 64 characters long, found 1. Add 2 characters",
      "error wrong-value /steps/0/loop/maxIterations: 'loop.maxIterations' of loop 'a' must be a whole number, found the text \"5\". Write the number without quotes",
      "error wrong-value /steps/0/body/0/id: 'id' of step 'b' must be 3 to 64 characters long, found 1. Add 2 characters",
      "error wrong-value /steps/1/id: 'id' of loop 'c' must be 3 to 64 characters long, found 1. Add 2 characters",
      "error missing-property /steps/1/loop: Missing required property 'items' in 'loop' of loop 'c'. Add required 'items' field with the name of a variable that holds a list",
      "error wrong-value /steps/1/body: 'body' of loop 'c' must have at least one item, found none. Add at least one item",
      "error wrong-value /steps/2/id: 'id' of loop 'd' must be 3 to 64 characters long, found 1. Add 2 characters",
      "error wrong-value /steps/2/loop/type: 'loop.type' of loop 'd' must be 'while', 'until', 'for' or 'forEach', found the text \"til\". Use 'while', 'until', 'for' or 'forEach'",
      "error wrong-value /steps/2/body/0/id: 'id' of step 'e' must be 3 to 64 characters long, found 1. Add 2 characters",
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
      "error wrong-value /steps/0/id: 'id' of step 'b' must be 3 to 64 characters long, found 1. Add 2 characters",
      "error missing-property /steps/0/validationCriteria/0: Missing required property 'message' in 'validationCriteria[0]' of step 'b'. Add required 'message' field with what the agent is told when the rule fails",
      "error wrong-value /steps/0/validationCriteria/0/type: 'validationCriteria[0].type' of step 'b' must be 'contains', 'regex', 'length' or 'schema', found the text \"contain\". Did you mean 'contains'?",
      "error missing-property /steps/0/validationCriteria/1: Missing required property 'message' in 'validationCriteria[1]' of step 'b'. Add required 'message' field with what the agent is told when the rule fails",
      "error wrong-value /steps/0/validationCriteria/1/min: 'validationCriteria[1].min' of step 'b' must be a whole number, found the text \"1\". Write the number without quotes",
      "error wrong-value /steps/0/validationCriteria/2: 'validationCriteria[2]' of step 'b' must have exactly one of 'and', 'or', 'not', found 'and' and 'or'. Keep one, and nest the others inside it",
      "error wrong-value /steps/0/validationCriteria/2/and: 'validationCriteria[2].and' of step 'b' must have at least one item, found none. Add at least one item",
      "error wrong-value /steps/0/validationCriteria/2/or: 'validationCriteria[2].or' of step 'b' must have at least one item, found none. Add at least one item",
      "error wrong-value /steps/0/validationCriteria/3: 'validationCriteria[3]' of step 'b' must be an object, a list or text, found the number 5. Write an object, a list or text here",
    ],
  ],
  [
    'an id of other characters',
    { id: 'My Flow!' },
    [
      "error wrong-value /id: 'id' must be lowercase letters, digits and dashes, with at most one dot after a namespace, found the text \"My Flow!\". Use 'my-flow'",
    ],
  ],
  [
    'an id too short',
    { id: '--' },
    ["error wrong-value /id: 'id' must be 3 to 64 characters long, found 2. Add 1 character"],
  ],
  [
    'characters nobody sees',
    { name: 'a\u200bb', description: 'x\u202ey' },
    [
      "error hidden-character /name: Hidden character U+200B (zero-width character) in 'name'. Remove it, or write what is meant in letters",
      "error hidden-character /description: Hidden character U+202E (bidirectional control) in 'description'. Remove it, or write what is meant in letters",
    ],
  ],
  [
    'a truth value for a text',
    { name: true },
    ['error wrong-value /name: \'name\' must be text, found true. Put it in quotes: "true"'],
  ],
  [
    'nothing for a text',
    { name: null },
    ["error wrong-value /name: 'name' must be text, found null. Write text here"],
  ],
  [
    'an empty list for a text',
    { name: [] },
    ["error wrong-value /name: 'name' must be text, found an empty list. Write text here"],
  ],
  [
    'a number for a word',
    { steps: [step('plan', { type: 5 })] },
    ["error wrong-value /steps/0/type: 'type' of step 'plan' must be 'loop', found the number 5. Use 'loop'"],
  ],
  [
    'nothing for a step',
    { steps: [null] },
    ["error wrong-value /steps/0: 'steps[0]' must be an object, found null. Write an object here"],
  ],
  [
    'a category without letters',
    { category: '!!' },
    [
      'error wrong-value /category: \'category\' must be lowercase letters, digits and dashes, found the text "!!". Write lowercase letters, digits and dashes',
    ],
  ],
  [
    'a property of an older form',
    { steps: [step('plan', { functionCalls: [] })] },
    [
      "error older-property /steps/0/functionCalls: Unknown property 'functionCalls' in step 'plan', of an older form. Remove it; 'workflowlookup migrate' brings the whole file to the current form",
    ],
  ],
])('%s', async (_, more, told) => {
  expect((await read(definition(more))).issues.map(inFull)).toEqual(told);
});
