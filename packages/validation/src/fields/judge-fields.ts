import type { Field, Json, JsonObject } from '@workflowlookup/schema';
import { checkFields } from './check-fields.ts';
import { exampleFor, fieldMessages } from './messages.ts';
import { readFields } from './read-fields.ts';

/** The fields of an output with the problems found. */
export interface JudgedFields {
  /** The fields without a problem. */
  readonly valid: JsonObject;
  /** All fields, as they were read. */
  readonly values: JsonObject;
  /** Each names its field. */
  readonly issues: readonly string[];
  readonly suggestions: readonly string[];
}

/** How many problems of an output are listed. */
const mostProblems = 20;

/** Reads the fields of an output and checks them. */
export function judgeFields(fields: readonly Field[], output: string): JudgedFields {
  const { values, found } = readFields(fields, output);
  const problems = checkFields(fields, values);
  const wrong = new Set(problems.map(({ field }) => /^[\w-]+/.exec(field)?.[0]));
  const valid = Object.fromEntries(
    fields.flatMap(({ id }) => {
      const value = Object.hasOwn(values, id) ? values[id] : undefined;
      return value === undefined || value === null || wrong.has(id) ? [] : [[id, value] as const];
    }),
  );
  const isMissing = fields.some(({ id }) => wrong.has(id) && !Object.hasOwn(values, id));
  return {
    valid,
    values,
    issues: [
      ...problems.slice(0, mostProblems).map(({ message }) => message),
      ...(isMissing ? [fieldMessages.found(found)] : []),
    ],
    suggestions:
      problems.length === 0 ? [] : [fieldMessages.submitObject(JSON.stringify(exampleOutput(fields)))],
  };
}

/** Returns an output that shows the fields of a step. */
function exampleOutput(fields: readonly Field[]): Json {
  return Object.fromEntries(
    fields.filter(({ required }) => required !== false).map((field) => [field.id, exampleFor(field)]),
  );
}
