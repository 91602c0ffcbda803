import type { Found } from './parsed-text.ts';

/** What a piece of YAML becomes when it is read as TOON. */
export type Trap = Pick<Found, 'severity' | 'code' | 'message' | 'suggestion'>;

/** A text value that was read without quotes, and where. */
export interface PlainText {
  readonly text: string;
  /** The key it stands under, where it is the whole value of that key. */
  readonly key: string | undefined;
  /** The line it stands on. */
  readonly line: string;
}

const error = (message: string, suggestion: string): Trap => ({
  severity: 'error',
  code: 'misread-text',
  message,
  suggestion,
});
const warning = (message: string, suggestion: string): Trap => ({
  severity: 'warning',
  code: 'misread-text',
  message,
  suggestion,
});
const quote = 'Put it in double quotes if it is text';

const blockScalar = /^[|>](?:[-+][1-9]?|[1-9][-+]?)?(?:\s+#.*)?$/;

/** By what a plain text looks like: what its author more likely meant. */
const valueTraps: readonly (readonly [looksLike: RegExp, trap: Trap])[] = [
  [
    blockScalar,
    error(
      'TOON has no block scalars: the lines that follow would be lost',
      'Write the text on one line in double quotes, with \\n for line breaks, or write the file in YAML',
    ),
  ],
  [/^\[.*\]$/, error('TOON has no lists in brackets', `Write 'key[2]: a,b'. ${quote}`)],
  [/^\{\s*\}$|^\{.*:\s.*\}$/, error('TOON has no objects in braces', `Write a key per line. ${quote}`)],
  [
    /^-(?: |$)/,
    error('A list item that is read as text', `Write 'key[1]:' and the items below it. ${quote}`),
  ],
  [
    /^'.*'$/s,
    warning('TOON has no single quotes: they are read as part of the text', 'Use double quotes, or none'),
  ],
  [/^~$/, warning("TOON has no '~': it is read as text", 'Write null, or leave the key out')],
  [
    /^(?:&[\w-]+(?: |$)|\*[\w-]+$|!!?\w*(?: |$))/,
    warning('TOON has no anchors, aliases and tags: this is read as text', `Write the value out. ${quote}`),
  ],
  [
    / #(?: |$)/,
    warning(
      'TOON has no comments behind a value: it is read as part of the text',
      'Give the comment its own line',
    ),
  ],
];

/** What a text value would lose or change against what it looks like; `undefined` for honest text. */
export function trapInText({ text, key, line }: PlainText): Trap | undefined {
  // Quoted text says what it means; a comparison is the one key where `>` is a value of its own.
  if (line.includes(`"${text}"`) || !line.includes(text)) return undefined;
  if (key === 'operator' && text === '>') return undefined;
  return valueTraps.find(([looksLike]) => looksLike.test(text))?.[1];
}

/** What a cell of a row or an inline list would lose: only a list within a list can be meant there. */
export function trapInCell({ text, line }: Pick<PlainText, 'line' | 'text'>): Trap | undefined {
  if (/^\[./.test(text) && /:\s*\[.*\]\s*$/.test(line)) {
    return error('Brackets around the items of a list are read as part of the items', "Write 'key[2]: a,b'");
  }
  return /^-(?: |$)/.test(text) && line.trimEnd().endsWith(`: ${text}`)
    ? error('A list item that is read as text', `Write the items below 'key[1]:'. ${quote}`)
    : undefined;
}

/** What is wrong with a number that was read; text such as an id of twenty digits would not come back the same. */
export function trapInNumber(value: number): Trap | undefined {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
  return error('A whole number with more digits than can be kept', 'Put it in double quotes');
}

/** What is wrong with a key, `undefined` for an honest one. */
export function trapInKey(key: string, line: string): Trap | undefined {
  // A key in quotes means what it says, and a field of a header stands on another line.
  if (![line.trim(), line.replace(/^ *- +/, '')].some((text) => text.startsWith(key))) return undefined;
  if (/^-(?: |$)/.test(key)) {
    return error('A list without its length', "Write the number of items with the key, as in 'key[2]:'");
  }
  if (key === '<<') return error("Merge keys ('<<') are not supported", 'Write the keys out');
  if (key.startsWith('{')) return error('JSON, where TOON is expected', 'Name the file .json');
  return /^'.*'$/.test(key)
    ? warning('TOON has no single quotes: they are read as part of the key', 'Use double quotes, or none')
    : undefined;
}
