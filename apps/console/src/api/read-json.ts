import type { Json, JsonObject } from '@workflowlookup/schema';
import { commonMessages } from '../messages/common.ts';

/** A JSON text in a field, and its value if the text is valid. */
export interface JsonText<Value extends Json = Json> {
  readonly text: string;
  /** Absent if the text is not valid. */
  readonly value?: Value;
  readonly problem?: string;
}

/** Parses a JSON text. A blank text has the value `empty`. */
export function readJson(text: string, empty: Json): JsonText {
  if (text.trim() === '') return { text, value: empty };
  try {
    return { text, value: JSON.parse(text) as Json };
  } catch (error) {
    return {
      text,
      problem: commonMessages.json.invalid(error instanceof Error ? error.message : String(error)),
    };
  }
}

/** Parses the text of a JSON object. A blank text is an empty object. */
export function readObject(text: string): JsonText<JsonObject> {
  const { value, problem = commonMessages.json.notAnObject } = readJson(text, {});
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { text, value: value as JsonObject } : { text, problem };
}

/** Returns an example of an output as text. It keeps the fields that somebody entered before. */
export function completed(example: Json, entered: string): string {
  const { value: given } = readObject(entered);
  const { value: fields } = readObject(JSON.stringify(example));
  const isMerged = given !== undefined && fields !== undefined;
  return JSON.stringify(isMerged ? { ...fields, ...given } : example, null, 2);
}
