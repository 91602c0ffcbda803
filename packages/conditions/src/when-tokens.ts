/** A piece of a `when` string. */
export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'sign' | 'bad' | 'end';
  /** As written; of a string what it says, of a bad piece what is wrong with it. */
  readonly text: string;
  /** From 1, in UTF-16 units. */
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

/** Cuts a `when` string into pieces; the last one is the end, or a bad piece where it can't be read further. */
export function tokenize(text: string): readonly Token[] {
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
  const wrong =
    char === '"' || char === "'" ? 'The string has no closing quote' : `Unexpected ${JSON.stringify(char)}`;
  return { token: { kind: 'bad', text: wrong, column }, length: 0 };
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\([^])/g, (_, char: string) => escapes[char] ?? char);
}
