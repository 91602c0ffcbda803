import { didYouMeanThis } from '../messages/workflow.ts';
import { distance } from 'fastest-levenshtein';
import { fromPointer, isJsonObject } from '../json.ts';
import { maxIssues } from '../limits.ts';

/** The noun for the items of a list, by the key of the list. */
const nouns: Readonly<Record<string, string>> = {
  steps: 'step',
  body: 'step',
  activities: 'activity',
  artifacts: 'artifact',
  branches: 'branch',
  checkpoints: 'checkpoint',
  decisions: 'decision',
  loops: 'loop',
  modes: 'mode',
  options: 'option',
};
const listKeys = Object.keys(nouns).join('|');
const listPath = new RegExp(`^(?:(?:${listKeys})\\[\\d+\\]\\.)*(${listKeys})$`);

/**
 * Describes a place in a document: `'prompt' of step 'plan'`, `loop 'again'`, `'tags[1]'`, or empty for the whole
 * document. A step without an id is described by its path.
 */
export function describePlace(document: unknown, pointer: string): string {
  let owner = '';
  let path = '';
  let value = document;
  for (const part of fromPointer(pointer)) {
    const list = Array.isArray(value) ? listPath.exec(path)?.[1] : undefined;
    path += Array.isArray(value) ? `[${part}]` : `${path === '' ? '' : '.'}${shorten(part)}`;
    value = childOf(value, part);
    if (list !== undefined && isJsonObject(value) && typeof value['id'] === 'string') {
      owner = nameItem(list, { ...value, id: value['id'] }, owner);
      path = '';
    }
  }
  if (path === '') return owner;
  return owner === '' ? `'${path}'` : `'${path}' of ${owner}`;
}

/** Describes an item. Option and branch ids are only unique within their owner, so the owner is included. */
function nameItem(
  list: string,
  item: { readonly id: string; readonly type?: unknown },
  owner: string,
): string {
  const noun = item.type === 'loop' ? 'loop' : (nouns[list] ?? '');
  const name = `${noun} '${shorten(item.id)}'`;
  return (list === 'options' || list === 'branches') && owner !== '' ? `${name} of ${owner}` : name;
}

/** Returns a place as the end of a sentence, or nothing for the whole document. */
export function inPlace(place: string): string {
  return place === '' ? '' : ` in ${place}`;
}

export function shorten(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

function childOf(value: unknown, part: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[part];
}

const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  object: 'an object',
  string: 'text',
};

export function describeTypes(types: readonly string[]): string {
  return joinWords(
    types.map((type) => typeWords[type] ?? type),
    'or',
  );
}

export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(shorten(value))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Joins quoted words: `'a', 'b' or 'c'`. */
export function quotedList(words: readonly string[], joint: 'and' | 'or'): string {
  return joinWords(
    words.map((word) => `'${word}'`),
    joint,
  );
}

function joinWords(words: readonly string[], joint: 'and' | 'or'): string {
  const last = words.at(-1) ?? 'none';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${joint} ${last}`;
}

/**
 * Tells whether a word is probably a misspelling: other case or dashes, one letter (two in a long word), or swapped
 * letters.
 */
export function isMisspellingOf(word: string, meant: string): boolean {
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
  if (bare(word) === bare(meant)) return true;
  const letters = (text: string): string => [...text].toSorted().join('');
  const most = meant.length >= 8 || letters(word) === letters(meant) ? 2 : 1;
  return meant.length >= 4 && distance(word, meant) <= most;
}

/**
 * Returns the candidate that the author most likely meant by `word`, or `undefined` if none is close enough. Case is
 * ignored. Two letters in five may differ, at least one and at most three. If several are equally close, the first
 * wins.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let fewest = Math.min(3, Math.max(1, Math.floor(wanted.length * 0.4))) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/**
 * Returns a function that suggests a candidate for an unknown word. It compares only as many words as a list of issues
 * has room for, because each is compared with every candidate.
 */
export function createSuggester(
  candidates: ReadonlySet<string>,
): (word: string, otherwise: string) => string {
  let left = maxIssues;
  return (word, otherwise) => {
    left -= 1;
    const meant = left < 0 ? undefined : didYouMean(word, candidates);
    return meant === undefined ? otherwise : didYouMeanThis(meant);
  };
}
