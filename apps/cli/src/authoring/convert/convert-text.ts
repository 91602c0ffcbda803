import type { Json } from '@workflowlookup/schema';
import { digestOf, isJsonObject, readValue, toPointer, WorkflowError } from '@workflowlookup/schema';
import type { Notation } from '../notation.ts';
import { commentLines, write } from '../notation.ts';

/** A text to be written in another notation. */
export interface Conversion {
  /** What it is called in an error. */
  readonly name: string;
  readonly text: string;
  readonly from: Notation;
  readonly to: Notation;
  readonly dropComments: boolean;
}

/** A text in its new notation. */
export interface Converted {
  readonly text: string;
  /** How many comments were dropped. */
  readonly dropped: number;
  /** SHA-256 of what both texts say. */
  readonly digest: string;
}

/**
 * Writes a text in another notation, reads the result back, and compares.
 *
 * @throws WorkflowError INVALID_WORKFLOW where the text can't be read, VALIDATION where something would be lost
 */
export async function convertText(conversion: Conversion): Promise<Converted> {
  const { name, text, from, to, dropComments } = conversion;
  const value = await read(name, text, from);
  const comments = to === from ? [] : commentLines(text, from);
  if (comments.length > 0 && !dropComments) throw lost(name, commentsText(comments));
  const inexact = findInexact(value, longNumbers(text), []);
  if (inexact !== undefined) throw lost(name, `${inexact} is a number with more digits than can be kept`);
  const written = await writeBack(conversion, value);
  return { text: written, dropped: comments.length, digest: digestOf(value) };
}

async function read(name: string, text: string, format: Notation): Promise<Json> {
  const { value, issues } = await readValue({ text, format });
  if (value !== undefined) return value;
  const { message = 'It is unreadable', line = 1, column = 1 } = issues[0] ?? {};
  throw new WorkflowError('INVALID_WORKFLOW', `'${name}' can't be read: ${message} (${line}:${column}).`);
}

/** Only what comes back the same is handed out. */
async function writeBack({ name, to }: Conversion, value: Json): Promise<string> {
  const written = await write(value, to).catch((error: unknown) => {
    throw error instanceof TypeError
      ? lost(name, `${spoken[to]} can't say all of it (${error.message})`)
      : error;
  });
  // As it will be in a file: a half of a surrogate pair would not come back.
  const text = new TextDecoder().decode(new TextEncoder().encode(written));
  const { value: back, issues } = await readValue({ text, format: to });
  const complaint = issues.find(({ severity }) => severity === 'error');
  if (complaint !== undefined) {
    throw lost(name, `${spoken[to]} can't say '${complaint.pointer}': ${complaint.message}`);
  }
  // The order of keys counts too: agents are told what a definition says in its order.
  if (JSON.stringify(back) !== JSON.stringify(value)) {
    throw lost(name, `${spoken[to]} gives '${firstDifference(value, back, [])}' back as something else`);
  }
  return text;
}

const spoken: Readonly<Record<Notation, string>> = { json: 'JSON', yaml: 'YAML', toon: 'TOON' };

function lost(name: string, what: string): WorkflowError {
  return new WorkflowError(
    'VALIDATION',
    `'${name}' is not converted, because something would be lost: ${what}.`,
  );
}

function commentsText(lines: readonly number[]): string {
  const count = lines.length === 1 ? 'a comment' : `${lines.length} comments, the first`;
  return `${count} on line ${lines[0]} (--drop-comments leaves comments out)`;
}

type Path = readonly (string | number)[];

/** Whole numbers with so many digits that a number may not hold them, as they are written. */
function longNumbers(text: string): readonly string[] {
  return text.match(/\d{16,}/g) ?? [];
}

/** The place of the first whole number that was read as another one than is written. */
function findInexact(value: unknown, written: readonly string[], path: Path): string | undefined {
  if (written.length === 0) return undefined;
  if (typeof value === 'number') {
    const size = Math.abs(value);
    const isOther = written.some((digits) => Number(digits) === size && BigInt(digits) !== BigInt(size));
    return isOther ? `'${toPointer(path)}'` : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = findInexact(child, written, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The place of the first value that is not the same. */
function firstDifference(a: unknown, b: unknown, path: Path): string {
  if (isComparable(a) && isComparable(b)) {
    for (const key of Object.keys(a)) {
      if (JSON.stringify(a[key]) !== JSON.stringify(b[key])) {
        return firstDifference(a[key], b[key], [...path, key]);
      }
    }
  }
  return toPointer(path);
}

function isComparable(value: unknown): value is Readonly<Record<string, Json | undefined>> {
  return isJsonObject(value) || Array.isArray(value);
}
