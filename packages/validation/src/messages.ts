import { showValue } from '@workflowlookup/conditions';
import type { InnerField, Json } from '@workflowlookup/schema';
import { fieldsIn } from '@workflowlookup/schema';

// Every message about validation criteria, about the outputs they validate, and about the fields of outputs. A message
// states the problem with the value found; the suggestion says what to do next. `test/messages.test.ts` has a snapshot of
// all of them.

export interface Message {
  readonly message: string;
  readonly suggestion: string;
}

function listed(parts: readonly string[]): string {
  return parts.map((part) => part.replace(/\.$/, '')).join('; ');
}

function characters(count: number, more = ''): string {
  return `${count} ${more}character${count === 1 ? '' : 's'}`;
}

/** Returns a value as JSON, cut off after `most` characters. */
function json(value: unknown, most = 200): string {
  return shorten(JSON.stringify(value), most);
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function millions(count: number): string {
  return `${count / 1_000_000} million`;
}

function removeOrMeant(near: string | undefined): string {
  return near === undefined ? 'Remove it.' : `Did you mean "${near}"?`;
}

export const messages = {
  // What criteria ask for. An agent reads this before it writes an output, and as the reason why an output failed.

  mustContain: (text: unknown) => `The output must contain ${JSON.stringify(text)}.`,
  /** No full stop follows a pattern, because it could be read as a part of the pattern. */
  mustMatch: (pattern: string) => `The output must match the pattern ${pattern}`,
  mustHaveLength: (min: number | undefined, max: number | undefined) => {
    if (max === undefined) return `The output must have at least ${characters(min ?? 0)}.`;
    const least = min === undefined ? '' : `at least ${min} and `;
    return `The output must have ${least}at most ${characters(max)}.`;
  },
  mustMeetSchema: 'The output must be JSON that meets the schema.',
  allOf: (parts: readonly string[]) => (parts.length < 2 ? (parts[0] ?? '') : `All of: ${listed(parts)}`),
  oneOf: (parts: readonly string[]) => (parts.length < 2 ? listed(parts) : `One of: ${listed(parts)}`),
  not: (part: string) => `Not: ${listed([part])}`,
  /** A rule that counts only while a condition is true. */
  onlyIf: (condition: string, rule: string) => `If ${condition}: ${rule}`,

  // Outputs that fail. The specification and the conformance kit fix the words of the first four.

  reviewCriteria: 'Review validation criteria and adjust output accordingly.',
  emptyOutput: 'Output is empty or invalid.',
  includeText: (text: string) => `Include ${JSON.stringify(text)}.`,
  addCharacters: (count: number) => `Add at least ${characters(count, 'more ')}.`,
  writeSomething: 'Write an output that is not blank.',
  removeText: (text: string) => `Remove ${JSON.stringify(text)}.`,
  writeMatch: (pattern: string) => `Write something that matches the pattern ${pattern}`,
  removeMatch: (pattern: string) => `Remove the text that matches the pattern ${pattern}`,
  removeCharacters: (count: number) => `Remove at least ${characters(count)}.`,
  metButForbidden: (rule: string) => `The output meets a rule that it must not meet: ${rule}`,
  meetNoLonger: (rule: string) => `Change the output so that it no longer meets this rule: ${rule}`,
  tooComplex: (rule: string) => `The output is too complex to check: ${rule}`,
  simplify: 'Make the output shorter or simpler.',
  outputTooLarge: (most: number) =>
    `The output has more than ${most} bytes, the most that can be validated. Shorten it.`,

  // Outputs that do not meet a JSON Schema

  notJson: 'Write the output as JSON, or as exactly one fenced JSON block with nothing around it.',
  nothingMeetsSchema: 'The schema accepts no JSON value.',
  /** @param pointer the place in the output */
  wrongValue: (pointer: string, expected: string) =>
    `${pointer === '' ? 'The JSON value' : `The value at ${shorten(pointer, 200)}`} ${expected}.`,
  /** What a value must be. */
  expected: {
    noProperty: (name: unknown): string => `must not have the property ${showValue(name)}`,
    property: (name: unknown): string => `must have the property ${showValue(name)}`,
    constant: (value: unknown): string => `must be ${json(value)}`,
    oneOf: (values: readonly unknown[]): string =>
      `must be one of ${values.map((value) => json(value)).join(', ')}`,
    types: (types: readonly string[]): string => `must be of type ${types.join(' or ')}`,
    uniqueItems: 'must not have duplicate items',
    absent: 'must not be there',
    schema: 'must meet the schema',
  },

  // Criteria that can't be used

  criteriaUnusable: (
    pointer: string,
    { message, suggestion }: { readonly message: string; readonly suggestion?: string },
  ) => {
    const place = pointer === '' ? '' : ` at ${pointer}`;
    return `The validation criteria${place} can't be used: ${message}${suggestion === undefined ? '' : ` ${suggestion}`}`;
  },
  /** @param most the steps that compilation may take */
  criteriaTooCostly: (most: number) =>
    `The validation criteria take more than ${millions(most)} steps to compile. Use fewer JSON Schemas and patterns, or smaller ones.`,
  definitionTooCostly: (mostOfStep: number, mostOfWorkflow: number): Message => ({
    message: `These criteria take too many steps to compile: a step may take ${millions(mostOfStep)}, and all checks of a workflow ${millions(mostOfWorkflow)}.`,
    suggestion: 'Use fewer JSON Schemas and patterns, or smaller ones, or split the workflow.',
  }),
  notARule: (found: unknown): Message => ({
    message: `A rule must be an object, a pattern or a list, found ${showValue(found)}.`,
    suggestion: 'Write a rule with a "type", or a pattern.',
  }),
  noTypeOrComposition: (found: readonly string[]): Message => {
    const shown = found.length === 0 ? 'none of them' : found.slice(0, 5).map(showValue).join(', ');
    return {
      message: `A rule needs a "type", or exactly one of "and", "or" and "not"; found ${shown}.`,
      suggestion: 'Add "type", or keep one of the three.',
    };
  },
  noMembers: (composition: 'and' | 'or', found: unknown): Message => ({
    message: `"${composition}" needs a list with at least one rule, found ${Array.isArray(found) ? 'an empty list' : showValue(found)}.`,
    suggestion: 'Put the rules in a list.',
  }),
  criteriaTooDeep: (most: number): Message => ({
    message: `The criteria are nested deeper than ${most} lists and compositions.`,
    suggestion: 'Join the rules in fewer levels.',
  }),
  unknownRuleType: (found: unknown, types: readonly string[]): Message => ({
    message: `Unknown type of rule ${showValue(found)}.`,
    suggestion: `Use one of ${types.join(', ')}.`,
  }),
  unknownField: (field: string, type: unknown, near: string | undefined): Message => ({
    message: `Unknown field ${showValue(field)} in a ${showValue(type)} rule.`,
    suggestion: removeOrMeant(near),
  }),

  // Fields of rules

  notText: (field: string, found: unknown): Message => ({
    message: `"${field}" must be a string, found ${showValue(found)}.`,
    suggestion: 'Write a string.',
  }),
  containsNothing: (found: unknown): Message => ({
    message: `A contains rule needs a string "value", found ${showValue(found)}.`,
    suggestion: 'Add "value" with the text to look for.',
  }),
  noPattern: (found: unknown): Message => ({
    message: `A regex rule needs a string "pattern", found ${showValue(found)}.`,
    suggestion: 'Add "pattern" with a pattern in RE2 syntax.',
  }),
  badFlags: (found: unknown): Message => ({
    message: `"flags" must be a string, found ${showValue(found)}.`,
    suggestion: 'Write some of the flags i, m, s, u and g.',
  }),
  /** @param problem a message of the package conditions */
  badPattern: (problem: string): Message => ({
    message: problem,
    suggestion: 'Write a pattern in RE2 syntax, and no flags but i, m, s, u and g.',
  }),
  badBound: (field: 'max' | 'min', found: unknown): Message => ({
    message: `"${field}" must be a whole number of characters, found ${showValue(found)}.`,
    suggestion: 'Write a whole number, 0 or more.',
  }),

  // JSON Schemas of rules

  noSchema: (found: unknown): Message => ({
    message: `A schema rule needs a JSON Schema "schema", found ${showValue(found)}.`,
    suggestion: 'Add "schema" with a JSON Schema.',
  }),
  schemaTooLarge: (objects: number, values: number, levels: number): Message => ({
    message: 'The JSON Schema is too large.',
    suggestion: `Use at most ${objects} objects, ${values} values and ${levels} levels.`,
  }),
  unknownDialect: (found: unknown): Message => ({
    message: `The dialect ${showValue(found)} of JSON Schema is not supported.`,
    suggestion: 'Use draft-07, 2019-09 or 2020-12, or leave "$schema" out.',
  }),
  /** @param problem what is wrong at the pointer, with or without a full stop, in the words of Ajv or of this catalogue */
  malformedSchema: (pointer: string, problem: string) =>
    `The JSON Schema is malformed: ${`${pointer} ${problem}`.trim().replace(/\.$/, '')}.`,
  notASchema: 'must be a JSON Schema',
  referenceToValue: (reference: string) =>
    `the reference ${showValue(reference)} leads to a value that is not a schema`,

  // Criteria that are probably mistakes

  lengthWithoutBounds: {
    message: 'A length rule without "min" and "max" accepts every output.',
    suggestion: 'Add "min" or "max".',
  },
  unknownKeyword: (keyword: string, near: string | undefined): Message => ({
    message: `Unknown JSON Schema keyword ${showValue(keyword)}: it has no effect.`,
    suggestion: removeOrMeant(near),
  }),

  // Criteria that no output can meet

  correctImpossible: 'Correct the criteria. Until then, no output is accepted.',
  contradictoryLengths: (min: number, max: number) =>
    `No output has at least ${min} and at most ${max} characters.`,
  /** @param types the types that two schemas allow */
  contradictoryTypes: (...types: readonly [readonly string[], readonly string[]]) => {
    const [first, second] = types.map((some) => some.join(' or '));
    return `No JSON value is of type ${first} and also of type ${second}.`;
  },
  /** Completes a sentence about a rule that an output meets. */
  meets: {
    contains: (text: string | undefined): string => `contains ${showValue(text)}`,
    matches: (pattern: string | undefined): string => `matches ${showValue(pattern)}`,
    other: (type: string): string => `meets the ${type} rule`,
  },
  impliesForbidden: (required: string, forbidden: string) =>
    `Every output that ${required} also ${forbidden}, which the criteria forbid.`,
  alwaysForbidden: (met: string) => `Every output ${met}, which the criteria forbid.`,
  nothingMeets: (contradiction: string) => `No JSON value meets this schema: ${contradiction}.`,
  /** Why no value meets a part of a JSON Schema. */
  contradictions: {
    isFalse: "it is 'false'",
    enumOfOtherTypes: "no value of 'enum' has a type that 'type' allows",
    constOfOtherType: "the value of 'const' does not have a type that 'type' allows",
    notExcludesAll: "'not' excludes every value",
    bounds: (least: string, min: number, most: string, max: number): string =>
      `'${least}' ${min} is greater than '${most}' ${max}`,
    requiredAndForbidden: (name: string): string => `${showValue(name)} is both required and not allowed`,
  },
} as const;

type Shown = Omit<InnerField, 'required'>;

/** How many characters a message shows of the value found. */
const mostFound = 100;

/** A message about a field names it, states the value found and what is expected, and shows an example. */
export const fieldMessages = {
  missing: (path: string, field: Shown) =>
    `Field "${path}" is missing.${describe(field)}${exampleOf(path, field)}`,
  wrongType: (path: string, field: Shown, found: Json) =>
    `Field "${path}" must be ${kind(field)}, found ${json(found, mostFound)}.${exampleOf(path, field)}`,
  tooShort: (
    path: string,
    field: Shown,
    { length, least, value }: { readonly length: number; readonly least: number; readonly value: string },
  ) =>
    `Field "${path}" has ${length} characters, and needs at least ${least}: found ${json(value, mostFound)}.${describe(field)}`,
  tooLong: (path: string, length: number, most: number) =>
    `Field "${path}" has ${length} characters, and may have at most ${most}. Shorten it.`,
  outOfRange: (path: string, found: number, { min, max }: Shown) =>
    `Field "${path}" must be ${[
      ...(min === undefined ? [] : [`at least ${min}`]),
      ...(max === undefined ? [] : [`at most ${max}`]),
    ].join(' and ')}, found ${found}.`,
  notAnOption: (path: string, found: Json, options: readonly string[]) =>
    `Field "${path}" must be one of ${options.map((one) => JSON.stringify(one)).join(', ')}, found ${json(found, mostFound)}.`,
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
