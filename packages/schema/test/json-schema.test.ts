import { isJsonObject, jsonSchemas } from '@workflowlookup/schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import file from '../schemas/step-workflow.schema.json' with { type: 'json' };
import { definition } from './definitions.ts';

const schema = jsonSchemas['step-workflow'];

/** Every schema in a schema, with its path. */
function* schemasIn(
  node: unknown,
  path = '',
): Generator<readonly [path: string, schema: Record<string, unknown>]> {
  if (!isJsonObject(node)) return;
  yield [path, node];
  for (const keyword of ['items', 'if', 'then', 'else', 'not'])
    yield* schemasIn(node[keyword], `${path}/${keyword}`);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const list = node[keyword];
    if (Array.isArray(list))
      for (const [at, member] of list.entries()) yield* schemasIn(member, `${path}/${keyword}/${at}`);
  }
  for (const keyword of ['properties', '$defs']) {
    for (const [name, member] of Object.entries(node[keyword] ?? {}))
      yield* schemasIn(member, `${path}/${keyword}/${name}`);
  }
}

test('is a valid schema of JSON Schema 2020-12, under a stable id', () => {
  expect(schema['$id']).toBe('https://workflowlookup.dev/schemas/step-workflow.schema.json');
  expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(new Ajv2020().validateSchema(schema)).toBe(true);
});

test('is the file the package publishes', () => {
  expect(schema).toEqual(file);
});

test('describes every property', () => {
  const described = [...schemasIn(schema)].filter(
    ([path]) => /\/properties\/[^/]+$/.test(path) && !/\/(if|then)\//.test(path),
  );
  expect(described.length).toBeGreaterThan(50);
  expect(
    described.filter(([, { description }]) => typeof description !== 'string').map(([path]) => path),
  ).toEqual([]);
});

test('lets x- keys into every object it closes', () => {
  const closed = [...schemasIn(schema)].filter(
    ([, { additionalProperties }]) => additionalProperties === false,
  );
  expect(closed.length).toBeGreaterThan(8);
  expect(
    closed.filter(
      ([, { patternProperties }]) => !isJsonObject(patternProperties) || patternProperties['^x-'] !== true,
    ),
  ).toEqual([]);
});

test('gives examples and defaults that it accepts itself', () => {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(schema, 'flow');
  for (const [path, { examples, default: fallback }] of schemasIn(schema)) {
    const values = [
      ...(Array.isArray(examples) ? (examples as unknown[]) : []),
      ...(fallback === undefined ? [] : [fallback]),
    ];
    for (const value of values)
      expect(ajv.validate(`flow#${path}`, value), `${path}: ${JSON.stringify(value)}`).toBe(true);
  }
});

test('judges as the reader does', () => {
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect(validate(definition())).toBe(true);
  expect(validate(definition({ steps: [] }))).toBe(false);
});
