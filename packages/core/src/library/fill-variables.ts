import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';

/** Characters that values may add to one text in all, so that a long value named often can't swell an answer. */
const maxInsertedChars = 65_536;

// `{{name}}` belongs to step workflows and stays.
const marker = /(?<!\{)\{([\w.-]+)\}(?!\})/g;

/** A piece of a text: as its author wrote it, or the value of a variable. */
export type TextPart = string | { readonly variable: string; readonly text: string };

/**
 * Replaces `{name}` by the variable of that name, for paths and digests: text as it is, anything else as JSON. Unset
 * variables stay as they are written, and inserted text is never expanded again.
 */
export function fillVariables(text: string, variables: Context): string {
  const fill = filler(variables, (value) => JSON.stringify(value));
  return text.replace(marker, (written, name: string) => fill(name) ?? written);
}

/**
 * {@link fillVariables} for readers: lists and objects as text.
 *
 * @see docs/authoring.md#activity-workflows
 */
export function fillText(text: string, variables: Context): string {
  const fill = filler(variables, readable);
  return text.replace(marker, (written, name: string) => fill(name) ?? written);
}

/** The text of a question: {@link fillText}, but a variable that is not set is named as such. */
export function fillQuestion(text: string, variables: Context): string {
  return fillParts(text, variables)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');
}

/** {@link fillQuestion}, with each inserted value as a part of its own. */
export function fillParts(text: string, variables: Context): readonly TextPart[] {
  const fill = filler(variables, readable);
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: written, 1: variable = '', index } of text.matchAll(marker)) {
    const inserted = fill(variable);
    const value = inserted === undefined ? `[unset: ${variable}]` : { variable, text: inserted };
    parts.push(text.slice(from, index), value);
    from = index + written.length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

/** Gives the text of one variable after the other, until they are too long together. */
function filler(variables: Context, write: (value: unknown) => string): (name: string) => string | undefined {
  let left = maxInsertedChars;
  return (name) => {
    const value = lookUp(variables, name);
    if (value === undefined || value === null) return undefined;
    const inserted = typeof value === 'string' ? value : write(value);
    if (inserted.length > left) return `[too long: ${name}]`;
    left -= inserted.length;
    return inserted;
  };
}

/**
 * Writes a value for a reader: `a, b`, `(1) A sentence. (2) Another one.` or `file: x.ts, line: 3`. A text that could be
 * taken for another value, such as an item with a comma, makes it use the longer form, and at last JSON.
 */
function readable(value: unknown): string {
  if (Array.isArray(value)) return readableList(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  const isSimple = entries.every(([key, one]) => isPlain(key) && isPlain(one));
  return entries.length > 0 && isSimple
    ? entries.map(([key, one]) => `${key}: ${String(one)}`).join(', ')
    : JSON.stringify(value);
}

function readableList(list: readonly unknown[]): string {
  if (list.length === 0) return 'none';
  if (list.every((item) => isPlain(item))) return list.map(String).join(', ');
  const items = list.map((item) => (typeof item === 'string' ? item : readable(item)));
  return items.some((item) => /\(\d+\)|[\r\n]/.test(item))
    ? JSON.stringify(list)
    : items.map((item, at) => `(${at + 1}) ${item}`).join(' ');
}

/** Returns whether a value can stand between commas. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string')
    return value.trim() !== '' && value.length <= 60 && !/[,;:()\r\n]/.test(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** The names of the variables that {@link fillVariables} looks for in a text. */
export function namesInText(text: string): readonly string[] {
  return Array.from(text.matchAll(marker), ([, name = '']) => name);
}

/** A file that an activity creates, and its path. */
export interface ArtifactPath {
  readonly id: string;
  /** Location, then the number of the activity's file before the name, with the variables in them. */
  readonly path: string;
}

/** Returns the artifacts of an activity of this workflow. An undeclared location is left out of the path. */
export function artifactPaths(
  { definition: { artifactLocations = {} } }: ActivityWorkflow,
  { definition: { artifacts = [] }, index }: ActivityPart,
  variables: Context,
): readonly ArtifactPath[] {
  const folderOf = (location: string | undefined): string => {
    if (location === undefined || !Object.hasOwn(artifactLocations, location)) return '';
    const declared = artifactLocations[location] ?? '';
    return `${typeof declared === 'string' ? declared : declared.path}/`;
  };
  return artifacts.map(({ id, name, location }) => ({
    id,
    path: fillVariables(`${folderOf(location)}${index}-${name}`, variables),
  }));
}
