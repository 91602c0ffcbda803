import { withoutEmpty } from '../text/hidden-characters.ts';
import type { Locate, Span } from '../text/parsed-text.ts';
import type { Repair, TextEdit } from './finding.ts';

/** The text to repair and the location of the finding. */
export interface RepairTarget {
  readonly text: string;
  readonly span: Span;
  readonly locate: Locate;
}

/** Returns the edits that carry out a repair, or none if they aren't certain to be safe. */
export function editsFor(repair: Repair, { text, span, locate }: RepairTarget): readonly TextEdit[] {
  const { start, end } = span;
  if (repair.kind === 'cut') return [{ offset: start, length: 1, text: '' }];
  if (repair.kind === 'append') return appended(repair, text, locate);
  if (end === undefined) return [];
  const source = text.slice(start, end);
  if (repair.kind === 'swap') return swapped(repair, source, start);
  // Text over several lines isn't simply quoted, and the value of an alias is written elsewhere.
  if (source.includes('\n') || /^[*&!|>]/.test(source)) return [];
  const changed = repair.kind === 'respell' ? respelled(source, repair.to) : retyped(source, repair.as);
  return changed === undefined ? [] : [{ offset: start, length: source.length, text: changed }];
}

function respelled(source: string, to: string): string {
  const [quote = ''] = /^["']/.exec(source) ?? [];
  return quote + to + quote;
}

function retyped(source: string, as: 'list' | 'literal' | 'text'): string | undefined {
  const isQuoted = /^["']/.test(source);
  if (as === 'text') return JSON.stringify(source);
  if (as === 'list') return `[${isQuoted ? source : JSON.stringify(source)}]`;
  // Without the quotes, an escape sequence would lose its meaning.
  return /^["'] *(\w+) *["']$/.exec(source)?.[1];
}

type Of<Kind extends Repair['kind']> = Extract<Repair, { readonly kind: Kind }>;

function swapped({ from, to }: Of<'swap'>, source: string, start: number): readonly TextEdit[] {
  if (!remainsText(source, withoutEmpty(source.replaceAll(from, to)))) return [];
  const edits: TextEdit[] = [];
  for (let at = source.indexOf(from); at >= 0; at = source.indexOf(from, at + from.length)) {
    edits.push({ offset: start + at, length: from.length, text: to });
  }
  return edits;
}

/**
 * Tells whether the edited text is certain to be read as a single text. For unquoted text that depends on its first
 * character and its punctuation.
 */
function remainsText(before: string, after: string): boolean {
  if (/^["']/.test(before)) return true;
  if (/^[|>]/.test(before)) return indentsOf(before) === indentsOf(after);
  return (
    /^\p{L}/u.test(after) && !/^(?:true|false|null)$/i.test(after) && !/:(?:[\s,[\]{}]|$)|\s#/.test(after)
  );
}

function indentsOf(block: string): string {
  return block.replaceAll(/[^ \n].*/g, '');
}

/**
 * Adds a property. In YAML it goes after the whole line, so that a comment there stays; in braces it goes right after
 * the value.
 */
function appended({ behind, key, value }: Of<'append'>, text: string, locate: Locate): readonly TextEdit[] {
  const { start } = locate(behind, true);
  const { end } = locate(behind, false);
  if (end === undefined) return [];
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const hasOwnLine = indent.trim() === '';
  if (text[locate('', false).start] === '{') {
    const gap = hasOwnLine ? newLine + indent : ' ';
    return [{ offset: end, length: 0, text: `,${gap}"${key}": "${value}"` }];
  }
  if (!hasOwnLine) return [];
  const lineEnd = text.indexOf('\n', end - 1);
  const line = `${indent}${key}: ${value}`;
  return lineEnd < 0
    ? [{ offset: text.length, length: 0, text: newLine + line }]
    : [{ offset: lineEnd + 1, length: 0, text: line + newLine }];
}
