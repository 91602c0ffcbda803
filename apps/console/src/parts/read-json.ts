import type { Json, JsonObject } from '@workflowlookup/schema';

/** A JSON text being written, and what it says once it is JSON. */
export interface JsonText<Value extends Json = Json> {
  readonly text: string;
  /** Absent while it is none. */
  readonly value?: Value;
  readonly problem?: string;
}

/** Reads what was written; nothing at all is read as `empty`. */
export function readJson(text: string, empty: Json): JsonText {
  if (text.trim() === '') return { text, value: empty };
  try {
    return { text, value: JSON.parse(text) as Json };
  } catch (error) {
    return { text, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads what was written and has to be an object; nothing at all is an empty one. */
export function readObject(text: string): JsonText<JsonObject> {
  const { value, problem = 'It has to be an object: { "name": value }' } = readJson(text, {});
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { text, value: value as JsonObject } : { text, problem };
}
