import { structuredPatch } from 'diff';

/** A part of a text. */
export interface Block {
  readonly kind: 'text' | 'heading' | 'table' | 'code' | 'patch';
  readonly lines: readonly string[];
}

const fence = /^\s*```/;
const headingMark = /^#{1,6} +(?=\S)/;
const tableRule = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)+\|?\s*$/;
const patchStart = /^(diff --git |Index: |--- \S)/;
const patchLine = /^([ +\-@\\]|diff |index |new |deleted |similarity |rename |Binary |$)/;

/** Splits a text into tables, headings, patches, code between fences, and the text around them. */
export function blocksOf(text: string): readonly Block[] {
  const lines = text.trimEnd().split('\n');
  const blocks: { kind: Block['kind']; lines: string[] }[] = [];
  for (let at = 0; at < lines.length;) {
    const kind = kindAt(lines, at);
    const end = endOf(lines, at, kind);
    const content = contentOf(kind, lines.slice(at, end));
    const last = blocks.at(-1);
    if (kind === 'text' && last?.kind === 'text') last.lines.push(...content);
    else blocks.push({ kind, lines: [...content] });
    at = end;
  }
  return blocks.filter((block) => block.lines.some((line) => line.trim() !== ''));
}

/** Returns the lines of a block without the marks of Markdown around them. */
function contentOf(kind: Block['kind'], lines: readonly string[]): readonly string[] {
  if (kind === 'code') return lines.slice(1).filter((line) => !fence.test(line));
  return kind === 'heading' ? lines.map((line) => line.replace(headingMark, '')) : lines;
}

function kindAt(lines: readonly string[], at: number): Block['kind'] {
  const [line = '', next = '', third = ''] = lines.slice(at, at + 3);
  if (fence.test(line) && lines.slice(at + 1).some((one) => fence.test(one))) return 'code';
  if (line.includes('|') && tableRule.test(next)) return 'table';
  if (
    line.startsWith('diff --git ') ||
    (patchStart.test(line) && next.startsWith('+++ ') && third.startsWith('@@'))
  )
    return 'patch';
  // In other places such a line may be a comment of a program.
  if (headingMark.test(line) && (lines[at - 1] ?? '').trim() === '') return 'heading';
  return 'text';
}

function endOf(lines: readonly string[], at: number, kind: Block['kind']): number {
  if (kind === 'text' || kind === 'heading') return at + 1;
  const isIn: Readonly<Record<Exclude<Block['kind'], 'text' | 'heading'>, (line: string) => boolean>> = {
    code: (line) => !fence.test(line),
    table: (line) => line.includes('|'),
    patch: (line) => patchLine.test(line),
  };
  const after = lines.findIndex((line, index) => index > at && !isIn[kind](line));
  if (after === -1) return lines.length;
  return kind === 'code' ? after + 1 : after;
}

/** Splits a text into inline code of Markdown and the text around it. */
export function inlineParts(text: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  return text
    .split(/(?<!`)`([^`\n]+)`(?!`)/)
    .map((part, at) => ({ text: part, isCode: at % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/** A line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'head' | 'skipped';
  readonly text: string;
}

const context = 3;

/** Compares two texts line by line. Leaves out unchanged lines that are far from a change. */
export function compareTexts(before: string, after: string): readonly DiffLine[] {
  const skipped: DiffLine = { kind: 'skipped', text: '…' };
  const [old, now] = [withEnd(before), withEnd(after)];
  const { hunks } = structuredPatch('', '', old, now, '', '', { context });
  const lines = hunks.flatMap((hunk) => [
    ...(hunk.oldStart > 1 ? [skipped] : []),
    ...hunk.lines.map(lineOfHunk),
  ]);
  const { oldStart = 0, oldLines = 0 } = hunks.at(-1) ?? {};
  return oldStart + oldLines < old.split('\n').length ? [...lines, skipped] : lines;
}

function withEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** The lines of a patch, with its headers. */
export function linesOfPatch(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((line) =>
    /^(\+\+\+|---|@@|diff |index )/.test(line) ? { kind: 'head', text: line } : lineOfHunk(line),
  );
}

function lineOfHunk(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'added', text };
  return { kind: line.startsWith('-') ? 'removed' : 'same', text };
}
