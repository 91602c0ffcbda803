import { showValue } from '@workflowlookup/conditions';

// Every message about validation criteria and the outputs they validate, by topic. A message states the problem with the
// value found; the suggestion says what to do next. `test/messages.test.ts` has a snapshot of all of them.

export interface Message {
  readonly message: string;
  readonly suggestion: string;
}

// What criteria ask for. An agent reads this before it writes an output, and as the reason why an output failed.

export function mustContain(text: unknown): string {
  return `The output must contain ${JSON.stringify(text)}.`;
}

/** No full stop follows a pattern, because it could be read as a part of the pattern. */
export function mustMatch(pattern: string): string {
  return `The output must match the pattern ${pattern}`;
}

export function mustHaveLength(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return `The output must have at least ${characters(min ?? 0)}.`;
  const least = min === undefined ? '' : `at least ${min} and `;
  return `The output must have ${least}at most ${characters(max)}.`;
}

export const mustMeetSchema = 'The output must be JSON that meets the schema.';

export function allOf(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `All of: ${listed(parts)}`;
}

export function oneOf(parts: readonly string[]): string {
  return parts.length < 2 ? listed(parts) : `One of: ${listed(parts)}`;
}

export function not(part: string): string {
  return `Not: ${listed([part])}`;
}

/** A rule that counts only while a condition is true. */
export function onlyIf(condition: string, rule: string): string {
  return `If ${condition}: ${rule}`;
}

function listed(parts: readonly string[]): string {
  return parts.map((part) => part.replace(/\.$/, '')).join('; ');
}

function characters(count: number, more = ''): string {
  return `${count} ${more}character${count === 1 ? '' : 's'}`;
}

// Outputs that fail. The specification and the conformance kit fix the words of the first four.

export const reviewCriteria = 'Review validation criteria and adjust output accordingly.';

export const emptyOutput = 'Output is empty or invalid.';

export function includeText(text: string): string {
  return `Include ${JSON.stringify(text)}.`;
}

export function addCharacters(count: number): string {
  return `Add at least ${characters(count, 'more ')}.`;
}

export const writeSomething = 'Write an output that is not blank.';

export function removeText(text: string): string {
  return `Remove ${JSON.stringify(text)}.`;
}

export function writeMatch(pattern: string): string {
  return `Write something that matches the pattern ${pattern}`;
}

export function removeMatch(pattern: string): string {
  return `Remove the text that matches the pattern ${pattern}`;
}

export function removeCharacters(count: number): string {
  return `Remove at least ${characters(count)}.`;
}

export function metButForbidden(rule: string): string {
  return `The output meets a rule that it must not meet: ${rule}`;
}

export function meetNoLonger(rule: string): string {
  return `Change the output so that it no longer meets this rule: ${rule}`;
}

export function tooComplex(rule: string): string {
  return `The output is too complex to check: ${rule}`;
}

export const simplify = 'Make the output shorter or simpler.';

export function outputTooLarge(most: number): string {
  return `The output has more than ${most} bytes, the most that can be validated. Shorten it.`;
}

// Outputs that do not meet a JSON Schema

export const notJson =
  'Write the output as JSON, or as exactly one fenced JSON block with nothing around it.';

export const nothingMeetsSchema = 'The schema accepts no JSON value.';

/** @param pointer the place in the output */
export function wrongValue(pointer: string, expected: string): string {
  return `${pointer === '' ? 'The JSON value' : `The value at ${shorten(pointer)}`} ${expected}.`;
}

/** What a value must be. */
export const expected = {
  noProperty: (name: unknown): string => `must not have the property ${showValue(name)}`,
  property: (name: unknown): string => `must have the property ${showValue(name)}`,
  constant: (value: unknown): string => `must be ${json(value)}`,
  oneOf: (values: readonly unknown[]): string => `must be one of ${values.map(json).join(', ')}`,
  types: (types: readonly string[]): string => `must be of type ${types.join(' or ')}`,
  uniqueItems: 'must not have duplicate items',
  absent: 'must not be there',
  schema: 'must meet the schema',
} as const;

