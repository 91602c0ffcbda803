import { didYouMean } from '@workflowlookup/schema';
import { expect, test } from 'vitest';

test.each([
  ['metaGuidence', ['metaGuidance', 'guidance', 'name'], 'metaGuidance'],
  ['Prompt', ['prompt', 'title'], 'prompt'],
  ['equal', ['equals', 'not_equals', 'exists'], 'equals'],
  ['notEquals', ['equals', 'not_equals'], 'not_equals'],
  ['gte', ['gt', 'gte'], 'gte'],
  ['gtt', ['gt', 'gte'], 'gt'],
  ['stpes', ['steps', 'tags'], 'steps'],
])('The word %s among %j gets the suggestion %s', (word, candidates, meant) => {
  expect(didYouMean(word, candidates)).toBe(meant);
});

test.each([
  ['banana', ['prompt', 'title']],
  ['xy', ['ab', 'cd']],
  ['tips', ['tags', 'steps']],
  ['clarifications', ['clarificationPrompts']],
  ['', ['name']],
  ['name', []],
])('The word %s among %j gets no suggestion', (word, candidates) => {
  expect(didYouMean(word, candidates)).toBeUndefined();
});

test('The candidates can be any iterable', () => {
  expect(didYouMean('stpes', new Set(['steps']))).toBe('steps');
});
