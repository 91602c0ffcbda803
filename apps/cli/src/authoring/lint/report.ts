import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Inspection, DirectoryReport } from '@workflowlookup/host';
import type { FindingCode, Issue } from '@workflowlookup/schema';
import { createPositions } from '@workflowlookup/schema';
import { nameOf } from '../../files.ts';
import type { LintScope } from './lint.ts';

/** A problem in a definition, with its file. */
export interface LintFinding extends Issue {
  /** The path to show: relative if the file is in the working folder. */
  readonly file: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** The id of the workflow, or the file name if it has none. */
  readonly workflow: string;
}

export interface LintReport {
  readonly checked: number;
  /** Sorted by file and position. */
  readonly findings: readonly LintFinding[];
}

export function countFindings({ findings }: LintReport): {
  readonly errors: number;
  readonly warnings: number;
} {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: findings.length - errors };
}

export async function createReport(
  inspection: Inspection,
  scopes: readonly LintScope[] | undefined,
): Promise<LintReport> {
  const reports = await inspection.reports();
  const findings = new Map<string, LintFinding>();
  for (const [at, report] of reports.entries()) {
    for (const finding of findingsOf(report, scopes?.[at])) {
      const { path, line, column, code, message } = finding;
      findings.set(JSON.stringify([path, line, column, code, message]), finding);
    }
  }
  return {
    checked: reports.reduce((sum, report) => sum + checkedIn(report), 0),
    findings: (await placeIds([...findings.values()])).toSorted(byPlace),
  };
}

/** Counts the served workflows and those that are not served because of an error in their own file. */
function checkedIn({ workflows, problems }: DirectoryReport): number {
  const broken = problems.filter(({ severity }) => severity === 'error');
  return workflows.length + new Set(broken.map(({ file }) => file)).size;
}

function findingsOf(
  { directory, problems }: DirectoryReport,
  only: Pick<LintScope, 'file' | 'workflows'> = {},
): readonly LintFinding[] {
  return problems.flatMap(({ id, file, issues }) => {
    const path = resolve(directory, file);
    if ((only.file ?? path) !== path || only.workflows?.has(id) === false) return [];
    return issues.map((issue) => ({ ...issue, file: nameOf(path), path, workflow: id }));
  });
}

/** Compares two problems by file, then by position. */
export function byPlace(a: LintFinding, b: LintFinding): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/**
 * Adds positions to problems about ids that another file has too. The code that compares files does not have their
 * texts.
 */
async function placeIds(findings: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const placed = await placeFindings(findings.filter(isUnplaced));
  const inTurn = placed.values();
  return findings.map((finding) => (isUnplaced(finding) ? (inTurn.next().value ?? finding) : finding));
}

function isUnplaced({ code, pointer, line, column }: LintFinding): boolean {
  return code === 'duplicate-id' && pointer === '/id' && line === 1 && column === 1;
}

/** Adds the positions that the pointers of problems lead to. Problems in unreadable files stay as they are. */
export async function placeFindings(findings: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const texts = await sourceTexts(findings);
  const positions = new Map(
    await Promise.all(
      Array.from(
        texts,
        async ([path, text]) => [path, await createPositions({ text, format: formatOf(path) })] as const,
      ),
    ),
  );
  return findings.map((finding) => ({ ...finding, ...positions.get(finding.path)?.(finding.pointer) }));
}

function formatOf(file: string): 'json' | 'toon' | 'yaml' {
  if (file.endsWith('.json')) return 'json';
  return file.endsWith('.toon') ? 'toon' : 'yaml';
}

/**
 * Codes of problems in files that must not be opened: links out of the source, special files and files that are too
 * large.
 */
const unopened: ReadonlySet<FindingCode> = new Set(['beyond-limits', 'leaves-source', 'unreadable-file']);

/**
 * Reads the texts of the files that have problems, without byte order marks, by path. Unreadable files are left out.
 */
export async function sourceTexts(findings: readonly LintFinding[]): Promise<ReadonlyMap<string, string>> {
  const closed = new Set(findings.filter(({ code }) => unopened.has(code)).map(({ path }) => path));
  const paths = new Set(findings.map(({ path }) => path).filter((path) => !closed.has(path)));
  const texts = await Promise.all(
    Array.from(paths, async (path) => [path, await readIfThere(path)] as const),
  );
  return new Map(texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])));
}

/** Returns the text of a file, or `undefined` if it is gone or is a folder. */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch {
    // A file that can't be read has no text to show; the finding says what is wrong with it.
    return undefined;
  }
}
