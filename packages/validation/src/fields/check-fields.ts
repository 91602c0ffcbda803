import type { Field, FieldMap, FieldType, InnerField, Json, JsonObject } from '@workflowlookup/schema';
import { fieldsIn, isJsonObject } from '@workflowlookup/schema';
import { fieldMessages, exampleFor } from './messages.ts';
import { readFields } from './read-fields.ts';

/** A field of an output that is missing or has a wrong value. */
interface FieldProblem {
  /** The field, with the place inside it, such as `hypotheses[1].mechanism`. */
  readonly field: string;
  readonly message: string;
}

/**
 * Checks values by their fields, as the JSON Schema of the fields would, and names each field with the value found. White space
 * at the ends of a text does not count.
 */
function checkFields(fields: readonly Field[], values: JsonObject): readonly FieldProblem[] {
  return fields.flatMap((field) => checkField(field, field.id, at(values, field.id)));
}

function at(values: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function checkField(field: InnerField, path: string, value: Json | undefined): readonly FieldProblem[] {
  const isBlank = typeof value === 'string' && value.trim() === '';
  if (value === undefined || value === null || isBlank) {
    if (field.required === false) return [];
    return [{ field: path, message: fieldMessages.missing(path, field) }];
  }
  return checks[field.type ?? 'text'](field, path, value);
}

type Check = (field: InnerField, path: string, value: Json) => readonly FieldProblem[];

const checks: Readonly<Record<FieldType, Check>> = {
  text: checkText,
  number: checkNumber,
  boolean: (field, path, value) => (typeof value === 'boolean' ? [] : wrongType(field, path, value)),
  choice: ({ options = [] }, path, value) =>
    typeof value === 'string' && options.includes(value)
      ? []
      : [{ field: path, message: fieldMessages.notAnOption(path, value, options) }],
  list: (field, path, value) =>
    Array.isArray(value) ? checkList(field, path, value) : wrongType(field, path, value),
  object: (field, path, value) => {
    if (!isJsonObject(value)) return wrongType(field, path, value);
    return field.properties === undefined ? [] : checkInner(fieldsIn(field.properties), path, value);
  },
};

function wrongType(field: InnerField, path: string, value: Json): readonly FieldProblem[] {
  return [{ field: path, message: fieldMessages.wrongType(path, field, value) }];
}

function checkText(field: InnerField, path: string, value: Json): readonly FieldProblem[] {
  if (typeof value !== 'string') return wrongType(field, path, value);
  const length = [...value.trim()].length;
  const { min_length: least = 0, max_length: most = Infinity } = field;
  if (length < least)
    return [{ field: path, message: fieldMessages.tooShort(path, field, { length, least, value }) }];
  return length > most ? [{ field: path, message: fieldMessages.tooLong(path, length, most) }] : [];
}

function checkNumber(field: InnerField, path: string, value: Json): readonly FieldProblem[] {
  if (typeof value !== 'number') return wrongType(field, path, value);
  const { min = -Infinity, max = Infinity } = field;
  const isInRange = value >= min && value <= max;
  return isInRange ? [] : [{ field: path, message: fieldMessages.outOfRange(path, value, field) }];
}

function checkList(field: InnerField, path: string, values: readonly Json[]): readonly FieldProblem[] {
  const { min_items: least = 0, max_items: most = Infinity } = field;
  const count =
    values.length < least
      ? fieldMessages.tooFew(path, field, { count: values.length, least })
      : values.length > most
        ? fieldMessages.tooMany(path, values.length, most)
        : undefined;
  const { items = 'text', options } = field;
  const itemField: InnerField =
    options !== undefined
      ? { type: 'choice', options }
      : typeof items === 'string'
        ? { type: items }
        : { type: 'object', properties: items };
  const wrong = values.flatMap((value, index) => checkField(itemField, `${path}[${index}]`, value));
  return [...(count === undefined ? [] : [{ field: path, message: count }]), ...wrong];
}

function checkInner(fields: readonly Field[], path: string, values: JsonObject): readonly FieldProblem[] {
  return fields.flatMap((field) => checkField(field, `${path}.${field.id}`, at(values, field.id)));
}

/**
 * Returns the JSON Schema that an output with these fields must meet. It allows further properties. A required text must also
 * have more than white space, which the schema leaves out to stay short.
 *
 * @example
 * ```ts
 * schemaOfFields([{ id: 'observed', min_length: 40 }]);
 * // { type: 'object', required: ['observed'], properties: { observed: { type: 'string', minLength: 40 } } }
 * ```
 */
export function schemaOfFields(fields: readonly Field[]): JsonObject {
  const required = fields.filter((field) => field.required !== false).map(({ id }) => id);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.id, schemaOf(field)])),
  };
}

function schemaOf(field: InnerField): JsonObject {
  const { description } = field;
  return { ...typeOf(field), ...(description !== undefined && { description }) };
}

function typeOf({ type = 'text', ...field }: InnerField): JsonObject {
  switch (type) {
    case 'text':
      return {
        type: 'string',
        ...(field.min_length !== undefined && { minLength: field.min_length }),
        ...(field.max_length !== undefined && { maxLength: field.max_length }),
      };
    case 'number':
      return {
        type: 'number',
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
      };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: field.options ?? [] };
    case 'list':
      return {
        type: 'array',
        items: itemsOf(field),
        ...(field.min_items !== undefined && { minItems: field.min_items }),
        ...(field.max_items !== undefined && { maxItems: field.max_items }),
      };
    case 'object':
      return field.properties === undefined ? { type: 'object' } : schemaOfFields(fieldsIn(field.properties));
  }
}

function itemsOf({ items = 'text', options }: InnerField): JsonObject {
  if (options !== undefined) return { enum: options };
  return typeof items === 'string'
    ? typeOf({ type: items })
    : schemaOfFields(fieldsIn(items satisfies FieldMap));
}

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
