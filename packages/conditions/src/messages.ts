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

// Whole conditions

export function notACondition(found: unknown): Message {
  return { message: `A condition must be an object or a string, found ${showValue(found)}.` };
}

export const emptyCondition: Message = {
  message: 'The condition is empty.',
  suggestion: 'Write a condition, such as ready == true.',
};

export function tooLong(length: number, most: number): Message {
  return { message: `The condition has ${length} characters; at most ${most} are supported.` };
}

export const tooDeep: Message = { message: `The condition is nested deeper than ${maxDepth} levels.` };

export const neverRuns: Message = {
  message: 'No values of the variables satisfy this condition, so the step never runs.',
  suggestion: 'Correct the condition, or remove the step.',
};

export const neverTrue: Message = {
  message: 'No values of the variables satisfy this condition.',
  suggestion: 'Correct it, or remove it.',
};

// Parts of conditions

export function unknownOperator(found: unknown, suggestion: string): Message {
  return { message: `Unknown operator ${showValue(found)}.`, suggestion };
}

export function unknownType(found: unknown, types: readonly string[]): Message {
  return {
    message: `Unknown type of condition ${showValue(found)}.`,
    suggestion: useOneOf(undefined, types),
  };
}

export function unknownField(found: string, near: string | undefined, fields: readonly string[]): Message {
  const suggestion = near === undefined ? `Use ${fields.join(', ')}.` : useOneOf(near, fields);
  return { message: `Unknown field ${showValue(found)} in a condition.`, suggestion };
}

export function notAList(found: unknown): Message {
  return {
    message: `"and" and "or" need a list of conditions, found ${showValue(found)}.`,
    suggestion: 'Put the conditions in a list.',
  };
}

export function notAName(found: unknown): Message {
  return {
    message: `The name of a variable must be a string, found ${showValue(found)}.`,
    suggestion: 'Write the name of a variable.',
  };
}

export function noVariable(operator: string): Message {
  return {
    message: `"${operator}" has no variable to compare.`,
    suggestion: 'Add "var" with the name of a variable.',
  };
}

export function orderNeedsNumber(found: unknown): Message {
  return {
    message: `A comparison with <, <=, > or >= needs a number, found ${showValue(found)}.`,
    suggestion: 'Write a number.',
  };
}

/** The operator can't use its value; `needed` is the kind of value it needs. */
export function wrongOperand(operator: string, needed: string, found: unknown, suggestion?: string): Message {
  return {
    message: `"${operator}" needs ${needed}, found ${showValue(found)}.`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

export function badPattern(message: string): Message {
  return { message, suggestion: 'Write a pattern in RE2 syntax.' };
}

// `when` strings

/** What the parser expected, and a suggestion for the most common mistake. */
export const expected = {
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
} as const satisfies Record<string, Message>;

export function quotedValue(word: string): Message {
  return { message: expected.value.message, suggestion: `Put quotes around it: "${word}".` };
}

export function foundInstead({ message, suggestion }: Message, found: string | undefined): Message {
  return {
    message: `${message}, found ${found === undefined ? 'the end' : showValue(found)}.`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

export function writeInstead(spelling: string): string {
  return `Write ${spelling} instead.`;
}

export const noClosingQuote = 'The string has no closing quote';

export function unexpected(char: string): string {
  return `Unexpected ${JSON.stringify(char)}`;
}

// Patterns

export function unknownFlag(flag: string): string {
  return `Unknown flag "${flag}": the flags are i, m, s, u and g.`;
}

export function longPattern(length: number, most: number): string {
  return `The pattern has ${length} characters; at most ${most} are supported.`;
}

export const repetitivePattern = 'The pattern repeats too much; use smaller counts.';

export const largePattern = 'The pattern is too large; use smaller counts.';

export function lookAround(opening: string): string {
  return `Look-around ${opening}…) is not supported: patterns run in linear time.`;
}

export function backReference(fragment: string): string {
  return `The back reference ${fragment} is not supported: patterns run in linear time.`;
}

export function invalidPattern(reason: string, fragment: string): string {
  return `Bad pattern: ${reason}${fragment === '' ? '' : ` at "${fragment}"`}.`;
}
