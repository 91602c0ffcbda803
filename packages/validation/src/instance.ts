import type { Meter } from '@workflowlookup/schema';
import { outOf, spend } from '@workflowlookup/schema';
import type { Instance } from './check.ts';

/** Levels of nesting the JSON of an output may have. */
const maxDepth = 500;

// Parsing a list of empty lists takes that many steps for each character more than was always counted.
const parsingSteps = 5;

/**
 * The JSON an output is, whole or as exactly one fenced block with nothing but blanks around it. Throws
 * {@link Exhausted} for JSON nested too deeply to be checked.
 */
export function readInstance(output: string, meter: Meter): Instance {
  spend(meter, output.length * (meter.isShort === true ? parsingSteps : 1));
  const text = output.trim();
  if (isTooDeep(text)) throw outOf(meter, 'Nested too deeply.');
  return parse(text) ?? parse(fenced(text));
}

function parse(text: string | undefined): Instance {
  if (text === undefined) return undefined;
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// A second fence would stand inside the text, where it can't be JSON.
function fenced(text: string): string | undefined {
  const [opening = ''] = /^```(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === '' || !text.endsWith('\n```')) return undefined;
  return text.slice(opening.length, -4);
}

// Brackets are counted before parsing: millions of levels would take seconds, and the whole stack to walk.
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= maxDepth; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
  }
  return depth > maxDepth;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
