import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';

/** Words of texts, of which names of variables may be some; those with hyphens also in their parts. */
export function wordsIn(texts: Iterable<string>): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) {
    for (const word of text.split(/[^\w-]+/)) {
      words.add(word);
      if (word.includes('-')) for (const part of word.split('-')) words.add(part);
    }
  }
  return words;
}

/** Whether a name is one that {@link wordsIn} would find. */
export function isWord(name: string): boolean {
  return /^[\w-]+$/.test(name);
}

/** A text without what it shows of variables: what is left may ask to set them. */
export function withoutMarkers(text: string): string {
  return text.replaceAll(/\{\{?\s*[\w.-]+\s*\}?\}/g, ' ');
}

/** Every text in a value, at any depth, but for those under some keys. */
export function* textsIn(value: unknown, leftOut: ReadonlySet<string>): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value as readonly Json[]) yield* textsIn(item, leftOut);
  else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) if (!leftOut.has(key)) yield* textsIn(item, leftOut);
  }
}

/** Keys under which a variable that is named is looked at, and not set: conditions, lists and counts of loops. */
export const lookingKeys: readonly string[] = [
  'breakCondition',
  'condition',
  'count',
  'items',
  'over',
  'passContext',
  'requireConfirmation',
  'runCondition',
  'when',
];
