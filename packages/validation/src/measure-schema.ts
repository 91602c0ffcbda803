import type { Json } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';

/** Objects a schema may hold; compiling more takes seconds or the whole stack. */
export const maxSchemaObjects = 500;

/** Values of any kind a schema may hold. */
export const maxSchemaValues = 10_000;

/** Levels of nesting a schema may have. */
export const maxSchemaDepth = 64;

/** Whether a value is JSON within the limits of a schema. */
export function isMeasured(schema: unknown): schema is Json {
  const count = { objects: 0, values: 0 };
  return fits(schema, 0, count);
}

/** How many values there are in a JSON value, itself included. */
export function valuesIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const members: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((sum, member) => sum + valuesIn(member), 1);
}

// As measured with Ajv: for the validator itself, for each keyword or member of a map, and for each value that is only listed.
const baseSteps = 300_000;
const memberSteps = 40_000;
const valueSteps = 300;

/** What it takes at most to check and compile a schema within the limits. */
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
