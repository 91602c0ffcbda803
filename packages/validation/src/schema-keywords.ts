import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject, toPointer } from '@workflowlookup/schema';

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

/** Returns the kind of a keyword's value; `undefined` if it may hold schemas. */
export function roleOf(keyword: string): 'map' | 'value' | undefined {
  return roles.get(keyword);
}

/**
 * Rebuilds a schema object whose members have already been rebuilt. The pointer is relative to the outermost schema.
 */
type Remake = (schema: JsonObject, pointer: string) => JsonObject;

/** Returns a copy of a JSON Schema with every schema object in it rebuilt, innermost first. */
export function mapSchema(schema: JsonObject, remake: Remake, pointer = ''): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    const place = pointer + toPointer([keyword]);
    const role = roleOf(keyword);
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
export function valuesIn(value: Json): number {
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
