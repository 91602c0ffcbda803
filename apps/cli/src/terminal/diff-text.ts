import { structuredPatch } from 'diff';
import { plainLine } from './plain-text.ts';
import type { Terminal } from './terminal.ts';

/** Formats the difference between two texts, with some lines of context. A new text has no numbers of lines. */
export function diffText(before: string, after: string, { paint }: Pick<Terminal, 'paint'>): string {
  const { hunks } = structuredPatch('', '', before, after);
  const lines = hunks.flatMap(({ oldStart, newStart, lines: changed }) => [
    ...(before === '' ? [] : [paint('dim', `@@ -${oldStart} +${newStart} @@`)]),
    ...changed.map((line) => lineText(line, paint)),
  ]);
  return lines.join('\n');
}

function lineText(line: string, paint: Terminal['paint']): string {
  // A carriage return is part of the line ending, not of the line.
  const text = plainLine(line.replace(/\r$/, ''));
  if (text.startsWith('+')) return paint('green', text);
  return text.startsWith('-') ? paint('red', text) : text;
}
