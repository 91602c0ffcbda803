import type { Json } from '@workflowlookup/schema';
import { structuredPatch } from 'diff';
import type { ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';
import { JsonTree, LinkedText } from './json.tsx';
import { ScrollTable } from './lists.tsx';

const { output: messages } = commonMessages;

/** A part of a text. */
interface Block {
  readonly kind: 'text' | 'heading' | 'table' | 'code' | 'patch';
  readonly lines: readonly string[];
}

/**
 * Renders an agent's text so that a person can judge it: JSON as a tree, patches, tables, headings and inline code as
 * such, and everything else as it was written. Text is never read as HTML, and its headings are no headings of the page,
 * so it can't look like a part of the page.
 */
export function RenderedText({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const value = jsonIn(text);
  if (value !== undefined)
    return (
      <Scrolling label={label}>
        <JsonTree value={value} />
      </Scrolling>
    );
  return blocksOf(text).map((block, at) => (
    // The index is a stable key, because the blocks of a text never change their order.
    <TextBlock key={`${at} ${block.kind}`} block={block} label={label} />
  ));
}

/** Renders content that scrolls if it is too long, also with the keyboard. */
export function Scrolling({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="scrolling" tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}

function TextBlock({ block, label }: { readonly block: Block; readonly label: string }): ReactNode {
  switch (block.kind) {
    case 'patch':
      return (
        <Scrolling label={label}>
          <DiffLines lines={linesOfPatch(block.lines)} />
        </Scrolling>
      );
    case 'table':
      return <TextTable lines={block.lines} label={label} />;
    case 'code':
      return (
        <pre className="code" tabIndex={0} role="group" aria-label={messages.code(label)}>
          {block.lines.join('\n')}
        </pre>
      );
    case 'heading':
      return (
        <p className="said-heading">
          <InlineText text={block.lines.join(' ')} />
        </p>
      );
    case 'text':
      return (
        <div className="said">
          <InlineText text={block.lines.join('\n')} />
        </div>
      );
  }
}

/** Renders text with its inline code and its links. */
function InlineText({ text }: { readonly text: string }): ReactNode {
  // The index is a stable key, because the parts of a text never change their order.
  return inlineParts(text).map((part, at) =>
    part.isCode ? (
      <code key={`${at} code`}>{part.text}</code>
    ) : (
      <LinkedText key={`${at} text`} text={part.text} />
    ),
  );
}

function TextTable({
  lines,
  label,
}: {
  readonly lines: readonly string[];
  readonly label: string;
}): ReactNode {
  const [head = [], , ...rows] = lines.map(cellsOf);
  return (
    <ScrollTable label={messages.table(label)}>
      <thead>
        <tr>
          {head.map((cell, at) => (
            <th key={`${at} ${cell}`} scope="col">
              <InlineText text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={`${row} ${cells.join(' ')}`}>
            {cells.map((cell, at) => (
              <td key={`${at} ${cell}`}>
                <InlineText text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

/** Returns the object or list that a text is, or `undefined` if it is something else. */
function jsonIn(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    // It only looks like JSON, so it is shown as text.
    return undefined;
  }
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
interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'head' | 'skipped';
  readonly text: string;
}

const signs = { same: ' ', added: '+', removed: '−', head: '', skipped: '' } as const;
const { diff: diffTexts } = commonMessages;

/** Renders the lines of a comparison, each with its sign. Screen readers get words. */
export function DiffLines({ lines }: { readonly lines: readonly DiffLine[] }): ReactNode {
  return (
    <div className="diff">
      {lines.map(({ kind, text }, at) => (
        // The index is a stable key, because lines never change their order.
        <div key={`${at} ${text}`} data-kind={kind}>
          <span aria-hidden>{signs[kind]}</span>
          {(kind === 'added' || kind === 'removed') && (
            <span className="hidden-visually">{diffTexts[kind]}</span>
          )}
          <code>{text}</code>
        </div>
      ))}
    </div>
  );
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
function linesOfPatch(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((line) =>
    /^(\+\+\+|---|@@|diff |index )/.test(line) ? { kind: 'head', text: line } : lineOfHunk(line),
  );
}

function lineOfHunk(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'added', text };
  return { kind: line.startsWith('-') ? 'removed' : 'same', text };
}
