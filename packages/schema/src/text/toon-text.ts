import { syntaxError } from '../messages/syntax.ts';
import type { JsonStreamEvent } from '@toon-format/toon';
import type { Json } from '../json.ts';
import { escapePointer, fromPointer } from '../json.ts';
import { maxDefinitionValues, maxDepth } from '../limits.ts';
import type { TextFinding, Parsed, Refusal, Span } from './parsed-text.ts';
import { fileMessages } from '../messages/files.ts';
import { describePosition, duplicateKey, locatorAt, refused } from './parsed-text.ts';
import type { Problem } from '../messages/workflow.ts';
import {
  explainToon,
  mistakeInCell,
  mistakeInKey,
  mistakeInNumber,
  mistakeInText,
} from '../messages/syntax.ts';

/** Encodes a value as TOON. The library is loaded on first use. */
export async function encodeToon(value: Json): Promise<string> {
  const { encode } = await import('./toon-library.ts');
  return encode(value);
}

/**
 * An additional first line. At the start the decoder reads one line ahead; with this line, later events belong to the
 * line it has just read.
 */
const firstLine = '"\\u0000": 0';
const eventsOfFirstLine = 2;

interface Decoding {
  readonly text: string;
  readonly tree: ReturnType<typeof buildTree>;
  readonly found: TextFinding[];
  /** The line that the decoder read last. */
  line: Line;
}

/**
 * Parses TOON. Reports text that the notation reads differently than its author meant (block scalars, lists without a
 * length, …) as an error in its line. `@toon-format/toon` is loaded with the first text.
 */
export async function readToon(text: string): Promise<Parsed> {
  const { decodeStreamSync, ToonDecodeError } = await import('./toon-library.ts');
  const lines = linesOf(text);
  const tooMuch = beyondLimits(lines);
  if (tooMuch !== undefined) return refused(tooMuch);
  const decoding: Decoding = { text, tree: buildTree(), found: [], line: { offset: 0, content: '' } };
  try {
    const refusal = decode(decodeStreamSync(fed(lines, decoding)), decoding);
    return refusal ?? parsed(decoding);
  } catch (error) {
    // Any error of the library is caused by the text. Earlier findings probably explain it.
    if (decoding.found.some(isError)) return parsed(decoding);
    return refusedByDecoder(error instanceof ToonDecodeError ? error.message : 'Unreadable', decoding);
  }
}

function* fed(lines: readonly Line[], decoding: Decoding): Generator<string> {
  yield firstLine;
  for (const line of lines) {
    decoding.line = line;
    yield line.content;
  }
}

/** Handles every event. Returns a refusal if the text exceeds the limits. */
function decode(events: Iterable<JsonStreamEvent>, decoding: Decoding): Parsed | undefined {
  const { tree } = decoding;
  let count = 0;
  let values = 0;
  for (const event of events) {
    count += 1;
    // The first event opens the document. The events of the additional line are skipped.
    if (count > 1 && count <= 1 + eventsOfFirstLine) continue;
    if (event.type === 'primitive' || event.type.startsWith('start')) values += 1;
    if (values > maxDefinitionValues) return refused({ ...fileMessages.tooManyValues('values'), offset: 0 });
    if (tree.depth() > maxDepth) return refused({ ...fileMessages.tooDeep(), offset: decoding.line.offset });
    take(event, decoding);
  }
  return undefined;
}

function take(event: JsonStreamEvent, decoding: Decoding): void {
  const { tree, line } = decoding;
  const isValue = event.type === 'primitive';
  const offset = line.offset + (isValue ? valueStartOf(line, tree.key()) : startOf(line));
  const trap = mistakeIn(event, decoding);
  if (event.type === 'key') tree.handle(event, offset);
  if (trap !== undefined) decoding.found.push({ ...trap, pointer: tree.pointer(), offset });
  if (event.type !== 'key') tree.handle(event, offset);
}

function mistakeIn(event: JsonStreamEvent, { tree, line: { content: line } }: Decoding): Problem | undefined {
  if (event.type === 'key') return mistakeInKey(event.key, line);
  if (event.type !== 'primitive') return undefined;
  const { value: text } = event;
  if (typeof text === 'number') return mistakeInNumber(text);
  if (typeof text !== 'string') return undefined;
  const key = tree.key();
  const isItem = tree.inList() && /^ *- /.test(line);
  const isWhole = isItem || (key !== undefined && isKeyWithValue(line.trimEnd(), text));
  return isWhole ? mistakeInText({ text, key, line }) : mistakeInCell({ text, line });
}

/** Tells whether a line consists of a key and this value. */
function isKeyWithValue(line: string, text: string): boolean {
  return text !== '' && line.endsWith(text) && /:\s*$/.test(line.slice(0, -text.length));
}

function parsed({ tree, found }: Decoding): Parsed {
  return {
    value: tree.value(),
    findings: found.filter(isError),
    warnings: found.filter((finding) => !isError(finding)),
    locator: () => Promise.resolve(tree.locate),
  };
}

/** Returns the result for a text that the decoder refuses, with its message explained. */
function refusedByDecoder(said: string, { text, tree, line }: Decoding): Parsed {
  const reason = said.replace(/^Line \d+: /, '');
  const offset = line.offset + startOf(line);
  const [, repeated] = /^Duplicate sibling key "(.*)"$/s.exec(reason) ?? [];
  if (repeated !== undefined) {
    const first = tree.placeOfKey(repeated)?.key ?? 0;
    const pointer = `${tree.pointer()}/${escapePointer(repeated)}`;
    const found = duplicateKey(repeated, pointer, { text, first, offset });
    return { findings: [found], locator: locatorAt(offset) };
  }
  const { what, suggestion } = explainToon(reason, line.content);
  const position = describePosition(text, offset);
  return refused({ ...syntaxError('TOON', what, { position, suggestion }), offset });
}

