import type { printParseErrorCode } from 'jsonc-parser';
import { shorten } from '../findings/finding.ts';
import { maxDepth } from '../limits.ts';
import type { Problem } from './workflow.ts';
import { error, warning } from './workflow.ts';

// Every message about the syntax of JSON, YAML and TOON. The tables for JSON and TOON are ordered by the errors of the
// libraries that find them.

export function syntaxError(
  notation: 'JSON' | 'TOON' | 'YAML',
  what: string,
  { position, suggestion }: Record<'position' | 'suggestion', string>,
): Problem {
  return error('syntax-error', `${notation} syntax error: ${what} at ${position}`, suggestion);
}

// JSON

/** Follows an expectation if the text ends too early. */
export const textEnds = ', but the text ends';

const unclosed = 'Check for missing closing braces, brackets, or quotes';
const comment = ['comments are not allowed', 'Remove the comment, or write the definition in YAML'] as const;
const number = ['an incomplete number', 'Write numbers as 1, -2.5 or 3e4'] as const;

/** Problems and suggestions for JSON, by the error name of `jsonc-parser`, and two of our own. */
export const jsonMistakes: Record<
  ReturnType<typeof printParseErrorCode> | 'tooDeep' | 'trailingComma',
  readonly [what: string, suggestion: string]
> = {
  InvalidSymbol: ['an unknown word', 'Put text in double quotes; only true, false and null need none'],
  InvalidNumberFormat: number,
  PropertyNameExpected: ['expected a property name', 'Write property names in double quotes'],
  ValueExpected: [
    'expected a value',
    'Write a value: text in double quotes, a number, true, false, null, {} or []',
  ],
  ColonExpected: ["expected ':' after the property name", "Write ':' between the property and its value"],
  CommaExpected: ["expected ',' before the next one", "Check for a missing ',' between properties or items"],
  CloseBraceExpected: ["expected '}'", unclosed],
  CloseBracketExpected: ["expected ']'", unclosed],
  EndOfFileExpected: [
    'expected nothing after the document',
    'Remove everything after the last closing brace',
  ],
  InvalidCommentToken: comment,
  UnexpectedEndOfComment: comment,
  UnexpectedEndOfString: ['a string without a closing quote', unclosed],
  UnexpectedEndOfNumber: number,
  InvalidUnicode: ['\\u without four hex digits', 'Write four hex digits after \\u'],
  InvalidEscapeCharacter: [
    'an unknown escape',
    'Write a backslash as \\\\; JSON knows \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u',
  ],
  InvalidCharacter: [
    'a control character in a string',
    'Write it as an escape: \\n, \\t or \\u with four hex digits',
  ],
  tooDeep: [`nested deeper than ${maxDepth} levels`, unclosed],
  trailingComma: ['a trailing comma', 'Remove the trailing comma'],
  '<unknown ParseErrorCode>': ['not valid JSON', unclosed],
};

// YAML

export const yamlMessages = {
  syntax: () => 'Check the indentation, and quote text that contains : or #',
  noDocument: () => 'no document',
  severalDocuments: () =>
    error(
      'unsupported-syntax',
      'More than one YAML document; a definition must be a single one',
      "Remove the '---' line, or put each workflow in its own file",
    ),
  unknownTag: (tag: string) =>
    error('unsupported-syntax', `Tag '${tag}' is not part of the YAML core schema`, 'Remove the tag'),
  unknownAlias: (name: string) =>
    error(
      'unsupported-syntax',
      `Alias '*${name}' has no finished anchor '&${name}' before it`,
      'Write the value out',
    ),
  mergeKey: () => error('unsupported-syntax', "Merge keys ('<<') are not supported", 'Write the keys out'),
  complexKey: () => error('unsupported-syntax', 'A key that is not text', 'Write keys as plain text'),
  keyNotText: (name: string) =>
    error('unsupported-syntax', `Key ${name} is not text`, `Put it in quotes: "${name}"`),
} as const;

// TOON

/** A text value without quotes, and its surroundings. */
interface PlainText {
  readonly text: string;
  readonly key: string | undefined;
  readonly line: string;
}

const misread = (message: string, suggestion: string): Problem => error('misread-text', message, suggestion);
const surprising = (message: string, suggestion: string): Problem =>
  warning('misread-text', message, suggestion);
const quote = 'Put it in double quotes if it is text';

