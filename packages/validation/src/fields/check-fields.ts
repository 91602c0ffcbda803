import type { Field, FieldType, InnerField, Json, JsonObject } from '@workflowlookup/schema';
import { fieldsIn, isJsonObject } from '@workflowlookup/schema';
import { fieldMessages } from './messages.ts';

/** A field of an output that is missing or has a wrong value. */
export interface FieldProblem {
  /** The field, with the place inside it, such as `hypotheses[1].mechanism`. */
  readonly field: string;
  readonly message: string;
}

/**
 * Checks values by their fields, as the JSON Schema of the fields would, and names each field with the value found. White space
 * at the ends of a text does not count.
 */
export function checkFields(fields: readonly Field[], values: JsonObject): readonly FieldProblem[] {
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
