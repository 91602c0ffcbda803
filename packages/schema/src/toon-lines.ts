import { maxDefinitionValues, maxDepth } from './limits.ts';
import { tooDeep, tooManyValues } from './parsed-text.ts';
import type { Refusal } from './parsed-text.ts';

/** A line of a text, without its end. */
export interface Line {
  /** Where it starts in the text, in UTF-16 units. */
  readonly offset: number;
  readonly content: string;
}

/** The lines of a text that say something. Blank ones mean nothing in TOON, and the decoder is quadratic in them. */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let offset = 0;
  for (const { 0: end, index } of [...text.matchAll(/\r\n|\n|\r/g), { 0: '', index: text.length }]) {
    const content = text.slice(offset, index);
    if (content.trim() !== '') lines.push({ offset, content });
    offset = index + end.length;
  }
  return lines;
}

/** Why the lines are refused before the decoder sees them. */
export function beyondLimits(lines: readonly Line[]): Refusal | undefined {
  if (lines.length > maxDefinitionValues) return tooManyValues('values');
  const deep = lines.find(({ content }) => content.includes(']{') && depthOfBraces(content) > maxDepth);
  return deep && tooDeep(deep.offset);
}

/** How deep the fields of a header nest; the decoder is recursive, and quadratic, in it. */
function depthOfBraces(content: string): number {
  let depth = 0;
  let most = 0;
  for (const char of content) {
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

/** Where the content of a line starts: behind the indentation and the dashes of list items. */
export function startOf({ content }: Line): number {
  return /^ *(?:- +)*/.exec(content)?.[0].length ?? 0;
}

/** Where the value of a key, or the first item of an inline list, starts; where the line's content does if not in the line. */
export function valueStartOf(line: Line, key: string | undefined): number {
  const start = startOf(line);
  const rest = line.content.slice(start);
  if (key === undefined) return start + (/^[^:"]*\[\d+[|\t]?\]: */.exec(rest)?.[0].length ?? 0);
  const name = /^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0] ?? (rest.startsWith(key) ? key : undefined);
  const colon = name === undefined ? null : /^ *: */.exec(rest.slice(name.length));
  return colon === null ? start : start + (name ?? '').length + colon[0].length;
}
