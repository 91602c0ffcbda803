import { maxIssues } from '../limits.ts';
import { tooExpensive } from '../messages/workflow.ts';
import { moreFindings } from '../readers/check-shape.ts';
import { withoutEmpty } from '../text/hidden-characters.ts';
import type { Locate, ParsedText, Span, TextFinding } from '../text/parsed-text.ts';
import { positionsIn } from '../text/parsed-text.ts';
import type { ActivityPart } from '../workflow/activity-workflow.ts';
import type { Finding, Issue, Repair, TextEdit } from './finding.ts';

/** A finding in one file of a workflow. */
export interface FileFinding extends Finding {
  /** Path in the folder; for a borrowed activity `workflow/path`. */
  readonly file: string;
}

export function activityLocation(
  { file, pointer }: ActivityPart,
  place: string,
): Pick<FileFinding, 'file' | 'pointer'> {
  return { file, pointer: pointer + place };
}

interface Entry {
  readonly text: string;
  readonly locator: ParsedText['locator'];
  readonly findings: TextFinding[];
}

export interface FindingsByFile {
  /** Adds a file after reading it, with its findings. */
  readonly addFile: (
    file: string,
    read: Omit<Entry, 'findings'> & { readonly findings: readonly TextFinding[] },
  ) => void;
  /** Adds findings to files that were added before. */
  readonly add: (findings: Iterable<FileFinding>) => void;
  /** Tells whether a file has an error that prevents its use. */
  readonly isBroken: (file: string) => boolean;
  readonly toIssues: () => Promise<ReadonlyMap<string, readonly Issue[]>>;
}

/** Creates an empty collection. */
export function collectFindings(): FindingsByFile {
  const entries = new Map<string, Entry>();
  return {
    addFile: (file, { text, locator, findings }) =>
      void entries.set(file, { text, locator, findings: [...findings] }),
    add: (findings) => {
      for (const { file, ...finding } of findings) entries.get(file)?.findings.push(finding);
    },
    isBroken: (file) =>
      entries.get(file)?.findings.some(({ severity, served }) => severity === 'error' && served !== true) ??
      false,
    toIssues: async () => {
      const issues = new Map<string, readonly Issue[]>();
      for (const [file, { text, findings, ...parsed }] of entries) {
        if (findings.length > 0) issues.set(file, await toIssues(limitFindings(findings), parsed, text));
      }
      return issues;
    },
  };
}

/** Returns at most {@link maxIssues} findings, the most severe first, plus one that stands for the rest. */
export function limitFindings(findings: readonly TextFinding[]): readonly TextFinding[] {
  const ranked = findings.toSorted((a, b) => rank(a) - rank(b));
  const next = ranked[maxIssues];
  return next === undefined ? findings : [...ranked.slice(0, maxIssues), moreFindings(next)];
}

/** Reports a definition that is too expensive to check. */
export const tooCostly: TextFinding = {
  severity: 'error',
  code: 'beyond-limits',
  pointer: '',
  ...tooExpensive,
};

function rank({ severity, served }: TextFinding): number {
  if (severity === 'warning') return 2;
  return served === true ? 1 : 0;
}

/** Looks up the positions of findings and returns them in the order of the text. */
export async function toIssues(
  findings: readonly TextFinding[],
  { locator }: Pick<ParsedText, 'locator'>,
  text: string,
): Promise<readonly Issue[]> {
  const locate = await locator();
  const positionOf = positionsIn(text);
  const issues = findings.map(({ offset, atKey, repair, ...finding }) => {
    const span = offset === undefined ? locate(finding.pointer, atKey ?? false) : { start: offset };
    const edits = repair === undefined ? [] : editsFor(repair, { text, span, locate });
    return { start: span.start, issue: { ...finding, ...(edits.length > 0 && { edits }) } };
  });
  return issues
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, issue }) => ({ ...issue, ...positionOf(start) }));
}

/** The text to repair and the location of the finding. */
interface RepairTarget {
  readonly text: string;
  readonly span: Span;
  readonly locate: Locate;
}

/** Returns the edits that carry out a repair, or none if they aren't certain to be safe. */
function editsFor(repair: Repair, { text, span, locate }: RepairTarget): readonly TextEdit[] {
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
