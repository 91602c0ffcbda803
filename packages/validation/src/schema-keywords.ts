import type { Json, JsonObject, Meter } from '@workflowlookup/schema';
import { isJsonObject, toPointer, spend } from '@workflowlookup/schema';
import type { Ajv, CodeKeywordDefinition, FuncKeywordDefinition, _ as Template } from 'ajv';
import type { Draft } from './schema-rule.ts';

// The kind of a keyword's value: a map from names to schemas, or a value that is only compared. Any other keyword may
// hold a schema or a list of schemas. Unknown keywords may too, because a $ref can point into them.
const roles: ReadonlyMap<string, 'map' | 'value'> = new Map([
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['dependencies', 'map'],
  ['dependentSchemas', 'map'],
  ['patternProperties', 'map'],
  ['properties', 'map'],
  ['$vocabulary', 'value'],
  ['const', 'value'],
  ['dependentRequired', 'value'],
  ['enum', 'value'],
]);

const others = `
  $anchor $comment $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema
  additionalItems additionalProperties allOf anyOf contains contentEncoding contentMediaType
  contentSchema default deprecated description else examples exclusiveMaximum exclusiveMinimum
  format if items maxContains maxItems maxLength maxProperties maximum minContains minItems
  minLength minProperties minimum multipleOf not oneOf pattern prefixItems propertyNames readOnly
  required then title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly
`;

/** The keywords of draft-07, 2019-09 and 2020-12. */
export const knownKeywords: readonly string[] = [...roles.keys(), ...others.trim().split(/\s+/)];

const known: ReadonlySet<string> = new Set(knownKeywords);

/** Tells whether a keyword has a meaning in JSON Schema, or starts with `x-`, which marks it as a note. */
export function isKnownKeyword(keyword: string): boolean {
  return known.has(keyword) || keyword.startsWith('x-');
}

/**
 * Rebuilds a schema object whose members have already been rebuilt. The pointer is relative to the outermost schema.
 */
type Remake = (schema: JsonObject, pointer: string) => JsonObject;

/** Returns a copy of a JSON Schema with every schema object in it rebuilt, innermost first. */
export function mapSchema(schema: JsonObject, remake: Remake, pointer = ''): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    const place = pointer + toPointer([keyword]);
    const role = roles.get(keyword);
    if (role === 'value') return [keyword, value];
    return [keyword, role === 'map' ? mapNamed(value, remake, place) : mapAny(value, remake, place)];
  });
  return remake(Object.fromEntries(entries), pointer);
}

function mapAny(value: Json, remake: Remake, pointer: string): Json {
  if (Array.isArray(value)) return value.map((item: Json, at) => mapAny(item, remake, `${pointer}/${at}`));
  return isJsonObject(value) ? mapSchema(value, remake, pointer) : value;
}

function mapNamed(value: Json, remake: Remake, pointer: string): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [
      name,
      mapAny(schema, remake, pointer + toPointer([name])),
    ]),
  );
}

/** The maximum number of objects in a schema. Compiling more takes seconds or overflows the stack. */
export const maxSchemaObjects = 500;

/** The maximum number of values of any kind in a schema. */
export const maxSchemaValues = 10_000;

/** The maximum nesting of a schema. */
export const maxSchemaDepth = 64;

/** Tells whether a value is JSON within the limits for schemas. */
export function isMeasured(schema: unknown): schema is Json {
  const count = { objects: 0, values: 0 };
  return fits(schema, 0, count);
}

/** Counts the values in a JSON value, including itself. */
function valuesIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const members: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((sum, member) => sum + valuesIn(member), 1);
}

// As measured with Ajv: for the validator itself, for each keyword or map member, and for each value that is only compared.
const baseSteps = 300_000;
const memberSteps = 40_000;
const valueSteps = 300;

/** Returns the largest number of steps it can take to check and compile a schema within the limits. */
export function compilationSteps(schema: Json): number {
  return baseSteps + membersIn(schema) * memberSteps + valuesIn(schema) * valueSteps;
}

function membersIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>(
    (sum, member) => sum + membersIn(member),
    Array.isArray(value) ? 0 : members.length,
  );
}

