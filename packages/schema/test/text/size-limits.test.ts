import { maxDefinitionBytes, maxDefinitionValues } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { definition, json, read, readYaml, refusals } from '../support/definitions.ts';
import { fileMessages } from '../../src/messages/files.ts';

// These tests have their own file because the texts take a second to read.

const tooLarge = fileMessages.tooLarge('text').message;

test('A text over 1 MiB is refused, counted in bytes', async () => {
  const room = maxDefinitionBytes - json(definition({ 'x-a': '' })).length;
  expect((await read(definition({ 'x-a': 'a'.repeat(room) }))).issues).toEqual([]);
  expect(await refusals(read(definition({ 'x-a': 'a'.repeat(room + 1) })))).toEqual([tooLarge]);
  expect(await refusals(read(definition({ 'x-a': 'é'.repeat(room / 2 + 1) })))).toEqual([tooLarge]);
  expect(await refusals(readYaml(`a: ${'a'.repeat(maxDefinitionBytes)}`))).toEqual([tooLarge]);
});

test('Aliases that expand past 1 MiB are refused', async () => {
  const lists = [
    '&a [xxxxxxxx, xxxxxxxx]',
    ...Array.from('abcdefgh', (name, at) => {
      const alias = `*${name}`;
      return `&${'bcdefghi'[at]} [${Array.from({ length: 9 }, () => alias).join(', ')}]`;
    }),
  ];
  const text = lists.map((value, at) => `x-${at}: ${value}`).join('\n');
  expect(await refusals(readYaml(text))).toEqual([fileMessages.tooLarge('aliases').message]);
});

test('A text with too many values is refused', async () => {
  const ones = Array.from({ length: maxDefinitionValues + 1 }, () => 1);
  expect(await refusals(read(definition({ 'x-a': ones })))).toEqual([
    fileMessages.tooManyValues('values').message,
  ]);
  expect(await refusals(readYaml(`x-a: [${ones.join()}]`))).toEqual([
    fileMessages.tooManyValues('YAML tokens').message,
  ]);
});
