import { shorten } from './describe-place.ts';

/** A syntax error in our words. */
export interface ToonProblem {
  readonly message: string;
  readonly suggestion: string;
}

type Wording = (...groups: string[]) => ToonProblem;

const counted = 'Correct the number in brackets, or the items';
const twoSpaces = 'Indent by two spaces for each level';

/** By what the library says. The messages are pinned by tests: they are no promise of the library. */
const wordings: readonly (readonly [said: RegExp, wording: Wording])[] = [
  [
    /^Over-indented line|^Indentation depth jump/,
    () => ({
      message: 'A line that is indented deeper than what it belongs to',
      suggestion: `${twoSpaces}; text that goes on for several lines is one line in double quotes, with \\n`,
    }),
  ],
  [
    /^Indentation must be .* found (\d+) spaces/,
    (found) => ({
      message: `Indented by ${found} spaces, which is not a multiple of 2`,
      suggestion: twoSpaces,
    }),
  ],
  [/^Tabs are not allowed/, () => ({ message: 'A tab in the indentation', suggestion: twoSpaces })],
  [
    /^Expected (\d+) (?:inline-form values|list-form items|tabular rows|keyed entries), but found more/,
    (expected) => ({ message: `A list of ${expected} that has more items`, suggestion: counted }),
  ],
  [
    /^Expected (\d+) (?:inline-form values|list-form items|tabular rows|keyed entries), but got (\d+)/,
    (expected, got) => ({ message: `A list of ${expected} that has ${got}`, suggestion: counted }),
  ],
  [
    /^Expected (\d+) (?:tabular row values|keyed entry cells), but got (\d+)/,
    (expected, got) => ({
      message: `A row of ${got} where the header names ${expected} fields`,
      suggestion: 'Put text that holds a comma in double quotes',
    }),
  ],
  [
    /^Invalid array length: "(.*)" /,
    (length) => ({
      message: `'${shorten(length ?? '')}' in brackets is not a number of items`,
      suggestion: 'Write the number of items, as in tags[2]: a,b',
    }),
  ],
  [
    /^Missing colon after key|^Top-level document must/,
    () => ({
      message: "A line without 'key:'",
      suggestion: 'Write key: value; a line of text belongs to the line before it, in double quotes',
    }),
  ],
  [
    /^Unterminated (?:string|quoted key)/,
    () => ({ message: 'A double quote that is not closed', suggestion: 'Close it on the same line' }),
  ],
  [
    /^Unexpected characters after closing quote/,
    () => ({
      message: 'Text behind a closing quote',
      suggestion: 'Quote the whole value, with \\" for quotes inside; a comment has its own line',
    }),
  ],
  [
    /^Invalid escape sequence: (.*)/s,
    (what) => ({
      message: `An unknown escape: ${shorten(what ?? '')}`,
      suggestion: 'Write a backslash as \\\\; TOON knows \\" \\\\ \\n \\r \\t and \\u',
    }),
  ],
];

/** What the library says about a line, in our words. */
export function explainToon(said: string, line: string): ToonProblem {
  if (/^ *- /.test(line) && said.startsWith('Missing colon')) {
    const suggestion = "Write the number of items with the key, as in 'key[2]:'";
    return { message: 'A list without its length', suggestion };
  }
  if (/^---\s*$/.test(line)) {
    return { message: "TOON has no '---'", suggestion: 'Remove the line; a file is one document' };
  }
  for (const [pattern, wording] of wordings) {
    const match = pattern.exec(said);
    if (match !== null) return wording(...match.slice(1));
  }
  return { message: shorten(said), suggestion: 'Check the line, or write the file in YAML' };
}
