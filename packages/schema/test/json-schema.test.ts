import { isJsonObject, jsonSchemas } from '@workflowlookup/schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import activityWorkflow from '../schemas/activity-workflow.schema.json' with { type: 'json' };
import activity from '../schemas/activity.schema.json' with { type: 'json' };
import checks from '../schemas/checks.schema.json' with { type: 'json' };
import resource from '../schemas/resource.schema.json' with { type: 'json' };
import skill from '../schemas/skill.schema.json' with { type: 'json' };
import stepWorkflow from '../schemas/step-workflow.schema.json' with { type: 'json' };
import workflowTest from '../schemas/workflow-test.schema.json' with { type: 'json' };
import { definition } from './support/definitions.ts';
import * as folders from './support/folders.ts';

const files = {
  'activity-workflow': activityWorkflow,
  activity,
  resource,
  skill,
  'step-workflow': stepWorkflow,
  'workflow-test': workflowTest,
  checks,
};
const all = Object.entries(jsonSchemas);
const ajv = (): Ajv2020 => {
  const made = new Ajv2020({ strict: false });
  for (const [, schema] of all) made.addSchema(schema);
  return made;
};
const idOf = (name: string): string => `https://workflowlookup.dev/schemas/${name}.schema.json`;

/** Returns every schema inside a schema, with its path. */
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

test.each(all)('%s is a valid schema of JSON Schema 2020-12, under a stable id', (name, schema) => {
  expect(schema['$id']).toBe(idOf(name));
  expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(new Ajv2020().validateSchema(schema)).toBe(true);
});

test('The schemas match the files that the package publishes', () => {
  expect(jsonSchemas).toEqual(files);
});

test.each([
  ['step-workflow', 50],
  ['activity-workflow', 30],
  ['activity', 80],
  ['skill', 20],
  ['resource', 2],
  ['workflow-test', 15],
] as const)('%s describes every property', (name, least) => {
  const described = [...schemasIn(jsonSchemas[name])].filter(
    ([path]) => /\/properties\/[^/]+$/.test(path) && !/\/(if|then)\//.test(path),
  );
  expect(described.length).toBeGreaterThanOrEqual(least);
  expect(
    described.filter(([, { description }]) => typeof description !== 'string').map(([path]) => path),
  ).toEqual([]);
});

test.each(all)('%s allows x- keys in every object with a fixed set of properties', (name, schema) => {
  const closed = [...schemasIn(schema)].filter(
    ([, { additionalProperties }]) => additionalProperties === false,
  );
  expect(closed.length).toBeGreaterThan(name === 'resource' ? -1 : 1);
  expect(
    closed.filter(
      ([, { patternProperties }]) => !isJsonObject(patternProperties) || patternProperties['^x-'] !== true,
    ),
  ).toEqual([]);
});

test.each(all)('%s has only examples and defaults that it accepts itself', (name, schema) => {
  const validator = ajv();
  for (const [path, { examples, default: fallback }] of schemasIn(schema)) {
    const values = [
      ...(Array.isArray(examples) ? (examples as unknown[]) : []),
      ...(fallback === undefined ? [] : [fallback]),
    ];
    for (const value of values) {
      const isAccepted = validator.validate(`${idOf(name)}#${path}`, value);
      expect(isAccepted, `${path}: ${JSON.stringify(value)}`).toBe(true);
    }
  }
});

test.each([
  ['step-workflow', definition(), definition({ steps: [] })],
  ['activity-workflow', folders.workflow(), folders.workflow({ modes: [{}] })],
  ['activity', folders.activity('a'), folders.activity('a', { checkpoints: [{ id: 'a' }] })],
  ['skill', folders.skill('a'), folders.skill('a', { operations: { b: {} } })],
  ['resource', { id: 'a', other: 1 }, { id: 1 }],
])('%s accepts and refuses the same as the reader', (name, right, wrong) => {
  const validator = ajv();
  expect(validator.validate(idOf(name), right)).toBe(true);
  expect(validator.validate(idOf(name), wrong)).toBe(false);
});
