import { shorten } from './describe-place.ts';

const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  object: 'an object',
  string: 'text',
};

/** JSON types in words. */
export function typeNames(types: readonly string[]): string {
  return list(
    types.map((type) => typeWords[type] ?? type),
    'or',
  );
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(shorten(value))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Quoted words in a row: `'a', 'b' or 'c'`. */
export function quotedList(words: readonly string[], joint: 'and' | 'or'): string {
  return list(
    words.map((word) => `'${word}'`),
    joint,
  );
}

function list(words: readonly string[], joint: 'and' | 'or'): string {
  const last = words.at(-1) ?? 'none';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${joint} ${last}`;
}
