import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import { mapSchema } from './map-schema.ts';
import { valuesIn } from './measure-schema.ts';
import { roleOf } from './schema-keywords.ts';

/** The keyword that pays for one use of a schema; its value is a {@link Price}. */
export const priceKeyword = '$price';

/** What one use of a schema costs. */
export interface Price {
  /** For its own keywords. */
  readonly use: number;
  /** For each key of an object it is held against. */
  readonly perKey: number;
}

// Names that mean something to Ajv and nothing to JSON Schema.
const foreign: ReadonlySet<string> = new Set(['$async', 'discriminator', 'id', 'nullable', priceKeyword]);

/** A copy of a JSON Schema in which every use of every subschema is paid for. */
export function meteredSchema(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return mapSchema(rest, (part) => {
    const entries = Object.entries(part).filter(([keyword]) => !foreign.has(keyword));
    if (entries.length === 0) return {};
    return Object.fromEntries([...entries, [priceKeyword, priceOf(entries)]]);
  });
}

/**
 * The first reference that leads into a value which is only compared, `const` or `enum`: nothing is paid for there.
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
  return keys.some((key, at) => roleOf(key) === 'value' && roleOf(keys[at - 1] ?? '') !== 'map');
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}

// Listing the keys of an object with very many of them is slow.
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
  if (roleOf(keyword) === 'value') return valuesIn(value);
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 1;
}
