import type { ParseError, printParseErrorCode } from 'jsonc-parser';
import { maxDepth } from './limits.ts';
import type { Refusal } from './parsed-text.ts';
import { describePosition } from './text-position.ts';

type CodeName = ReturnType<typeof printParseErrorCode>;

const unclosed = 'Check for missing closing braces, brackets, or quotes';
const comment = ['comments are not allowed', 'Remove the comment, or write the definition in YAML'] as const;
const number = ['a number that is not finished', 'Write numbers as 1, -2.5 or 3e4'] as const;

/** By what the parser calls it: what is wrong, and what would do. */
const wordings: Record<CodeName, readonly [what: string, suggestion: string]> = {
  InvalidSymbol: [
    'an unknown word',
    'Put text in double quotes; only true, false and null stand without them',
  ],
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
  EndOfFileExpected: ['expected nothing after the document', 'Remove what follows the last closing brace'],
  InvalidCommentToken: comment,
  UnexpectedEndOfComment: comment,
  UnexpectedEndOfString: ['a string that is not closed', unclosed],
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
  '<unknown ParseErrorCode>': ['not valid JSON', unclosed],
};

/** Finds the first syntax error of a text that `JSON.parse` refuses. */
export async function findSyntaxError(text: string): Promise<Refusal> {
  const { createScanner, parse, printParseErrorCode: nameOf } = await import('./jsonc-library.ts');
  const deep = tooDeepAt(text, createScanner(text, true));
  if (deep !== undefined) return problem(text, deep, [`nested deeper than ${maxDepth} levels`, unclosed]);
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: false, disallowComments: true });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first === undefined) return problem(text, 0, wordings['<unknown ParseErrorCode>']);
  const name = nameOf(first.error);
  const comma = trailingCommaBefore(text, first.offset);
  if (comma !== undefined && name.endsWith('Expected')) {
    const refusal = problem(text, comma, ['a trailing comma', 'Remove the trailing comma']);
    return { ...refusal, repair: { kind: 'cut' } };
  }
  return problem(text, first.offset, wordings[name]);
}

/** Where the nesting is too deep for the parser, which is recursive; only its own scanner sees the text as it does. */
function tooDeepAt(text: string, scanner: { scan(): unknown; getTokenOffset(): number }): number | undefined {
  let depth = 0;
  // At the end the token is empty, but its length is not always 0: only its offset tells.
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const char = text[scanner.getTokenOffset()];
    if (char === '{' || char === '[') depth += 1;
    if (depth > maxDepth) return scanner.getTokenOffset();
    if (char === '}' || char === ']') depth -= 1;
  }
  return undefined;
}

function trailingCommaBefore(text: string, offset: number): number | undefined {
  const before = text.slice(0, offset).trimEnd();
  const closes = text[offset] === '}' || text[offset] === ']';
  return closes && before.endsWith(',') ? before.length - 1 : undefined;
}

function problem(text: string, offset: number, [what, suggestion]: readonly [string, string]): Refusal {
  const ends = what.startsWith('expected') && offset >= text.trimEnd().length ? ', but the text ends' : '';
  return {
    code: 'syntax-error',
    offset,
    message: `JSON syntax error: ${what}${ends} at ${describePosition(text, offset)}`,
    suggestion,
  };
}
