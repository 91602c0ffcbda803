import { compilePattern, showValue } from '@workflowlookup/conditions';
import type { Json, JsonObject, Meter } from '@workflowlookup/schema';
import { Exhausted, isJsonObject, outOf, spend, TooLongHere, toPointer } from '@workflowlookup/schema';
import type { ValidateFunction } from 'ajv';
import type { Subject, Test } from './check.ts';
import { mapSchema } from './map-schema.ts';
import {
  compilationSteps,
  isMeasured,
  maxSchemaDepth,
  maxSchemaObjects,
  maxSchemaValues,
} from './measure-schema.ts';
import type { Meters } from './meter.ts';
import { unmeteredReference } from './metered-schema.ts';
import type { Report } from './rule-reader.ts';
import { draftOf } from './draft.ts';
import { compileSchema, malformation } from './schema-compiler.ts';
import { schemaRemedy } from './schema-error.ts';

const notJson = ['Write the output as JSON, or as exactly one fenced JSON block with nothing around it.'];

/** `schema`: the output is JSON that a JSON Schema accepts. */
export async function readSchema(
  { schema }: JsonObject,
  report: Report,
  meters: Meters,
): Promise<Test | undefined> {
  if (typeof schema === 'boolean') return testWith(schema);
  if (!isJsonObject(schema)) {
    const suggestion = 'Add "schema" with a JSON Schema.';
    report({
      field: 'schema',
      message: `A schema rule needs a JSON Schema "schema", found ${showValue(schema)}.`,
      suggestion,
    });
    return undefined;
  }
  const validate = await compiled(schema, report, meters);
  return validate === undefined ? undefined : testWith(validate);
}

function testWith(validate: ValidateFunction | boolean): Test {
  return ({ instance, meter }: Subject) => {
    const found = instance();
    if (found === undefined) return notJson;
    if (typeof validate === 'boolean') return validate ? undefined : ['No JSON value meets the schema.'];
    return accepts(validate, found.json, meter)
      ? undefined
      : (validate.errors ?? []).slice(0, 1).map(schemaRemedy);
  };
}

function accepts(validate: ValidateFunction, json: unknown, meter: Meter): boolean {
  try {
    return validate(json);
  } catch (error) {
    // A schema that refers to itself without end runs out of stack, where V8 may raise any error.
    throw isOver(error) ? error : outOf(meter, 'Out of stack.', error);
  }
}

function isOver(error: unknown): boolean {
  return error instanceof Exhausted || error instanceof TooLongHere;
}

async function compiled(
  schema: JsonObject,
  report: Report,
  meters: Meters,
): Promise<ValidateFunction | undefined> {
  if (!isMeasured(schema)) return tooLarge(report);
  const draft = draftOf(schema);
  if (draft === undefined) {
    const message = `The dialect ${showValue(schema['$schema'])} of JSON Schema is not supported.`;
    const suggestion = 'Use draft-07, 2019-09 or 2020-12, or leave "$schema" out.';
    report({ field: 'schema', below: '/$schema', message, suggestion });
    return undefined;
  }
  spend(meters.compile, compilationSteps(schema));
  const wrong = await malformation(schema, draft);
  if (wrong !== undefined) return malformed(report, wrong.pointer, wrong.message);
  const reference = unmeteredReference(schema);
  if (reference !== undefined)
    return malformed(report, '', `cannot refer to a value that is no schema: ${showValue(reference)}`);
  return refusedPattern(schema, report, meters.compile)
    ? undefined
    : compileOrReport(report, () => compileSchema(schema, draft, meters.run));
}

async function compileOrReport(
  report: Report,
  compile: () => Promise<ValidateFunction>,
): Promise<ValidateFunction | undefined> {
  try {
    return await compile();
  } catch (error) {
    if (error instanceof RangeError) return tooLarge(report);
    return malformed(report, '', error instanceof Error ? error.message : String(error));
  }
}

function refusedPattern(schema: JsonObject, report: Report, meter: Meter): boolean {
  let refused = false;
  const check = (pattern: Json | undefined, pointer: string): void => {
    const compiledPattern = typeof pattern === 'string' ? compilePattern(pattern, '', meter) : undefined;
    if (compiledPattern === undefined || compiledPattern.ok) return;
    refused = true;
    report({ field: 'schema', below: pointer, message: compiledPattern.message, fault: 'schema' });
  };
  mapSchema(schema, (part, pointer) => {
    check(part['pattern'], `${pointer}/pattern`);
    const named = part['patternProperties'];
    if (isJsonObject(named))
      for (const key of Object.keys(named)) check(key, `${pointer}/patternProperties${toPointer([key])}`);
    return part;
  });
  return refused;
}

// Some messages of the library end in a full stop.
function malformed(report: Report, below: string, expected: string): undefined {
  const message = `The JSON Schema is malformed: ${`${below} ${expected}`.trim().replace(/\.$/, '')}.`;
  report({ field: 'schema', below, message, fault: 'schema' });
}

function tooLarge(report: Report): undefined {
  const limits = `${maxSchemaObjects} objects, ${maxSchemaValues} values and ${maxSchemaDepth} levels`;
  report({
    field: 'schema',
    message: 'The JSON Schema is too large.',
    suggestion: `Keep it within ${limits}.`,
  });
}
