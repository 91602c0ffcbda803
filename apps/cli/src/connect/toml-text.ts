import type { AST } from 'toml-eslint-parser';
import { lineEnd } from './config-text.ts';

/**
 * The text with these keys in a table: in the place of those that are there, else below its heading. JSON writes strings
 * and arrays of them as TOML does.
 */
export function withKeys(
  text: string,
  table: AST.TOMLTable,
  values: Readonly<Record<string, unknown>>,
): string {
  const edits = Object.entries(values).map(([key, value]) => {
    const there = table.body.find(({ key: { keys } }) => keys.length === 1 && nameOf(keys[0]) === key);
    if (there !== undefined) return { range: there.value.range, text: JSON.stringify(value) };
    const below = endOfLine(text, table.key.range[1]);
    const start = text[below - 1] === '\n' ? '' : lineEnd(text);
    return {
      range: [below, below] as const,
      text: `${start}${key} = ${JSON.stringify(value)}${lineEnd(text)}`,
    };
  });
  return edits
    .toSorted((a, b) => b.range[0] - a.range[0])
    .reduce((next, { range, text: put }) => next.slice(0, range[0]) + put + next.slice(range[1]), text);
}

/** The text without the lines of these tables. */
export function withoutTables(text: string, tables: readonly AST.TOMLTable[]): string {
  return tables.reduceRight(
    (next, { range }) => next.slice(0, range[0]) + next.slice(endOfLine(next, range[1])),
    text,
  );
}

/** The text with a table at its end. */
export function withBlock(text: string, block: string): string {
  const eol = lineEnd(text);
  const before = text === '' || text.endsWith('\n') ? text : text + eol;
  const gap = before.trim() === '' || /\n\r?\n$/.test(before) ? '' : eol;
  return `${before}${gap}${block.replaceAll('\n', eol)}${eol}`;
}

/** The name that a part of a key stands for. */
export function nameOf(part: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined {
  return part?.type === 'TOMLQuoted' ? part.value : part?.name;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}
