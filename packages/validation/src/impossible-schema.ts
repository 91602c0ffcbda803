import { showValue } from '@workflowlookup/conditions';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject, toPointer } from '@workflowlookup/schema';

/** Why no JSON value satisfies a schema, and which part of it is to blame. */
export interface Dead {
  readonly pointer: string;
  /** As a sentence goes on: `'name' is required and not allowed`. */
  readonly why: string;
}

/** Whether a JSON Schema refuses every value, as far as that shows without a proof: contradictions within one object. */
export function deadSchema(schema: Json, pointer = ''): Dead | undefined {
  if (schema === false) return { pointer, why: 'it is false' };
  if (!isJsonObject(schema)) return undefined;
  return deadValues(schema, pointer) ?? deadParts(schema, pointer) ?? deadTypes(schema, pointer);
}

/** The types a schema names; `undefined` where it takes any. */
export function typesOf({ type }: JsonObject): readonly Json[] | undefined {
  if (type === undefined) return undefined;
  return Array.isArray(type) ? (type as readonly Json[]) : [type];
}

function deadValues(schema: JsonObject, pointer: string): Dead | undefined {
  const { enum: listed, const: only } = schema;
  const types = typesOf(schema);
  const fits = (value: Json): boolean => types === undefined || types.some((type) => isOf(type, value));
  const key = Array.isArray(listed) && !(listed as readonly Json[]).some(fits) ? 'enum' : 'const';
  if (key === 'const' && (only === undefined || fits(only))) return undefined;
  return { pointer: `${pointer}/${key}`, why: `no value of '${key}' has the type that 'type' asks for` };
}

function isOf(type: Json, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return isJsonObject(value);
  return typeof value === type;
}

function deadParts({ allOf, anyOf, oneOf, not }: JsonObject, pointer: string): Dead | undefined {
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) {
    return { pointer: `${pointer}/not`, why: "'not' refuses every value" };
  }
  const inAll = membersOf(allOf).map((part, at) => deadSchema(part, `${pointer}/allOf/${at}`));
  const dead = inAll.find((one) => one !== undefined);
  if (dead !== undefined) return dead;
  for (const [key, some] of Object.entries({ anyOf, oneOf })) {
    const all = membersOf(some).map((part, at) => deadSchema(part, `${pointer}/${key}/${at}`));
    if (all.length > 0 && all.every((one) => one !== undefined)) return all[0];
  }
  return undefined;
}

function membersOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** A schema that names its types is dead where it is dead for each of them. */
function deadTypes(schema: JsonObject, pointer: string): Dead | undefined {
  const all = (typesOf(schema) ?? [null]).map((type) => deadFor(type, schema, pointer));
  return all.every((one) => one !== undefined) ? all[0] : undefined;
}

function deadFor(type: Json, schema: JsonObject, pointer: string): Dead | undefined {
  switch (type) {
    case 'integer':
    case 'number':
      return deadBounds(schema, ['minimum', 'maximum'], pointer);
    case 'string':
      return deadBounds(schema, ['minLength', 'maxLength'], pointer);
    case 'array':
      return deadBounds(schema, ['minItems', 'maxItems'], pointer) ?? deadItems(schema, pointer);
    case 'object':
      return (
        deadBounds(schema, ['minProperties', 'maxProperties'], pointer) ?? deadProperties(schema, pointer)
      );
    default:
      return undefined;
  }
}

function deadBounds(
  schema: JsonObject,
  [least, most]: readonly [string, string],
  pointer: string,
): Dead | undefined {
  const [min, max] = [schema[least], schema[most]];
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return undefined;
  return { pointer: `${pointer}/${least}`, why: `'${least}' ${min} is more than '${most}' ${max}` };
}

function deadItems({ items, prefixItems, minItems = 0 }: JsonObject, pointer: string): Dead | undefined {
  if (items === undefined || prefixItems !== undefined || typeof minItems !== 'number' || minItems < 1) {
    return undefined;
  }
  return deadSchema(items, `${pointer}/items`);
}

function deadProperties(schema: JsonObject, pointer: string): Dead | undefined {
  const { properties = {}, patternProperties, additionalProperties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  for (const [at, name] of membersOf(schema['required']).entries()) {
    if (typeof name !== 'string') continue;
    const own = Object.hasOwn(known, name) ? known[name] : undefined;
    if (own === undefined && additionalProperties === false && patternProperties === undefined) {
      return { pointer: `${pointer}/required/${at}`, why: `${showValue(name)} is required and not allowed` };
    }
    const dead = own === undefined ? undefined : deadSchema(own, `${pointer}/properties${toPointer([name])}`);
    if (dead !== undefined) return dead;
  }
  return undefined;
}