const blockScalar = /^[|>](?:[-+][1-9]?|[1-9][-+]?)?(?:\s+#.*)?$/;

/** What the author more likely meant, by the look of the text. */
const textMistakes: readonly (readonly [looksLike: RegExp, mistake: Problem])[] = [
  [
    blockScalar,
    misread(
      'TOON has no block scalars: the lines that follow would be lost',
      'Write the text on one line in double quotes, with \\n for line breaks, or write the file in YAML',
    ),
  ],
  [/^\[.*\]$/, misread('TOON has no lists in brackets', `Write 'key[2]: a,b'. ${quote}`)],
  [/^\{\s*\}$|^\{.*:\s.*\}$/, misread('TOON has no objects in braces', `Write a key per line. ${quote}`)],
  [
    /^-(?: |$)/,
    misread('This list item is read as text', `Write 'key[1]:' and the items below it. ${quote}`),
  ],
  [
    /^'.*'$/s,
    surprising('TOON has no single quotes: they are read as part of the text', 'Use double quotes, or none'),
  ],
  [/^~$/, surprising("TOON has no '~': it is read as text", 'Write null, or leave the key out')],
  [
    /^(?:&[\w-]+(?: |$)|\*[\w-]+$|!!?\w*(?: |$))/,
    surprising('TOON has no anchors, aliases or tags: this is read as text', `Write the value out. ${quote}`),
  ],
  [
    / #(?: |$)/,
    surprising(
      'TOON has no comments after a value: this is read as part of the text',
      'Put the comment on its own line',
    ),
  ],
];

/** Returns a finding if a text value means something else than it looks like, or `undefined`. */
export function mistakeInText({ text, key, line }: PlainText): Problem | undefined {
  // Quoted text means what it says. Only a comparison has a key for which `>` is a value of its own.
  if (line.includes(`"${text}"`) || !line.includes(text)) return undefined;
  if (key === 'operator' && text === '>') return undefined;
  return textMistakes.find(([looksLike]) => looksLike.test(text))?.[1];
}

/**
 * Returns a finding for a cell of a row or an item of an inline list. The only possible mistake there is a nested list.
 */
export function mistakeInCell({ text, line }: Pick<PlainText, 'line' | 'text'>): Problem | undefined {
  if (/^\[./.test(text) && /:\s*\[.*\]\s*$/.test(line)) {
    return misread('The brackets around this list are read as part of its items', "Write 'key[2]: a,b'");
  }
  return /^-(?: |$)/.test(text) && line.trimEnd().endsWith(`: ${text}`)
    ? misread('This list item is read as text', `Write the items below 'key[1]:'. ${quote}`)
    : undefined;
}

/** Returns a finding for a number that loses digits, such as an id with twenty of them. */
export function mistakeInNumber(value: number): Problem | undefined {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
  return misread('This whole number has more digits than can be kept', 'Put it in double quotes');
}

/** Returns a finding for a key that means something else than it looks like, or `undefined`. */
export function mistakeInKey(key: string, line: string): Problem | undefined {
  // A quoted key means what it says, and a field of a header is on another line.
  if (![line.trim(), line.replace(/^ *- +/, '')].some((text) => text.startsWith(key))) return undefined;
  if (/^-(?: |$)/.test(key)) {
    return misread('This list has no length', noLength);
  }
  if (key === '<<') return { ...yamlMessages.mergeKey(), code: 'misread-text' };
  if (key.startsWith('{')) return misread('This is JSON, but TOON is expected', 'Rename the file to .json');
  return /^'.*'$/.test(key)
    ? surprising('TOON has no single quotes: they are read as part of the key', 'Use double quotes, or none')
    : undefined;
}

const counted = 'Correct the number in brackets, or the items';
const twoSpaces = 'Indent by two spaces for each level';
const noLength = "Write the number of items after the key, as in 'key[2]:'";

/** Suggestions by the message of the library, and our own words for those that say little to authors of YAML. */
const toonErrors: readonly (readonly [said: RegExp, suggestion: string, message?: string])[] = [
  [
    /^Over-indented line|^Indentation depth jump/,
    `${twoSpaces}; write text of several lines as one line in double quotes, with \\n`,
    'This line is indented too deeply',
  ],
  [/^Indentation must be|^Tabs are not allowed/, twoSpaces],
  [
    /^Expected \d+ (?:tabular row values|keyed entry cells)/,
    'Put text that contains a comma in double quotes',
  ],
  [/^Expected \d+/, counted],
  [/^Invalid array length/, 'Write the number of items, as in tags[2]: a,b'],
  [
    /^Missing colon after key|^Top-level document must/,
    'Write key: value; move a line of text into the line before it, in double quotes',
    "The line has no 'key:'",
  ],
  [/^Unterminated/, 'Close it on the same line'],
  [
    /^Unexpected characters after closing quote/,
    'Quote the whole value, with \\" for quotes inside, and put a comment on its own line',
  ],
  [/^Invalid escape/, 'Write a backslash as \\\\; TOON knows \\" \\\\ \\n \\r \\t and \\u'],
];

const fallback = 'Check the line, or write the file in YAML';

/** Returns what is wrong with a line that the library refuses, and what to do. */
export function explainToon(said: string, line: string): Record<'what' | 'suggestion', string> {
  if (/^ *- /.test(line) && said.startsWith('Missing colon')) {
    return { what: 'This list has no length', suggestion: noLength };
  }
  if (/^---\s*$/.test(line)) {
    return { what: "TOON has no '---'", suggestion: 'Remove the line; a file is a single document' };
  }
  const [, suggestion = fallback, what = shorten(said)] = toonErrors.find(([like]) => like.test(said)) ?? [];
  return { what, suggestion };
}
