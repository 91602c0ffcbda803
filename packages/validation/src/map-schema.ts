import { isJsonObject, toPointer } from '@workflowlookup/schema';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { roleOf } from './schema-keywords.ts';

/** Makes a schema object anew; its members have been made already. The pointer leads from the outermost schema. */
export type Remake = (schema: JsonObject, pointer: string) => JsonObject;

/** A copy of a JSON Schema with every object that stands where a schema may stand made anew, inner ones first. */
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
