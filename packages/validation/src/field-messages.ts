import type { InnerField, Json } from '@workflowlookup/schema';
import { fieldsIn } from '@workflowlookup/schema';

// Every message about the fields of outputs. A message names the field, states the value found and what is expected, and shows
// an example. `test/messages.test.ts` has a snapshot of all of them.

type Shown = Omit<InnerField, 'required'>;

export const fieldMessages = {
  missing: (path: string, field: Shown) =>
    `Field "${path}" is missing.${describe(field)}${exampleOf(path, field)}`,
  wrongType: (path: string, field: Shown, found: Json) =>
    `Field "${path}" must be ${kind(field)}, found ${show(found)}.${exampleOf(path, field)}`,
  tooShort: (
    path: string,
    field: Shown,
    { length, least, value }: { readonly length: number; readonly least: number; readonly value: string },
  ) =>
    `Field "${path}" has ${length} characters, and needs at least ${least}: found ${show(value)}.${describe(field)}`,
  tooLong: (path: string, length: number, most: number) =>
    `Field "${path}" has ${length} characters, and may have at most ${most}. Shorten it.`,
  outOfRange: (path: string, found: number, { min, max }: Shown) =>
    `Field "${path}" must be ${[
      ...(min === undefined ? [] : [`at least ${min}`]),
      ...(max === undefined ? [] : [`at most ${max}`]),
    ].join(' and ')}, found ${found}.`,
  notAnOption: (path: string, found: Json, options: readonly string[]) =>
    `Field "${path}" must be one of ${options.map((one) => JSON.stringify(one)).join(', ')}, found ${show(found)}.`,
  tooFew: (
    path: string,
    field: Shown,
    { count, least }: { readonly count: number; readonly least: number },
  ) =>
    `Field "${path}" has ${count} ${count === 1 ? 'item' : 'items'}, and needs at least ${least}.${describe(field)}${exampleOf(path, field)}`,
  tooMany: (path: string, count: number, most: number) =>
    `Field "${path}" has ${count} items, and may have at most ${most}. Remove some.`,
  /** @param found names of fields and labels that the output has */
  found: (found: readonly string[]) =>
    found.length === 0
      ? 'The output has none of the fields of the step.'
      : `Found in the output: ${found
          .slice(0, 20)
          .map((one) => JSON.stringify(one))
          .join(', ')}.`,
  brokenJson: (problem: string) =>
    `The output begins like JSON, but it is not valid JSON: ${problem.replace(/\.$/, '')}.`,
  submitObject: (example: string) =>
    `Submit an object with these fields: ${example}. A text needs each field as a label at the start of a line, or as a heading.`,
} as const;

function describe({ description }: Shown): string {
  return description === undefined ? '' : ` Expected: ${description.replace(/\.$/, '')}.`;
}

function exampleOf(path: string, field: Shown): string {
  const name = path.includes('[') || path.includes('.') ? (/[\w-]+$/.exec(path)?.[0] ?? '') : path;
  const shown = JSON.stringify(exampleFor(field));
  return name === '' ? ` Example: ${shown}` : ` Example: {${JSON.stringify(name)}: ${shown}}`;
}

/** Returns a value that shows what a field looks like. */
export function exampleFor({ type = 'text', example, options = [], ...field }: Shown): Json {
  if (example !== undefined) return example;
  switch (type) {
    case 'text':
      return '…';
    case 'number':
      return field.min ?? 1;
    case 'boolean':
      return true;
    case 'choice':
      return options[0] ?? '…';
    case 'list':
      return [options[0] ?? exampleFor(itemFieldOf(field))];
    case 'object':
      return Object.fromEntries(fieldsIn(field.properties ?? {}).map((one) => [one.id, exampleFor(one)]));
  }
}

/** Returns the field that each item of a list is. */
export function itemFieldOf({ items = 'text', options }: Shown): InnerField {
  if (options !== undefined) return { type: 'choice', options };
  return typeof items === 'string' ? { type: items } : { type: 'object', properties: items };
}

function kind({ type = 'text', properties }: Shown): string {
  switch (type) {
    case 'text':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return 'one of the options';
    case 'list':
      return 'a list';
    case 'object':
      return properties === undefined
        ? 'an object'
        : `an object with ${Object.keys(properties)
            .map((name) => JSON.stringify(name))
            .join(', ')}`;
  }
}

function show(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