function fits(value: unknown, depth: number, count: { objects: number; values: number }): boolean {
  count.values += 1;
  if (count.values > maxSchemaValues || depth > maxSchemaDepth) return false;
  if (Array.isArray(value)) return value.every((item) => fits(item, depth + 1, count));
  if (isJsonObject(value)) {
    count.objects += 1;
    return (
      count.objects <= maxSchemaObjects && Object.values(value).every((item) => fits(item, depth + 1, count))
    );
  }
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** The keyword that pays for one use of a schema. Its value is a {@link Price}. */
const priceKeyword = '$price';

interface Price {
  /** For the schema's own keywords. */
  readonly use: number;
  /** For each key of the object being checked. */
  readonly perKey: number;
}

// Ajv gives these names a meaning that JSON Schema doesn't.
const foreign: ReadonlySet<string> = new Set(['$async', 'discriminator', 'id', 'nullable', priceKeyword]);

/** Returns a copy of a JSON Schema in which every use of every subschema is paid for. */
export function meteredSchema(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return mapSchema(rest, (part) => {
    const entries = Object.entries(part).filter(([keyword]) => !foreign.has(keyword));
    if (entries.length === 0) return {};
    return Object.fromEntries([...entries, [priceKeyword, priceOf(entries)]]);
  });
}

/**
 * Returns the first reference into a value under `const` or `enum`. Such values are only compared, so using them as
 * schemas would cost nothing.
 */
export function unmeteredReference(schema: JsonObject): string | undefined {
  let found: string | undefined;
  mapSchema(schema, (part) => {
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const reference = part[keyword];
      if (typeof reference === 'string' && leadsIntoValue(reference)) found ??= reference;
    }
    return part;
  });
  return found;
}

function leadsIntoValue(reference: string): boolean {
  const [, fragment = ''] = reference.split('#', 2);
  const keys = decoded(fragment).split('/');
  return keys.some((key, at) => roles.get(key) === 'value' && roles.get(keys[at - 1] ?? '') !== 'map');
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}

// These keywords list the keys of an object, which is slow if there are very many.
const listing: ReadonlySet<string> = new Set([
  'additionalProperties',
  'maxProperties',
  'minProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
]);

function priceOf(entries: readonly (readonly [string, Json])[]): JsonObject & Price {
  const use = entries.reduce((sum, [keyword, value]) => sum + ownSize(keyword, value), 60);
  return { use, perKey: entries.some(([keyword]) => listing.has(keyword)) ? 40 : 0 };
}

function ownSize(keyword: string, value: Json): number {
  if (roles.get(keyword) === 'value') return valuesIn(value);
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 1;
}

/**
 * Returns the keyword that pays for one use of a schema: its price plus the size of the value. It runs before every
 * other keyword of the draft, so that the work is paid for in advance.
 */
export function priceDefinition(
  meter: Meter,
  draft: Draft,
  template: typeof Template,
): CodeKeywordDefinition {
  const pay = (data: unknown, { use, perKey }: Price): void => spend(meter, use + sizeOf(data, perKey));
  return {
    keyword: priceKeyword,
    before: draft === 'draft-07' ? '$ref' : '$dynamicAnchor',
    code({ gen, data, schemaValue }) {
      const name = gen.scopeValue('keyword', { ref: pay });
      gen.code(template`${name}(${data}, ${schemaValue})`);
    },
  };
}

/** Returns a linear-time `uniqueItems`. Ajv's own compares every item with every other. */
export function uniqueItemsDefinition(meter: Meter): FuncKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: readonly unknown[]) =>
      !unique ||
      items.length < 2 ||
      new Set(items.map((item) => canonical(item, meter))).size === items.length,
  };
}

function sizeOf(data: unknown, perKey: number): number {
  if (typeof data === 'string') return data.length >> 4;
  if (Array.isArray(data)) return data.length;
  return perKey > 0 && isJsonObject(data) ? Object.keys(data).length * perKey : 0;
}

// Equal values give the same text in any key order.
function canonical(value: unknown, meter: Meter): string {
  spend(meter, 40);
  if (Array.isArray(value)) return paid(`[${value.map((item) => canonical(item, meter)).join(',')}]`, meter);
  if (!isJsonObject(value)) return paid(JSON.stringify(value), meter);
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], meter)}`);
  return paid(`{${members.join(',')}}`, meter);
}

function paid(text: string, meter: Meter): string {
  spend(meter, text.length);
  return text;
}

/** A format in the shape that Ajv stores. */
type AddedFormat = NonNullable<Ajv['formats'][string]>;

// Some format patterns take quadratic time.
const maxFormattedLength = 8192;

/**
 * Returns a format that is paid for and rejects strings longer than 8,192 UTF-16 units. Number formats are unchanged.
 */
export function meteredFormat(format: AddedFormat, meter: Meter): AddedFormat {
  const test = testOf(format);
  if (test === undefined) return format;
  return (text: string) => {
    if (text.length > maxFormattedLength) return false;
    spend(meter, 50 + text.length ** 2 / 32);
    return test(text);
  };
}

function testOf(format: AddedFormat): ((text: string) => boolean) | undefined {
  if (format === true) return undefined;
  if (typeof format === 'function') return format;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (format.async === true || format.type === 'number') return undefined;
  const { validate } = format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  return typeof validate === 'string'
    ? undefined
    : (text) => Reflect.apply(validate, undefined, [text]) === true;
}
