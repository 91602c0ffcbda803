import { didYouMean } from '@workflowlookup/schema';
import type { JsonObject } from '@workflowlookup/schema';
import type { Condition, Variable } from './condition.ts';
import { join, negate } from './join.ts';
import { variable } from './look-up.ts';
import { operators } from './operators.ts';
import { fail, within } from './place.ts';
import { showValue } from './show-value.ts';
import type { Place } from './place.ts';

/** Parses a member condition, in whatever dialect it is. */
export type ParseMember = (source: unknown, place: Place) => Condition;

const words = ['var', 'and', 'or', 'not', ...operators.keys()];

/** Reads the lookup dialect: `{var, <operators>}`, `and`, `or`, `not`; all that is in one object must hold. */
export function parseLookup(source: JsonObject, place: Place, parseMember: ParseMember): Condition {
  const keys = Object.keys(source).filter((key) => !key.startsWith('x-'));
  const subject = keys.includes('var') ? nameOf(source['var'], within(place, 'var')) : undefined;
  const parts = keys
    .filter((key) => key !== 'var')
    .map((key) => parseKey({ key, value: source[key], subject, place }, parseMember));
  if (subject !== undefined && !keys.some((key) => operators.has(key))) {
    parts.unshift({ kind: 'truthy', variable: subject });
  }
  return parts.length === 0 ? { kind: 'constant', value: true } : join('and', parts);
}

/** The list of members of `and` or `or`. */
export function parseMembers(value: unknown, place: Place, parseMember: ParseMember): readonly Condition[] {
  if (Array.isArray(value)) return value.map((member, at) => parseMember(member, within(place, at)));
  return [
    fail(
      place,
      `Conditions are joined in a list, found ${showValue(value)}.`,
      'Put the conditions in a list.',
    ),
  ];
}

/** The variable a condition names. */
export function nameOf(value: unknown, place: Place): Variable {
  if (typeof value === 'string' && value !== '') return variable(value);
  fail(
    place,
    `The name of a variable is a string, found ${showValue(value)}.`,
    'Write the name of a variable.',
  );
  return variable('');
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly subject: Variable | undefined;
  readonly place: Place;
}

function parseKey({ key, value, subject, place }: Entry, parseMember: ParseMember): Condition {
  const here = within(place, key);
  if (key === 'not') return negate(parseMember(value, here));
  if (key === 'and' || key === 'or') return join(key, parseMembers(value, here, parseMember));
  const operator = operators.get(key);
  if (operator === undefined) return unknownOperator(key, here);
  if (subject !== undefined) return operator(subject, value, here);
  return fail(here, `"${key}" has no variable to compare.`, 'Add "var" with the name of a variable.');
}

function unknownOperator(key: string, place: Place): Condition {
  const near = didYouMean(key, words);
  const suggestion = near === undefined ? `Use one of ${words.join(', ')}.` : `Did you mean "${near}"?`;
  return fail(place, `Unknown operator ${showValue(key)}.`, suggestion);
}
