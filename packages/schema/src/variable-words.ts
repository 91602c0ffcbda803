import { isJsonObject } from './json.ts';

/** Whether some text has this name in it as a word. */
export function isNamedIn(texts: readonly string[], name: string): boolean {
  const isIn = wordSearch(name);
  return texts.some((text) => isIn(text));
}

/** Whether some text names it otherwise than to show it: it may ask to set it. */
export function isAskedForIn(texts: readonly string[], name: string): boolean {
  const isIn = wordSearch(name);
  return texts.some((text) => isIn(text) && isIn(text.replaceAll(markers, ' ')));
}

const markers = /\{\{?\s*[\w.-]+\s*\}?\}/g;

/** Looks for a name: most texts do not have it at all, and are not searched for the word. */
function wordSearch(name: string): (text: string) => boolean {
  let word: RegExp | undefined;
  return (text) => text.includes(name) && (word ??= new RegExp(`(?<!\\w)${name}(?!\\w)`)).test(text);
}

/** Whether a name is one that can be looked for. */
export function isWord(name: string): boolean {
  return /^[\w-]+$/.test(name);
}

/** Every text in a value, at any depth, but for those under some keys. */
export function textsIn(value: unknown, leftOut: ReadonlySet<string>): string[] {
  const found: string[] = [];
  // A generator for each level would cost more than all that is done with the texts.
  const gather = (part: unknown): void => {
    if (typeof part === 'string') found.push(part);
    else if (Array.isArray(part)) part.forEach(gather);
    else if (isJsonObject(part)) for (const key in part) if (!leftOut.has(key)) gather(part[key]);
  };
  gather(value);
  return found;
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
