import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';

/** Whether some text has this name in it as a word. */
export function isNamedIn(texts: readonly string[], name: string): boolean {
  return texts.some((text) => text.includes(name) && isWordOf(text, name));
}

/** Whether some text names it otherwise than to show it: it may ask to set it. */
export function isAskedForIn(texts: readonly string[], name: string): boolean {
  return texts.some((text) => text.includes(name) && isWordOf(text.replaceAll(markers, ' '), name));
}

const markers = /\{\{?\s*[\w.-]+\s*\}?\}/g;

function isWordOf(text: string, name: string): boolean {
  return new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text);
}

/** Whether a name is one that can be looked for. */
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
