import { expect, test } from 'vitest';
import { problemsWith, readSchema, schemaIdOf, schemaNames } from '../support/json-schemas.ts';

test.each(schemaNames)('The schema %s has its address and a title', (name) => {
  expect(readSchema(name)).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaIdOf(name),
    title: expect.any(String),
    description: expect.any(String),
  });
  expect(problemsWith(name, 'no object')).not.toEqual([]);
});

test('A property that a schema does not describe is reported', () => {
  const error = { code: 'INVALID_STATE', message: 'It stands.' };
  expect(problemsWith('error', { error })).toEqual([]);
  expect(problemsWith('error', { error: { ...error, stack: 'at' } })).toEqual([
    '/error must NOT have additional properties {"additionalProperty":"stack"}',
  ]);
  expect(() => problemsWith('sessions-lits', {})).toThrow('apps/cli/schemas/sessions-lits.json is missing');
});
