import type { Message } from './messages.ts';
import { messages } from './messages.ts';
import type { Json, Repair } from '@workflowlookup/schema';
import type { Condition, Variable } from './condition.ts';
import { joinConditions, negate, toVariable } from './condition.ts';
import type { Operator, Place } from './operators.ts';
import { comparisonSigns, recordIssue, isTooDeep, operators } from './operators.ts';

const maxLength = 10_000;

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
 * Parses a `when` string. From the tightest binding to the loosest: comparisons, `exists name` and `name in […]`; `not`
 * and `!`; `and` and `&&`; `or` and `||`. Parentheses group. Stops at the first problem.
 */
export function parseWhen(text: string, place: Place): Condition {
  if (text.trim() === '') return recordIssue(place, messages.emptyCondition);
  if (text.length > maxLength) {
    return recordIssue(place, messages.tooLong(text.length, maxLength));
  }
  const reader: Reader = { source: text, tokens: tokenize(text), at: 0, place };
  try {
    const condition = parseAny(reader, place.depth);
    const rest = peek(reader);
    return rest.kind === 'end' ? condition : refuse(reader, messages.expected.moreOrEnd);
  } catch (error) {
    if (error instanceof ParseStop) return { kind: 'constant', value: false };
    throw error;
  }
}

/** Unwinds the parser after an issue has been recorded. */
class ParseStop extends Error {}

interface Reader {
  readonly source: string;
  readonly tokens: readonly Token[];
  at: number;
  readonly place: Place;
}

function parseAny(reader: Reader, depth: number): Condition {
  const members = [parseAll(reader, depth)];
  while (takeSign(reader, '||', 'or')) members.push(parseAll(reader, depth));
  return joinConditions('or', members);
}

function parseAll(reader: Reader, depth: number): Condition {
  const members = [parseNot(reader, depth)];
  while (takeSign(reader, '&&', 'and')) members.push(parseNot(reader, depth));
  return joinConditions('and', members);
}

function parseNot(reader: Reader, depth: number): Condition {
  guardDepth(reader, depth);
  return takeSign(reader, 'not') ? negate(parseNot(reader, depth + 1)) : parseComparison(reader, depth);
}

function parseComparison(reader: Reader, depth: number): Condition {
  const start = peek(reader);
  const subject = parseAtom(reader, depth);
  const sign = peek(reader);
  const operator = operatorOf(sign);
  if (operator === undefined) return subject;
  if (subject.kind !== 'truthy') return refuseComparison(reader, start);
  reader.at += 1;
  const isList = sign.text === 'in';
  const place = placeAt(reader, isList ? sign.column : peek(reader).column);
  return operator(subject.variable, isList ? takeList(reader) : takeLiteral(reader), place);
}

function operatorOf({ kind, text }: Token): Operator | undefined {
  if (kind === 'sign') return operators.get(comparisonSigns.get(text) ?? '');
  return kind === 'name' && text === 'in' ? operators.get(text) : undefined;
}

function parseAtom(reader: Reader, depth: number): Condition {
  guardDepth(reader, depth);
  if (takeSign(reader, '!')) return negate(parseAtom(reader, depth + 1));
  if (takeSign(reader, '(')) {
    const condition = parseAny(reader, depth + 1);
    return takeSign(reader, ')') ? condition : refuse(reader, messages.expected.closingParenthesis);
  }
  if (takeSign(reader, 'exists')) return { kind: 'exists', variable: takeName(reader) };
  if (takeSign(reader, 'true')) return { kind: 'constant', value: true };
  if (takeSign(reader, 'false')) return { kind: 'constant', value: false };
  return { kind: 'truthy', variable: takeName(reader) };
}

function guardDepth(reader: Reader, depth: number): void {
  if (isTooDeep({ ...placeAt(reader, peek(reader).column), depth })) throw new ParseStop();
}

function refuseComparison(reader: Reader, { text }: Token): never {
  return text === '!'
    ? refuse(reader, messages.expected.parentheses)
    : refuse(reader, messages.expected.nameFirst);
}

