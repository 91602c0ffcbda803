import { maxDepth } from '@workflowlookup/schema';

// Every message about conditions. A message states the problem with the value found; the suggestion says what to do next.

export interface Message {
  readonly message: string;
  readonly suggestion?: string;
}

/** Returns a value as messages about conditions and criteria show it. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Suggests the word that was probably meant, or else all of them. */
export function useOneOf(near: string | undefined, words: readonly string[]): string {
  return near === undefined ? `Use one of ${words.join(', ')}.` : `Did you mean "${near}"?`;
}

/** The message for an operator that can't use its value. */
const needs =
  (needed: string, suggestion?: string) =>
  (operator: string, found: unknown): Message => ({
    message: `"${operator}" needs ${needed}, found ${showValue(found)}.`,
    ...(suggestion !== undefined && { suggestion }),
  });

export const messages = {
  // Whole conditions

  notACondition: (found: unknown): Message => ({
    message: `A condition must be an object or a string, found ${showValue(found)}.`,
  }),
  emptyCondition: {
    message: 'The condition is empty.',
    suggestion: 'Write a condition, such as ready == true.',
  },
  tooLong: (length: number, most: number): Message => ({
    message: `The condition has ${length} characters; at most ${most} are supported.`,
  }),
  tooDeep: { message: `The condition is nested deeper than ${maxDepth} levels.` },
  neverRuns: {
    message: 'No values of the variables satisfy this condition, so the step never runs.',
    suggestion: 'Correct the condition, or remove the step.',
  },
  neverTrue: {
    message: 'No values of the variables satisfy this condition.',
    suggestion: 'Correct it, or remove it.',
  },

  // Parts of conditions

  unknownOperator: (found: unknown, suggestion: string): Message => ({
    message: `Unknown operator ${showValue(found)}.`,
    suggestion,
  }),
  useOneSign: (signs: readonly unknown[]) => `Use one of ${signs.join(' ')}`,
  atColumn: (column: number, message: string) => `Column ${column}: ${message}`,
  unknownType: (found: unknown, types: readonly string[]): Message => ({
    message: `Unknown type of condition ${showValue(found)}.`,
    suggestion: useOneOf(undefined, types),
  }),
  unknownField: (found: string, near: string | undefined, fields: readonly string[]): Message => {
    const suggestion = near === undefined ? `Use ${fields.join(', ')}.` : useOneOf(near, fields);
    return { message: `Unknown field ${showValue(found)} in a condition.`, suggestion };
  },
  notAList: (found: unknown): Message => ({
    message: `"and" and "or" need a list of conditions, found ${showValue(found)}.`,
    suggestion: 'Put the conditions in a list.',
  }),
  notAName: (found: unknown): Message => ({
    message: `The name of a variable must be a string, found ${showValue(found)}.`,
    suggestion: 'Write the name of a variable.',
  }),
  noVariable: (operator: string): Message => ({
    message: `"${operator}" has no variable to compare.`,
    suggestion: 'Add "var" with the name of a variable.',
  }),
  orderNeedsNumber: (found: unknown): Message => ({
    message: `A comparison with <, <=, > or >= needs a number, found ${showValue(found)}.`,
    suggestion: 'Write a number.',
  }),
  needsJson: needs('a JSON value'),
  needsString: needs('a string', 'Write a string.'),
  needsPattern: needs('a pattern as a string', 'Write a string.'),
  needsList: needs('a list', 'Write a list of values.'),
  needsJsonItems: needs('JSON values'),
  needsBoolean: needs('true or false', 'Write true or false.'),
  badPattern: (message: string): Message => ({ message, suggestion: 'Write a pattern in RE2 syntax.' }),

  // `when` strings

  /** What the parser expected, and a suggestion for the most common mistake. */
  expected: {
    moreOrEnd: { message: 'Expected "and", "or" or the end' },
    closingParenthesis: { message: 'Expected ")"' },
    name: { message: 'Expected the name of a variable' },
    nameFirst: { message: 'A comparison must start with the name of a variable' },
    parentheses: {
      message: '"!" applies only to the word next to it',
      suggestion: 'Put the comparison in parentheses: !(a == 1).',
    },
    list: { message: 'Expected a list', suggestion: 'Write a list: name in ["a", "b"].' },
    commaOrBracket: { message: 'Expected "," or "]"' },
    value: { message: 'Expected a value' },
  },
  quotedValue: (word: string): Message => ({
    message: messages.expected.value.message,
    suggestion: `Put quotes around it: "${word}".`,
  }),
  foundInstead: ({ message, suggestion }: Message, found: string | undefined): Message => ({
    message: `${message}, found ${found === undefined ? 'the end' : showValue(found)}.`,
    ...(suggestion !== undefined && { suggestion }),
  }),
  writeInstead: (spelling: string) => `Write ${spelling} instead.`,
  noClosingQuote: 'The string has no closing quote',
  unexpected: (char: string) => `Unexpected ${JSON.stringify(char)}`,

  // Patterns

  unknownFlag: (flag: string) => `Unknown flag "${flag}": the flags are i, m, s, u and g.`,
  longPattern: (length: number, most: number) =>
    `The pattern has ${length} characters; at most ${most} are supported.`,
  repetitivePattern: 'The pattern repeats too much; use smaller counts.',
  largePattern: 'The pattern is too large; use smaller counts.',
  lookAround: (opening: string) => `Look-around ${opening}…) is not supported: patterns run in linear time.`,
  backReference: (fragment: string) =>
    `The back reference ${fragment} is not supported: patterns run in linear time.`,
  invalidPattern: (reason: string, fragment: string) =>
    `Bad pattern: ${reason}${fragment === '' ? '' : ` at "${fragment}"`}.`,
} as const;