function json(value: unknown): string {
  return shorten(JSON.stringify(value));
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

// Criteria that can't be used

export function criteriaUnusable(
  pointer: string,
  { message, suggestion }: { readonly message: string; readonly suggestion?: string },
): string {
  const place = pointer === '' ? '' : ` at ${pointer}`;
  return `The validation criteria${place} can't be used: ${message}${suggestion === undefined ? '' : ` ${suggestion}`}`;
}

/** @param most the steps that compilation may take */
export function criteriaTooCostly(most: number): string {
  return `The validation criteria take more than ${millions(most)} steps to compile. Use fewer JSON Schemas and patterns, or smaller ones.`;
}

export function definitionTooCostly(mostOfStep: number, mostOfWorkflow: number): Message {
  return {
    message: `These criteria take too many steps to compile: a step may take ${millions(mostOfStep)}, and all checks of a workflow ${millions(mostOfWorkflow)}.`,
    suggestion: 'Use fewer JSON Schemas and patterns, or smaller ones, or split the workflow.',
  };
}

function millions(count: number): string {
  return `${count / 1_000_000} million`;
}

export function notARule(found: unknown): Message {
  return {
    message: `A rule must be an object, a pattern or a list, found ${showValue(found)}.`,
    suggestion: 'Write a rule with a "type", or a pattern.',
  };
}

export function noTypeOrComposition(found: readonly string[]): Message {
  const shown = found.length === 0 ? 'none of them' : found.slice(0, 5).map(showValue).join(', ');
  return {
    message: `A rule needs a "type", or exactly one of "and", "or" and "not"; found ${shown}.`,
    suggestion: 'Add "type", or keep one of the three.',
  };
}

export function noMembers(composition: 'and' | 'or', found: unknown): Message {
  return {
    message: `"${composition}" needs a list with at least one rule, found ${Array.isArray(found) ? 'an empty list' : showValue(found)}.`,
    suggestion: 'Put the rules in a list.',
  };
}

export function criteriaTooDeep(most: number): Message {
  return {
    message: `The criteria are nested deeper than ${most} lists and compositions.`,
    suggestion: 'Join the rules in fewer levels.',
  };
}

export function unknownRuleType(found: unknown, types: readonly string[]): Message {
  return {
    message: `Unknown type of rule ${showValue(found)}.`,
    suggestion: `Use one of ${types.join(', ')}.`,
  };
}

export function unknownField(field: string, type: unknown, near: string | undefined): Message {
  return {
    message: `Unknown field ${showValue(field)} in a ${showValue(type)} rule.`,
    suggestion: removeOrMeant(near),
  };
}

function removeOrMeant(near: string | undefined): string {
  return near === undefined ? 'Remove it.' : `Did you mean "${near}"?`;
}

// Fields of rules

export function notText(field: string, found: unknown): Message {
  return {
    message: `"${field}" must be a string, found ${showValue(found)}.`,
    suggestion: 'Write a string.',
  };
}

export function containsNothing(found: unknown): Message {
  return {
    message: `A contains rule needs a string "value", found ${showValue(found)}.`,
    suggestion: 'Add "value" with the text to look for.',
  };
}

export function noPattern(found: unknown): Message {
  return {
    message: `A regex rule needs a string "pattern", found ${showValue(found)}.`,
    suggestion: 'Add "pattern" with a pattern in RE2 syntax.',
  };
}

export function badFlags(found: unknown): Message {
  return {
    message: `"flags" must be a string, found ${showValue(found)}.`,
    suggestion: 'Write some of the flags i, m, s, u and g.',
  };
}

/** @param problem a message of the package conditions */
export function badPattern(problem: string): Message {
  return {
    message: problem,
    suggestion: 'Write a pattern in RE2 syntax, and no flags but i, m, s, u and g.',
  };
}

export function badBound(field: 'max' | 'min', found: unknown): Message {
  return {
    message: `"${field}" must be a whole number of characters, found ${showValue(found)}.`,
    suggestion: 'Write a whole number, 0 or more.',
  };
}

// JSON Schemas of rules

export function noSchema(found: unknown): Message {
  return {
    message: `A schema rule needs a JSON Schema "schema", found ${showValue(found)}.`,
    suggestion: 'Add "schema" with a JSON Schema.',
  };
}

export function schemaTooLarge(objects: number, values: number, levels: number): Message {
  return {
    message: 'The JSON Schema is too large.',
    suggestion: `Use at most ${objects} objects, ${values} values and ${levels} levels.`,
  };
}

export function unknownDialect(found: unknown): Message {
  return {
    message: `The dialect ${showValue(found)} of JSON Schema is not supported.`,
    suggestion: 'Use draft-07, 2019-09 or 2020-12, or leave "$schema" out.',
  };
}

/** @param problem what is wrong at the pointer, with or without a full stop, in the words of Ajv or of this catalogue */
export function malformedSchema(pointer: string, problem: string): string {
  return `The JSON Schema is malformed: ${`${pointer} ${problem}`.trim().replace(/\.$/, '')}.`;
}

export const notASchema = 'must be a JSON Schema';

export function referenceToValue(reference: string): string {
  return `the reference ${showValue(reference)} leads to a value that is not a schema`;
}

// Criteria that are probably mistakes

export const lengthWithoutBounds: Message = {
  message: 'A length rule without "min" and "max" accepts every output.',
  suggestion: 'Add "min" or "max".',
};

export function unknownKeyword(keyword: string, near: string | undefined): Message {
  return {
    message: `Unknown JSON Schema keyword ${showValue(keyword)}: it has no effect.`,
    suggestion: removeOrMeant(near),
  };
}

// Criteria that no output can meet

export const correctImpossible = 'Correct the criteria. Until then, no output is accepted.';

export function contradictoryLengths(min: number, max: number): string {
  return `No output has at least ${min} and at most ${max} characters.`;
}

/** @param types the types that two schemas allow */
export function contradictoryTypes(...types: readonly [readonly string[], readonly string[]]): string {
  const [first, second] = types.map((some) => some.join(' or '));
  return `No JSON value is of type ${first} and also of type ${second}.`;
}

/** Completes a sentence about a rule that an output meets. */
export const meets = {
  contains: (text: string | undefined): string => `contains ${showValue(text)}`,
  matches: (pattern: string | undefined): string => `matches ${showValue(pattern)}`,
  other: (type: string): string => `meets the ${type} rule`,
} as const;

export function impliesForbidden(required: string, forbidden: string): string {
  return `Every output that ${required} also ${forbidden}, which the criteria forbid.`;
}

export function alwaysForbidden(met: string): string {
  return `Every output ${met}, which the criteria forbid.`;
}

export function nothingMeets(contradiction: string): string {
  return `No JSON value meets this schema: ${contradiction}.`;
}

/** Why no value meets a part of a JSON Schema. */
export const contradictions = {
  isFalse: "it is 'false'",
  enumOfOtherTypes: "no value of 'enum' has a type that 'type' allows",
  constOfOtherType: "the value of 'const' does not have a type that 'type' allows",
  notExcludesAll: "'not' excludes every value",
  bounds: (least: string, min: number, most: string, max: number): string =>
    `'${least}' ${min} is greater than '${most}' ${max}`,
  requiredAndForbidden: (name: string): string => `${showValue(name)} is both required and not allowed`,
} as const;
