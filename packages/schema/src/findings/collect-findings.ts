import { tooExpensive } from '../messages/workflow.ts';
import { maxIssues } from '../limits.ts';
import { moreFindings } from '../schemas/check-shape.ts';
import type { TextFinding, ParsedText } from '../text/parsed-text.ts';
import { positionsIn } from '../text/parsed-text.ts';
import type { ActivityPart } from '../workflow/activity-workflow.ts';
import type { Finding, Issue } from './finding.ts';
import { editsFor } from './repairs.ts';

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
