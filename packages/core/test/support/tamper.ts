import fc from 'fast-check';

/** Functions that change a part of a token. `other` is a genuine token of the same kind. */
const changes: Readonly<Record<string, (token: string, at: number, other: string) => string>> = {
  flipBit: (token, at) => replace(token, at, String.fromCharCode(token.charCodeAt(at) ^ (1 << (at % 7)))),
  nextCharacter: (token, at) => replace(token, at, String.fromCharCode(token.charCodeAt(at) + 1)),
  changeCase: (token, at) => replace(token, at, swapCase(token[at] ?? '')),
  changeCaseFrom: (token, at) => token.slice(0, at) + swapCase(token.slice(at)),
  drop: (token, at) => token.slice(0, at) + token.slice(at + 1),
  cut: (token, at) => token.slice(0, at),
  behead: (token, at) => token.slice(at + 1),
  double: (token, at) => token.slice(0, at) + token.slice(at).repeat(2),
  insert: (token, at) => `${token.slice(0, at)}A${token.slice(at)}`,
  swap: (token, at) => token.slice(0, at) + (token[at + 1] ?? '') + (token[at] ?? '') + token.slice(at + 2),
  splice: (token, at, other) => token.slice(0, at) + other.slice(at),
  spliceBack: (token, at, other) => token.slice(0, -at) + other.slice(-at),
  pad: (token, at) => token + '='.repeat(1 + (at % 2)),
  blank: (token, at) => `${token.slice(0, at)} ${token.slice(at)}`,
  newline: (token) => `${token}\n`,
};

/** Generates changed tokens that differ from both given ones. */
export function tampered(token: string, other: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...Object.values(changes)), fc.nat({ max: token.length - 1 }))
    .map(([change, at]) => change(token, at, other))
    .filter((changed) => changed !== token && changed !== other);
}

/** Returns every token that differs from this one in one bit of one character. */
export function* bitFlips(token: string): Generator<string> {
  for (let at = 0; at < token.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      yield replace(token, at, String.fromCharCode(token.charCodeAt(at) ^ (1 << bit)));
    }
  }
}

function replace(token: string, at: number, character: string): string {
  return token.slice(0, at) + character + token.slice(at + 1);
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
