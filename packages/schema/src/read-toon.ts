import type { JsonStreamEvent } from '@toon-format/toon';
import { escapePointer } from './json-pointer.ts';
import { maxDefinitionValues, maxDepth } from './limits.ts';
import { duplicateKey, refused, tooDeep, tooManyValues } from './parsed-text.ts';
import type { Found, ParsedText } from './parsed-text.ts';
import { describePosition, positionsIn } from './text-position.ts';
import { beyondLimits, linesOf, startOf, valueStartOf } from './toon-lines.ts';
import type { Line } from './toon-lines.ts';
import { explainToon } from './toon-messages.ts';
import { trapInCell, trapInKey, trapInNumber, trapInText } from './toon-traps.ts';
import type { Trap } from './toon-traps.ts';
import { buildTree } from './toon-tree.ts';
import type { TreeBuilder } from './toon-tree.ts';

/** A first line of our own: the decoder, which looks a line ahead at the start, is then on the line its events come from. */
const firstLine = '"\\u0000": 0';
const eventsOfFirstLine = 2;

interface Decoding {
  readonly text: string;
  readonly tree: TreeBuilder;
  readonly found: Found[];
  /** The line the decoder has read last. */
  line: Line;
}

/**
 * Parses TOON. What the notation would lose or change against what an author means (block scalars, lists without a
 * length, …) is an error of its line. `@toon-format/toon` is loaded with the first text.
 */
export async function readToon(text: string): Promise<ParsedText> {
  const { decodeStreamSync, ToonDecodeError } = await import('./toon-library.ts');
  const lines = linesOf(text);
  const tooMuch = beyondLimits(lines);
  if (tooMuch !== undefined) return refused(tooMuch);
  const decoding: Decoding = { text, tree: buildTree(), found: [], line: { offset: 0, content: '' } };
  try {
    const refusal = decode(decodeStreamSync(fed(lines, decoding)), decoding);
    return refusal ?? parsed(decoding);
  } catch (error) {
    // Whatever the library throws, the text is to blame; what was found before is likely why.
    if (decoding.found.some(isError)) return parsed(decoding);
    return failed(error instanceof ToonDecodeError ? error.message : 'Unreadable', decoding);
  }
}

function* fed(lines: readonly Line[], decoding: Decoding): Generator<string> {
  yield firstLine;
  for (const line of lines) {
    decoding.line = line;
    yield line.content;
  }
}

/** Takes in every event; the refusal of a text that is beyond the limits. */
function decode(events: Iterable<JsonStreamEvent>, decoding: Decoding): ParsedText | undefined {
  const { tree } = decoding;
  let count = 0;
  let values = 0;
  for (const event of events) {
    count += 1;
    // The first event opens the document; those of the line before it are none of its own.
    if (count > 1 && count <= 1 + eventsOfFirstLine) continue;
    if (event.type === 'primitive' || event.type.startsWith('start')) values += 1;
    if (values > maxDefinitionValues) return refused(tooManyValues('values'));
    if (tree.depth() > maxDepth) return refused(tooDeep(decoding.line.offset));
    take(event, decoding);
  }
  return undefined;
}

function take(event: JsonStreamEvent, decoding: Decoding): void {
  const { tree, line } = decoding;
  const isValue = event.type === 'primitive';
  const offset = line.offset + (isValue ? valueStartOf(line, tree.key()) : startOf(line));
  const trap = trapIn(event, decoding);
  if (event.type === 'key') tree.take(event, offset);
  if (trap !== undefined) decoding.found.push({ ...trap, pointer: tree.pointer(), offset });
  if (event.type !== 'key') tree.take(event, offset);
}

function trapIn(event: JsonStreamEvent, { tree, line: { content: line } }: Decoding): Trap | undefined {
  if (event.type === 'key') return trapInKey(event.key, line);
  if (event.type !== 'primitive') return undefined;
  const { value: text } = event;
  if (typeof text === 'number') return trapInNumber(text);
  if (typeof text !== 'string') return undefined;
  const key = tree.key();
  const isItem = tree.inList() && /^ *- /.test(line);
  const isWhole = isItem || (key !== undefined && endsIn(line.trimEnd(), text));
  return isWhole ? trapInText({ text, key, line }) : trapInCell({ text, line });
}

/** Whether a line is a key and this value. */
function endsIn(line: string, text: string): boolean {
  return text !== '' && line.endsWith(text) && /:\s*$/.test(line.slice(0, -text.length));
}

function parsed({ tree, found }: Decoding): ParsedText {
  return {
    value: tree.value(),
    findings: found.filter(isError),
    warnings: found.filter((finding) => !isError(finding)),
    locator: () => Promise.resolve(tree.locate),
  };
}

/** A text the decoder does not take: its complaint, about the line it was on. */
function failed(said: string, { text, tree, line }: Decoding): ParsedText {
  const complaint = said.replace(/^Line \d+: /, '');
  const offset = line.offset + startOf(line);
  const [, repeated] = /^Duplicate sibling key "(.*)"$/s.exec(complaint) ?? [];
  if (repeated !== undefined) {
    const first = tree.placeOfKey(repeated);
    const at = { offset, firstLine: positionsIn(text)(first?.key ?? 0).line };
    const found = duplicateKey(repeated, `${tree.pointer()}/${escapePointer(repeated)}`, at);
    return { findings: [found], locator: () => Promise.resolve(() => ({ start: offset })) };
  }
  const { message, suggestion } = explainToon(complaint, line.content);
  const where = describePosition(text, offset);
  return refused({
    code: 'syntax-error',
    message: `TOON syntax error: ${message} at ${where}`,
    suggestion,
    offset,
  });
}

function isError({ severity }: Found): boolean {
  return severity === 'error';
}