function placeAt({ place }: Reader, column: number): Place {
  return { ...place, column };
}

function takeName(reader: Reader): Variable {
  const { kind, text } = peek(reader);
  if (kind !== 'name' || keywords.has(text)) return refuse(reader, messages.expected.name);
  reader.at += 1;
  return toVariable(text);
}

function takeList(reader: Reader): Json {
  if (!takeSign(reader, '[')) return refuse(reader, messages.expected.list);
  const items: Json[] = [];
  if (takeSign(reader, ']')) return items;
  do items.push(takeLiteral(reader));
  while (takeSign(reader, ','));
  return takeSign(reader, ']') ? items : refuse(reader, messages.expected.commaOrBracket);
}

function takeLiteral(reader: Reader): Json {
  const { kind, text } = peek(reader);
  const value = kind === 'string' ? text : kind === 'number' ? Number(text) : constants.get(text);
  if (value === undefined) {
    const isWord = kind === 'name' && !keywords.has(text);
    return refuse(reader, isWord ? messages.quotedValue(text) : messages.expected.value);
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

function refuse(reader: Reader, wanted: Message): never {
  const { kind, text, column } = peek(reader);
  const message =
    kind === 'bad'
      ? { ...wanted, message: `${text}.` }
      : messages.foundInstead(wanted, kind === 'end' ? undefined : text);
  const right = rightSpelling.get(kind === 'sign' || kind === 'name' ? text : '');
  const repair = right === undefined ? undefined : respellAll(reader, text, right);
  const place = { ...placeAt(reader, column), ...(repair && { repair }) };
  recordIssue(
    place,
    right === undefined ? message : { ...message, suggestion: messages.writeInstead(right) },
  );
  throw new ParseStop();
}

/**
 * Returns a repair that replaces a sign everywhere, unless that would change quoted text. Short signs are skipped
 * because they are part of longer ones.
 */
function respellAll({ tokens, source }: Reader, from: string, to: string): Repair | undefined {
  if (from.length < 3) return undefined;
  const signs = tokens.filter(({ kind, text }) => kind === 'sign' && text === from).length;
  return source.split(from).length - 1 === signs ? { kind: 'swap', from, to } : undefined;
}

interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'sign' | 'bad' | 'end';
  /** The source text; for a string its content, for a bad token the problem. */
  readonly text: string;
  /** Column from 1, in UTF-16 units. */
  readonly column: number;
}

const blanks = /\s*/y;
const pieces = [
  ['number', /[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_$.])/uy],
  ['name', /[\p{L}_$][\p{L}\p{N}_$]*(?:-[\p{L}\p{N}_$]+)*(?:\.[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_$]+)*)*/uy],
  ['string', /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y],
  ['sign', /[=!]==|[=!<>]=|<>|&&|\|\||[=<>!&|()[\],]/y],
] as const;

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Splits a `when` string into tokens. The last token is `end`, or `bad` if the rest can't be read. */
function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, at)) {
    const { token, length } = next(text, at);
    tokens.push(token);
    if (token.kind === 'bad') return tokens;
    at += length;
  }
  return [...tokens, { kind: 'end', text: '', column: text.length + 1 }];
}

function skipBlanks(text: string, at: number): number {
  blanks.lastIndex = at;
  blanks.test(text);
  return blanks.lastIndex;
}

function next(text: string, at: number): { readonly token: Token; readonly length: number } {
  const column = at + 1;
  for (const [kind, expression] of pieces) {
    expression.lastIndex = at;
    const found = expression.exec(text)?.[0];
    if (found === undefined) continue;
    return {
      token: { kind, text: kind === 'string' ? unquote(found) : found, column },
      length: found.length,
    };
  }
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const wrong = char === '"' || char === "'" ? messages.noClosingQuote : messages.unexpected(char);
  return { token: { kind: 'bad', text: wrong, column }, length: 0 };
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\([^])/g, (_, char: string) => escapes[char] ?? char);
}
