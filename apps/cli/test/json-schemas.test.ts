import { expect, test } from 'vitest';
import { problemsWith, readSchema, schemaIdOf, schemaNames } from './json-schemas.ts';

test.each(schemaNames)('%s is a schema, says where it is found and what it is of', (name) => {
  expect(readSchema(name)).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaIdOf(name),
    title: expect.any(String),
    description: expect.any(String),
  });
  expect(problemsWith(name, 'no object')).not.toEqual([]);
});

test('what a schema does not describe is found', () => {
  const error = { code: 'INVALID_STATE', message: 'It stands.' };
  expect(problemsWith('error', { error })).toEqual([]);
  expect(problemsWith('error', { error: { ...error, stack: 'at' } })).toEqual([
    '/error must NOT have additional properties {"additionalProperty":"stack"}',
  ]);
  expect(() => problemsWith('sessions-lits', {})).toThrow('apps/cli/schemas/sessions-lits.json is missing');
});
