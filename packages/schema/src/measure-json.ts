import { maxDepth } from './limits.ts';

/** What a scan of JSON counted, without parsing it. */
export interface JsonMeasure {
  /** `name: value` pairs; more than the parsed value has when a key is there twice. */
  readonly members: number;
  /** Values, give or take the outermost. */
  readonly values: number;
  /** Where nesting passes {@link maxDepth}; the scan ends there. */
  readonly tooDeepAt?: number;
}

/** Counts what is in a JSON text. Exact for valid JSON; for anything else merely harmless. */
export function measureJson(text: string): JsonMeasure {
  let members = 0;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === ':') members += 1;
    else if (char === ',') values += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (char === '{' || char === '[') {
      values += 1;
      depth += 1;
      if (depth > maxDepth) return { members, values, tooDeepAt: at };
    }
  }
  return { members, values };
}

/** Offset of the quote that closes a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** How many members the objects in a value have, all together. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const child of Object.values(value)) count += countMembers(child);
  return count;
}
