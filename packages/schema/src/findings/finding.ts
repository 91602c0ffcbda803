import { distance } from 'fastest-levenshtein';
import { fromPointer, isJsonObject } from '../json.ts';
import { maxIssues } from '../limits.ts';

/** The severity of a finding: an `error` prevents a definition from being served (or its step from being validated). */
export type Severity = 'error' | 'warning';

/** A problem at one place in a definition, before its position in the text is known. */
export interface Finding {
  readonly severity: Severity;
  /** The kind of problem; callers branch on it. */
  readonly code: FindingCode;
  /** JSON pointer (RFC 6901) into the document; `''` is the whole document. */
  readonly pointer: string;
  /** States the value found and the value expected. */
  readonly message: string;
  /** An instruction that fixes the problem. */
  readonly suggestion?: string;
  /** An automatic fix, if one is certain. */
  readonly repair?: Repair;
  /**
   * Set if the definition is served despite this error, such as criteria of the right shape that can't be used
   * (docs/authoring.md#criteria).
   */
  readonly served?: true;
}

/** Tells whether a finding prevents a definition, or the part that has it, from being served. */
export function isFatal({ severity, served }: Pick<Finding, 'severity' | 'served'>): boolean {
  return severity === 'error' && served !== true;
}

/** A finding with its position in the text. */
export interface Issue extends Omit<Finding, 'repair'> {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1, in UTF-16 units. */
  readonly column: number;
  /** Edits to the text that fix the problem, if they are safe. */
  readonly edits?: readonly TextEdit[];
}

/** The code and the meaning of every kind of finding. Tools filter by these codes, so they never change. */
export const findingCodes = {
  'unreadable-file': "A file or folder that can't be read.",
  'leaves-source': 'A symbolic link that leaves its source; it is not followed.',
  'beyond-limits': 'A definition that is too large: too many bytes, levels or values.',
  'syntax-error': 'Text that is not valid JSON, YAML or TOON, as its file name says.',
  'duplicate-key': 'A key that occurs twice in an object.',
  'unsupported-syntax': 'A part of the syntax that definitions do not use, such as merge keys and tags.',
  'misread-text': 'Text that is read differently from how it looks.',
  'missing-property': 'A required property that is missing.',
  'unknown-property': 'A property that does not exist.',
  'older-property': 'A property from an older form of step workflows.',
  'wrong-value': 'A value that is not allowed for its property.',
  'repeated-item': 'A list with the same item twice.',
  'not-a-definition': 'A file that is not a definition.',
  'duplicate-id': 'An id that is used twice.',
  'unknown-step': "A loop body that names a step it can't run.",
  'unknown-activity': 'A reference to an activity that does not exist.',
  'unknown-checkpoint': 'A reference to a checkpoint that does not exist.',
  'unknown-option': 'A default option that is not one of the options.',
  'unfit-default': 'A default option that a timer should not choose.',
  'unknown-field': 'A reference to a field that the step does not have.',
  'unknown-reference': 'A reference to a skill, operation or resource that does not exist.',
  'unknown-variable': 'A variable that is used but not declared.',
  'unused-variable': 'A variable that is declared but not used.',
  'unset-variable': 'A variable that appears in a text but is never set.',
  'unknown-setter': 'A name in set_by that is not a step, activity or checkpoint that can set variables.',
  'open-decision': 'A condition that decides whether a person is asked, and that agents can influence.',
  'shadowed-name': 'A name that hides another.',
  'no-effect': 'A setting that does not do what it seems to do.',
  'broken-condition': "A condition that can't be used.",
  'never-holds': 'A condition that is never true.',
  'always-holds': 'A condition that is always true.',
  'broken-criteria': "Validation criteria that can't be used.",
  'impossible-criteria': 'Validation criteria that no output can meet.',
  'doubtful-criteria': 'Validation criteria that are probably a mistake.',
  unreachable: 'A step or an activity that no session can reach.',
  'missing-transition': 'An activity without an open transition, so that the session ends there.',
  stuck: "A state from which a session can't continue.",
  endless: 'A cycle that no session can leave.',
  'endless-loop': 'A loop that ends only at its maximum number of iterations.',
  'impassable-checkpoint': 'A checkpoint that nobody can pass.',
  'no-activity': 'An activity workflow without activities.',
  'file-name': 'A file or folder with a name that is not allowed in its place.',
  'missing-version': 'A workflow without a version.',
  'long-prompt': 'A prompt that is too long to follow easily.',
  'hidden-character': 'An invisible character.',
  'unknown-workflow': 'Tests for a workflow that does not exist.',
  'low-coverage': 'Tests that cover less of a workflow than required.',
  unlisted: 'A placeholder for findings that are not listed.',
} as const;

/** The code of a finding. Your own checks use codes that start with `x-`. */
export type FindingCode = keyof typeof findingCodes | `x-${string}`;

/** A fix that doesn't change the meaning of the definition. */
export type Repair =
  /** Replaces the key or value with another word and keeps its quotes. */
  | { readonly kind: 'respell'; readonly to: string }
  /** Replaces these characters everywhere in the value. */
  | { readonly kind: 'swap'; readonly from: string; readonly to: string }
  /** Rewrites the value as text, as a number or boolean, or as a list with one item. */
  | { readonly kind: 'retype'; readonly as: 'list' | 'literal' | 'text' }
  /** Adds a property after the one at this pointer. */
  | { readonly kind: 'append'; readonly behind: string; readonly key: string; readonly value: string }
  /** Removes one character. */
  | { readonly kind: 'cut' };

/** An edit of a text, in UTF-16 units. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Applies edits to a text. If two overlap, the later one is skipped. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.offset - b.offset)) {
    if (edit.offset < at) continue;
    result += text.slice(at, edit.offset) + edit.text;
    at = edit.offset + edit.length;
  }
  return result + text.slice(at);
}

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
export function createSuggester(): (word: string, candidates: Iterable<string>) => string | undefined {
  let left = maxIssues;
  return (word, candidates) => {
    left -= 1;
    return left < 0 ? undefined : didYouMean(word, candidates);
  };
}

/** An item of a list and the JSON pointer at which it is. */
export interface Placed<Item> {
  readonly id: string;
  readonly item: Item;
  readonly pointer: string;
}

export function placed<Item extends { readonly id: string }>(
  items: readonly Item[] = [],
  list: string,
): readonly Placed<Item>[] {
  return items.map((item, at) => ({ id: item.id, item, pointer: `${list}/${at}` }));
}

/** Returns every item whose id an earlier item has, with the first item of that id. */
export function* repeats<Item extends { readonly id: string }>(
  items: Iterable<Item>,
): Generator<{ readonly repeated: Item; readonly first: Item }> {
  const firsts = new Map<string, Item>();
  for (const item of items) {
    const first = firsts.get(item.id);
    if (first === undefined) firsts.set(item.id, item);
    else yield { repeated: item, first };
  }
}
