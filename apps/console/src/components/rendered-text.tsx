import type { Json } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';
import { JsonTree, LinkedText } from './json-tree.tsx';
import { ScrollTable } from './lists.tsx';
import type { Block, DiffLine } from './text-blocks.ts';
import { blocksOf, inlineParts, linesOfPatch } from './text-blocks.ts';

const { output: messages } = commonMessages;

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
