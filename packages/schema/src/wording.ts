import { shorten } from './describe-place.ts';

const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  object: 'an object',
  string: 'text',
};

/** JSON types in words, joined by "or". */
export function typeNames(types: readonly string[]): string {
  return types.map((type) => typeWords[type] ?? type).join(' or ');
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(shorten(value))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Quoted words in a row: `'a', 'b' or 'c'`. */
export function list(words: readonly string[], joint: 'and' | 'or'): string {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.pop() ?? 'none';
  return quoted.length === 0 ? last : `${quoted.join(', ')} ${joint} ${last}`;
}
