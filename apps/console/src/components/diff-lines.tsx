import { diffLines } from 'diff';
import type { ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';

/** A line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'head' | 'skipped';
  readonly text: string;
}

const signs = { same: ' ', added: '+', removed: '−', head: '', skipped: '' } as const;
const { diff: messages } = commonMessages;

/** Renders the lines of a comparison, each with its sign. Screen readers get words. */
export function DiffLines({ lines }: { readonly lines: readonly DiffLine[] }): ReactNode {
  return (
    <div className="diff">
      {lines.map(({ kind, text }, at) => (
        // The index is a stable key, because lines never change their order.
        <div key={`${at} ${text}`} data-kind={kind}>
          <span aria-hidden>{signs[kind]}</span>
          {(kind === 'added' || kind === 'removed') && (
            <span className="hidden-visually">{messages[kind]}</span>
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
  const all = diffLines(withEnd(before), withEnd(after)).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text })),
  );
  const isNear = (at: number): boolean =>
    all.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same');
  const lines: DiffLine[] = [];
  for (const [at, line] of all.entries()) {
    if (isNear(at)) lines.push(line);
    else if (lines.at(-1)?.kind !== 'skipped') lines.push({ kind: 'skipped', text: '…' });
  }
  return lines;
}

function withEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

export function linesOfPatch(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((line) => {
    if (/^(\+\+\+|---|@@|diff |index )/.test(line)) return { kind: 'head', text: line };
    if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
    if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
    return { kind: 'same', text: line.slice(1) };
  });
}
