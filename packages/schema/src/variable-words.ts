import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';

/** Words of texts, of which names of variables may be some. */
export interface Words {
  readonly all: ReadonlySet<string>;
  /** Without those that texts show of variables: what is left may ask to set them. */
  readonly beyondMarkers: ReadonlySet<string>;
}

/** Takes texts apart into words; those with hyphens count also in their parts. */
export function wordsOf(texts: Iterable<string>): Words {
  const [all, beyondMarkers] = [new Set<string>(), new Set<string>()];
  for (const text of texts) {
    addWords(text, all);
    addWords(text.includes('{') ? text.replaceAll(markers, ' ') : text, beyondMarkers);
  }
  return { all, beyondMarkers };
}

const markers = /\{\{?\s*[\w.-]+\s*\}?\}/g;

function addWords(text: string, words: Set<string>): void {
  for (const [word] of text.matchAll(/[\w-]+/g)) {
    words.add(word);
    if (word.includes('-')) for (const part of word.split('-')) words.add(part);
  }
}

/** Whether a name is one that {@link wordsOf} would find. */
export function isWord(name: string): boolean {
  return /^[\w-]+$/.test(name);
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
