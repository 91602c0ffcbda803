import { expect, test } from 'vitest';
import { idInCommand } from '../../src/index.ts';

test('The id of a session or a key is put into commands', () => {
  expect(['5d0c3a9e7f1b2c4d6e8f', 's1', 'key-2'].map(idInCommand)).toEqual([
    '5d0c3a9e7f1b2c4d6e8f',
    's1',
    'key-2',
  ]);
});

test.each(['ab;touch X;#', '--all', '$(id)', 'abc/../../escaped', 'a b', 'a\n', '', '`id`'])(
  'The id %j, which no server creates, is not put into commands',
  (id) => expect(idInCommand(id)).toBe('ID'),
);
