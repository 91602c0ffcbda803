import { compilePattern } from '@workflowlookup/conditions';
import type { Json, JsonObject, Meter } from '@workflowlookup/schema';
import { Exhausted, TooLongHere, isJsonObject, outOf, spend, toPointer } from '@workflowlookup/schema';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Meters, Subject, Test, Report } from './read-criteria.ts';
import {
  meteredFormat,
  meteredSchema,
  priceDefinition,
  uniqueItemsDefinition,
  unmeteredReference,
  compilationSteps,
  isMeasured,
  mapSchema,
  maxSchemaDepth,
  maxSchemaObjects,
  maxSchemaValues,
} from './schema-keywords.ts';
import { messages } from './messages.ts';

/** Returns a line that tells an agent how to make one place of the output fit the schema. */
function schemaRemedy({ instancePath, ...error }: ErrorObject): string {
  return messages.wrongValue(instancePath, wanted(error));
}

function wanted({
  keyword,
  params,
  message = messages.expected.schema,
}: Omit<ErrorObject, 'instancePath'>): string {
  const detail: unknown = Reflect.get(params, detailOf[keyword] ?? '');
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return messages.expected.noProperty(detail);
    case 'required':
      return messages.expected.property(detail);
    case 'const':
      return messages.expected.constant(detail);
    case 'enum':
      return Array.isArray(detail) ? messages.expected.oneOf(detail) : message;
    case 'type':
      return messages.expected.types([detail].flat().map(String));
    case 'uniqueItems':
      return messages.expected.uniqueItems;
    case 'false schema':
      return messages.expected.absent;
    default:
      return message;
  }
}

const detailOf: Readonly<Record<string, string>> = {
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  required: 'missingProperty',
  const: 'allowedValue',
  enum: 'allowedValues',
  type: 'type',
};

/** The supported drafts of JSON Schema. */
export type Draft = 'draft-07' | '2019-09' | '2020-12';

const drafts: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);

/** Returns the draft that `$schema` names, 2020-12 if it is absent, or `undefined` if it is not supported. */
function draftOf(schema: JsonObject): Draft | undefined {
  const name = schema['$schema'];
  if (name === undefined) return '2020-12';
  return typeof name === 'string'
    ? drafts.get(name.replace(/^https?:\/\//, '').replace(/#$/, ''))
    : undefined;
}

/** Checks a schema against the metaschema of its draft and returns the first error. */
async function malformation(
  schema: JsonObject,
  draft: Draft,
): Promise<{ readonly pointer: string; readonly message: string } | undefined> {
  metaschemas[draft] ??= createAjv(draft, { strict: false, logger: false, validateFormats: false });
  const ajv = await metaschemas[draft];
  const meta = ajv.defaultMeta();
  const dialect = typeof meta === 'string' ? meta : '';
  if (ajv.validateSchema({ ...schema, $schema: dialect }) === true) return undefined;
  const [error] = ajv.errors ?? [];
  return { pointer: error?.instancePath ?? '', message: error?.message ?? messages.notASchema };
}

/**
 * Compiles a schema into a validator that pays for every step. Its `pattern` keyword runs in linear time. Throws what
 * Ajv throws.
 */
async function compileSchema(schema: JsonObject, draft: Draft, meter: Meter): Promise<ValidateFunction> {
  const regExp = Object.assign((pattern: string) => meteredPattern(pattern, meter), {
    code: 'compilePattern',
  });
  const ajv = await createAjv(draft, {
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    // Inlining a schema at each reference would multiply the generated code.
    inlineRefs: false,
    ownProperties: true,
    code: { regExp, optimize: false },
  });
  const { _, addFormats } = await import('./ajv-library.ts');
  addFormats(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (format !== undefined) ajv.formats[name] = meteredFormat(format, meter);
  }
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItemsDefinition(meter));
  ajv.addKeyword(priceDefinition(meter, draft, _));
  return ajv.compile(meteredSchema(schema));
}

const metaschemas: Partial<Record<Draft, Promise<Ajv>>> = {};

async function createAjv(draft: Draft, options: Options): Promise<Ajv> {
  const { Ajv, Ajv2019, Ajv2020 } = await import('./ajv-library.ts');
  if (draft === 'draft-07') return new Ajv(options);
  return draft === '2019-09' ? new Ajv2019(options) : new Ajv2020(options);
}

// Ajv keeps one compiled search for all patterns with the same text.
function meteredPattern(
  pattern: string,
  meter: Meter,
): { test: (text: string) => boolean; toString: () => string } {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  const test = (text: string): boolean => {
    spend(meter, 50 + compiled.size * text.length);
    return compiled.test(text);
  };
  return { test, toString: () => pattern };
}

/** Reads a `schema` rule: the output must be JSON that the JSON Schema accepts. */
export async function readSchema(
  { schema }: JsonObject,
  report: Report,
  meters: Meters,
): Promise<Test | undefined> {
  if (typeof schema === 'boolean') return testWith(schema);
  if (!isJsonObject(schema)) {
    report({ field: 'schema', ...messages.noSchema(schema) });
    return undefined;
  }
  const validate = await compileChecked(schema, report, meters);
  return validate === undefined ? undefined : testWith(validate);
}

function testWith(validate: ValidateFunction | boolean): Test {
  return ({ instance, meter }: Subject) => {
    const found = instance();
    if (found === undefined) return [messages.notJson];
    if (typeof validate === 'boolean') return validate ? undefined : [messages.nothingMeetsSchema];
    return accepts(validate, found.json, meter)
      ? undefined
      : (validate.errors ?? []).slice(0, 1).map(schemaRemedy);
  };
}

function accepts(validate: ValidateFunction, value: unknown, meter: Meter): boolean {
  try {
    return validate(value);
  } catch (error) {
    // An endlessly recursive schema overflows the stack, where V8 may raise any error.
    const isOver = error instanceof Exhausted || error instanceof TooLongHere;
    throw isOver ? error : outOf(meter, 'Out of stack.', error);
  }
}

async function compileChecked(
  schema: JsonObject,
  report: Report,
  meters: Meters,
): Promise<ValidateFunction | undefined> {
  if (!isMeasured(schema)) return tooLarge(report);
  const draft = draftOf(schema);
  if (draft === undefined) {
    report({ field: 'schema', below: '/$schema', ...messages.unknownDialect(schema['$schema']) });
    return undefined;
  }
  spend(meters.compile, compilationSteps(schema));
  const wrong = await malformation(schema, draft);
  if (wrong !== undefined) return malformed(report, wrong.pointer, wrong.message);
  const reference = unmeteredReference(schema);
  if (reference !== undefined) return malformed(report, '', messages.referenceToValue(reference));
  if (refusedPattern(schema, report, meters.compile)) return undefined;
  try {
    return await compileSchema(schema, draft, meters.run);
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

function malformed(report: Report, below: string, problem: string): undefined {
  report({ field: 'schema', below, message: messages.malformedSchema(below, problem), fault: 'schema' });
}

function tooLarge(report: Report): undefined {
  report({ field: 'schema', ...messages.schemaTooLarge(maxSchemaObjects, maxSchemaValues, maxSchemaDepth) });
}
