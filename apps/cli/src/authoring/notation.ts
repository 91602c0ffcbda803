import type { Json } from '@workflowlookup/schema';
import { encodeToon } from '@workflowlookup/schema';
import { CST, Lexer, stringify } from 'yaml';

/** The notations of definitions. */
export const notations = ['json', 'yaml', 'toon'] as const;

/** A notation of definitions. */
export type Notation = (typeof notations)[number];

/** The notation a file is written in, by its name. */
export function notationOf(file: string): Notation | undefined {
  if (/\.ya?ml$/.test(file)) return 'yaml';
  return notations.find((notation) => file.endsWith(`.${notation}`));
}

/** A value in a notation, as people lay it out. Throws a `TypeError` for what TOON can't say. */
export async function write(value: Json, notation: Notation): Promise<string> {
  if (notation === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  if (notation === 'toon') return `${await encodeToon(value)}\n`;
  return stringify(value, { version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false });
}

/** The lines that hold comments, from 1. */
export function commentLines(text: string, notation: Notation): readonly number[] {
  if (notation === 'json') return [];
  if (notation === 'toon') return linesStarting(text, /^\s*#/);
  const lines: number[] = [];
  let [line, isScalar] = [1, false];
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalar && lexeme.startsWith('#')) lines.push(line);
    isScalar = lexeme === CST.SCALAR;
    line += lexeme.split('\n').length - 1;
  }
  return lines;
}

function linesStarting(text: string, start: RegExp): readonly number[] {
  return text.split(/\r\n|\n|\r/).flatMap((line, at) => (start.test(line) ? [at + 1] : []));
}
