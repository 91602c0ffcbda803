import type { Json, Repair } from '@workflowlookup/schema';
import type { Condition, Variable } from './condition.ts';
import { join, negate } from './join.ts';
import { variable } from './look-up.ts';
import { operators } from './operators.ts';
import { fail, isTooDeep } from './place.ts';
import { showValue } from './show-value.ts';
import type { Place } from './place.ts';
import { tokenize } from './when-tokens.ts';
import type { Token } from './when-tokens.ts';

const maxLength = 10_000;

const comparisons: ReadonlyMap<string, string> = new Map([
  ['==', 'equals'],
  ['!=', 'not_equals'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['>', 'gt'],
  ['>=', 'gte'],
]);

const constants: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const keywords = new Set(['and', 'or', 'not', 'in', 'exists', ...constants.keys()]);

const rightSpelling: ReadonlyMap<string, string> = new Map([
  ['===', '=='],
  ['!==', '!='],
  ['=', '=='],
  ['<>', '!='],
  ['&', '&&'],
  ['|', '||'],
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
  ['IN', 'in'],
]);

/**
 * Reads a `when` string: comparisons, `exists name`, `name in […]`, `not`/`!`, `and`/`&&`, `or`/`||`, binding in
 * this order, and parentheses. Stops at the first thing it can't read.
 */
export function parseWhen(text: string, place: Place): Condition {
  if (text.trim() === '')
    return fail(place, 'The condition is empty.', 'Write a condition, such as ready == true.');
  if (text.length > maxLength) {
    return fail(place, `The condition has ${text.length} characters; at most ${maxLength} are supported.`);
  }
  const reader: Reader = { source: text, tokens: tokenize(text), at: 0, place };
  try {
    const condition = parseAny(reader, place.depth);
    const rest = peek(reader);
    return rest.kind === 'end' ? condition : refuse(reader, 'Expected "and", "or" or the end');
  } catch (error) {
    if (error instanceof Stop) return { kind: 'constant', value: false };
    throw error;
  }
}

/** Unwinds the parser once an issue has been recorded. */
class Stop extends Error {}

interface Reader {
  readonly source: string;
  readonly tokens: readonly Token[];
  at: number;
  readonly place: Place;
}

function parseAny(reader: Reader, depth: number): Condition {
  const members = [parseAll(reader, depth)];
  while (takeSign(reader, '||', 'or')) members.push(parseAll(reader, depth));
  return join('or', members);
}

function parseAll(reader: Reader, depth: number): Condition {
  const members = [parseNot(reader, depth)];
  while (takeSign(reader, '&&', 'and')) members.push(parseNot(reader, depth));
  return join('and', members);
}

function parseNot(reader: Reader, depth: number): Condition {
  guardDepth(reader, depth);
  return takeSign(reader, 'not') ? negate(parseNot(reader, depth + 1)) : parseComparison(reader, depth);
}

function parseComparison(reader: Reader, depth: number): Condition {
  const start = peek(reader);
  const subject = parseAtom(reader, depth);
  const { kind, text, column } = peek(reader);
  const operator = operatorOf(kind, text);
  if (operator === undefined) return subject;
  if (subject.kind !== 'truthy') return refuseComparison(reader, start);
  reader.at += 1;
  if (operator === 'in')
    return compare({ ...subject, operator, value: takeList(reader) }, placeAt(reader, column));
  const place = placeAt(reader, peek(reader).column);
  return compare({ ...subject, operator, value: takeLiteral(reader) }, place);
}

function operatorOf(kind: Token['kind'], text: string): string | undefined {
  if (kind === 'name') return text === 'in' ? text : undefined;
  return kind === 'sign' ? comparisons.get(text) : undefined;
}

function parseAtom(reader: Reader, depth: number): Condition {
  guardDepth(reader, depth);
  if (takeSign(reader, '!')) return negate(parseAtom(reader, depth + 1));
  if (takeSign(reader, '(')) {
    const condition = parseAny(reader, depth + 1);
    return takeSign(reader, ')') ? condition : refuse(reader, 'Expected ")"');
  }
  if (takeSign(reader, 'exists')) return { kind: 'exists', variable: takeName(reader) };
  if (takeSign(reader, 'true')) return { kind: 'constant', value: true };
  if (takeSign(reader, 'false')) return { kind: 'constant', value: false };
  return { kind: 'truthy', variable: takeName(reader) };
}

function guardDepth(reader: Reader, depth: number): void {
  if (isTooDeep({ ...placeAt(reader, peek(reader).column), depth })) throw new Stop();
}

function refuseComparison(reader: Reader, { text }: Token): never {
  return text === '!'
    ? refuse(
        reader,
        '"!" negates only what stands next to it',
        'Put the comparison in parentheses: !(a == 1).',
      )
    : refuse(reader, 'A comparison begins with the name of a variable');
}

function placeAt({ place }: Reader, column: number): Place {
  return { ...place, column };
}

interface Wanted {
  readonly variable: Variable;
  readonly operator: string;
  readonly value: Json;
}

function compare({ variable: subject, operator, value }: Wanted, place: Place): Condition {
  return (
    operators.get(operator)?.(subject, value, place) ??
    fail(place, `Unknown operator ${showValue(operator)}.`)
  );
}

function takeName(reader: Reader): Variable {
  const { kind, text } = peek(reader);
  if (kind !== 'name' || keywords.has(text)) return refuse(reader, 'Expected the name of a variable');
  reader.at += 1;
  return variable(text);
}

function takeList(reader: Reader): Json {
  if (!takeSign(reader, '[')) return refuse(reader, 'Expected a list', 'Write a list: name in ["a", "b"].');
  const items: Json[] = [];
  if (takeSign(reader, ']')) return items;
  do items.push(takeLiteral(reader));
  while (takeSign(reader, ','));
  return takeSign(reader, ']') ? items : refuse(reader, 'Expected "," or "]"');
}

function takeLiteral(reader: Reader): Json {
  const { kind, text } = peek(reader);
  const value = kind === 'string' ? text : kind === 'number' ? Number(text) : constants.get(text);
  if (value === undefined) {
    const isWord = kind === 'name' && !keywords.has(text);
    return refuse(reader, 'Expected a value', isWord ? `Put quotes around it: "${text}".` : undefined);
  }
  reader.at += 1;
  return value;
}

function takeSign(reader: Reader, ...spellings: readonly string[]): boolean {
  const { kind, text } = peek(reader);
  if ((kind !== 'sign' && kind !== 'name') || !spellings.includes(text)) return false;
  reader.at += 1;
  return true;
}

function peek(reader: Reader): Token {
  return reader.tokens[reader.at] ?? { kind: 'end', text: '', column: 1 };
}

function refuse(reader: Reader, expected: string, suggestion?: string): never {
  const { kind, text, column } = peek(reader);
  const found = kind === 'end' ? 'the end' : showValue(text);
  const message = kind === 'bad' ? `${text}.` : `${expected}, found ${found}.`;
  const right = rightSpelling.get(kind === 'sign' || kind === 'name' ? text : '');
  const repair = right === undefined ? undefined : respellAll(reader, text, right);
  const place = { ...placeAt(reader, column), ...(repair && { repair }) };
  fail(place, message, right === undefined ? suggestion : `Write ${right} instead.`);
  throw new Stop();
}

/** Another spelling of a sign wherever it stands, if that can't change a text in quotes; shorter signs are part of others. */
function respellAll({ tokens, source }: Reader, from: string, to: string): Repair | undefined {
  if (from.length < 3) return undefined;
  const signs = tokens.filter(({ kind, text }) => kind === 'sign' && text === from).length;
  return source.split(from).length - 1 === signs ? { kind: 'swap', from, to } : undefined;
}
