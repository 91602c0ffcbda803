import { structuredPatch } from 'diff';
import { plainLine } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';

/** What a change does to a text: the lines that go and come, with those around them. */
export function diffText(before: string, after: string, { paint }: Pick<Terminal, 'paint'>): string {
  const { hunks } = structuredPatch('', '', before, after);
  const lines = hunks.flatMap(({ oldStart, newStart, lines: changed }) => [
    paint('dim', `@@ -${oldStart} +${newStart} @@`),
    ...changed.map((line) => lineText(line, paint)),
  ]);
  return lines.join('\n');
}

function lineText(line: string, paint: Terminal['paint']): string {
  // What ends a line is no character of it.
  const text = plainLine(line.replace(/\r$/, ''));
  if (text.startsWith('+')) return paint('green', text);
  return text.startsWith('-') ? paint('red', text) : text;
}
