import { maxIssues } from '../limits.ts';
import { messages } from '../messages/workflow.ts';
import { moreFindings } from '../readers/check-shape.ts';
import { withoutEmpty } from '../text/hidden-characters.ts';
import type { Locate, ParsedText, Span, TextFinding } from '../text/parsed-text.ts';
import { positionsIn } from '../text/parsed-text.ts';
import type { ActivityPart } from '../workflow/activity-workflow.ts';
import type { Finding, Issue, Repair, TextEdit } from './finding.ts';
import { isFatal } from './finding.ts';

/** A finding in one file of a workflow. */
export interface FileFinding extends Finding {
  /** Path in the folder; for a borrowed activity `workflow/path`. */
  readonly file: string;
}

/** Places findings about an activity in its file. */
export function* inFile(
  { file, pointer }: Pick<ActivityPart, 'file' | 'pointer'>,
  findings: Iterable<Finding>,
): Generator<FileFinding> {
  for (const finding of findings) yield { ...finding, file, pointer: pointer + finding.pointer };
}

interface Entry extends Pick<ParsedText, 'locator' | 'text'> {
  readonly findings: TextFinding[];
}

/** The findings of a folder, by file. */
export class FindingsByFile {
  readonly #entries = new Map<string, Entry>();

  /** Adds a file after reading it, with its findings. */
  addFile(file: string, { text, locator, findings }: Omit<ParsedText, 'value'>): void {
    this.#entries.set(file, { text, locator, findings: [...findings] });
  }

  /** Adds findings to files that were added before. */
  add(findings: Iterable<FileFinding>): void {
    for (const { file, ...finding } of findings) this.#entries.get(file)?.findings.push(finding);
  }

  /** Tells whether a file has an error that prevents its use. */
  isBroken(file: string): boolean {
    return this.#entries.get(file)?.findings.some(isFatal) ?? false;
  }

  async toIssues(): Promise<ReadonlyMap<string, readonly Issue[]>> {
    const issues = new Map<string, readonly Issue[]>();
    for (const [file, { text, findings, locator }] of this.#entries) {
      if (findings.length > 0) issues.set(file, await toIssues(findings, { locator, text }));
    }
    return issues;
  }
}

/** Returns at most {@link maxIssues} findings, the most severe first, plus one that stands for the rest. */
function limitFindings(findings: readonly TextFinding[]): readonly TextFinding[] {
  const ranked = findings.toSorted((a, b) => rank(a) - rank(b));
  const next = ranked[maxIssues];
  return next === undefined ? findings : [...ranked.slice(0, maxIssues), moreFindings(next)];
}

/** Reports a definition that is too expensive to check. */
export const tooCostly: TextFinding = { ...messages.tooExpensive(), pointer: '' };

function rank({ severity, served }: TextFinding): number {
  if (severity === 'warning') return 2;
  return served === true ? 1 : 0;
}

/** Looks up the positions of findings and returns them in the order of the text, as many as a reader may report. */
export async function toIssues(
  findings: readonly TextFinding[],
  { locator, text }: Pick<ParsedText, 'locator' | 'text'>,
): Promise<readonly Issue[]> {
  if (findings.length === 0) return [];
  const locate = await locator();
  const positionOf = positionsIn(text);
  const issues = limitFindings(findings).map(({ offset, atKey, repair, ...finding }) => {
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