function isError({ severity }: TextFinding): boolean {
  return severity === 'error';
}

/** A line of a text, without its line end. */
interface Line {
  /** Offset in the text, in UTF-16 units. */
  readonly offset: number;
  readonly content: string;
}

/**
 * Returns the lines that aren't blank. Blank lines mean nothing in TOON, and the decoder takes quadratic time for them.
 */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let offset = 0;
  for (const { 0: end, index } of [...text.matchAll(/\r\n|\n|\r/g), { 0: '', index: text.length }]) {
    const content = text.slice(offset, index);
    if (content.trim() !== '') lines.push({ offset, content });
    offset = index + end.length;
  }
  return lines;
}

/** Refuses lines that exceed the limits before the decoder sees them. */
function beyondLimits(lines: readonly Line[]): Refusal | undefined {
  if (lines.length > maxDefinitionValues) return { ...fileMessages.tooManyValues('values'), offset: 0 };
  const deep = lines.find(({ content }) => content.includes(']{') && depthOfBraces(content) > maxDepth);
  return deep && { ...fileMessages.tooDeep(), offset: deep.offset };
}

/** Returns the nesting of fields in a header. The decoder is recursive and takes quadratic time in it. */
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

/** Returns the column where the content of a line starts, after its indentation and list dashes. */
function startOf({ content }: Line): number {
  return /^ *(?:- +)*/.exec(content)?.[0].length ?? 0;
}

/**
 * Returns the column where the value of a key, or the first item of an inline list, starts. If it is not on this line,
 * returns the start of the content.
 */
function valueStartOf(line: Line, key: string | undefined): number {
  const start = startOf(line);
  const rest = line.content.slice(start);
  if (key === undefined) return start + (/^[^:"]*\[\d+[|\t]?\]: */.exec(rest)?.[0].length ?? 0);
  const name = /^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0] ?? (rest.startsWith(key) ? key : undefined);
  const colon = name === undefined ? null : /^ *: */.exec(rest.slice(name.length));
  return colon === null ? start : start + (name ?? '').length + colon[0].length;
}

/** The offsets of a value and of its key, in UTF-16 units. */
interface Place {
  readonly value: number;
  readonly key?: number;
  readonly children?: Map<string, Place>;
}

/** An object or list under construction. */
interface Frame {
  readonly place: Place;
  readonly list?: unknown[];
  readonly entries: [name: string, value: unknown][];
  key?: { readonly name: string; readonly offset: number };
}

/** Builds a value and the positions of its parts from the events of a decoder. */
function buildTree() {
  const stack: Frame[] = [];
  let value: unknown = {};
  let root: Place = { value: 0 };

  const placed = (offset: number, children?: Map<string, Place>): Place => {
    const key = stack.at(-1)?.key?.offset;
    return { value: offset, ...(key !== undefined && { key }), ...(children && { children }) };
  };
  const put = (member: unknown, place: Place): void => {
    const frame = stack.at(-1);
    if (frame === undefined) [value, root] = [member, place];
    else {
      const name = frame.key?.name ?? String(frame.list?.length ?? 0);
      frame.place.children?.set(name, place);
      if (frame.list === undefined) frame.entries.push([name, member]);
      else frame.list.push(member);
      delete frame.key;
    }
  };
  const open = (offset: number, list?: unknown[]): void => {
    // When the decoder opens the value of a key, it has already read further.
    const at = stack.at(-1)?.key?.offset ?? offset;
    stack.push({ place: placed(at, new Map()), entries: [], ...(list && { list }) });
  };
  const close = (): void => {
    const frame = stack.pop();
    // Object.fromEntries makes `__proto__` an own key, as JSON.parse does.
    if (frame !== undefined) put(frame.list ?? Object.fromEntries(frame.entries), frame.place);
  };

  return {
    handle: (event: JsonStreamEvent, offset: number): void => {
      const frame = stack.at(-1);
      if (event.type === 'startObject') open(offset);
      else if (event.type === 'startArray') open(offset, []);
      else if (event.type === 'primitive') put(event.value, placed(offset));
      else if (event.type !== 'key') close();
      else if (frame !== undefined) frame.key = { name: event.key, offset };
    },
    depth: () => stack.length,
    key: () => stack.at(-1)?.key?.name,
    /** Tells whether the next value is an item of a list. */
    inList: () => stack.at(-1)?.list !== undefined,
    placeOfKey: (name: string) => stack.at(-1)?.place.children?.get(name),
    /** JSON pointer of the next value. */
    pointer: () =>
      stack
        .map(({ key, list }) => key?.name ?? list?.length)
        .filter((part) => part !== undefined)
        .map((part) => `/${escapePointer(String(part))}`)
        .join(''),
    value: () => value,
    locate: (pointer: string, atKey: boolean): Span => {
      let place = root;
      for (const part of fromPointer(pointer)) {
        const next = place.children?.get(part);
        if (next === undefined) return { start: place.value };
        place = next;
      }
      return { start: atKey ? (place.key ?? place.value) : place.value };
    },
  };
}
