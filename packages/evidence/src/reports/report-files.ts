import { lstat, readFile, readdir, realpath, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import type { Report } from '@workflowlookup/schema';
import type { TestCounts } from '@workflowlookup/core/sessions';
import { reportMessages } from '../messages.ts';
import { readJunit, sumOfTests } from './junit.ts';
import type { CoveredLines } from './other-reports.ts';
import { errorsInSarif, linesInLcov } from './other-reports.ts';

/** What the reports of a check say. */
export interface ReportedResults {
  readonly tests?: TestCounts;
  readonly errors?: number;
  readonly coverage?: number;
  /** Reports that are missing or that can't be read. */
  readonly problems: readonly string[];
}

const maxReportBytes = 64 * 1024 * 1024;

/** Most reports that one pattern can name. */
const maxFiles = 5000;

type ReportKind = 'junit' | 'sarif' | 'lcov';

function kindAndPattern(report: Report): { readonly kind: ReportKind; readonly pattern: string } {
  if ('junit' in report) return { kind: 'junit', pattern: report.junit };
  return 'sarif' in report
    ? { kind: 'sarif', pattern: report.sarif }
    : { kind: 'lcov', pattern: report.lcov };
}

/** The paths and patterns of reports. */
export function reportPatterns(reports: readonly Report[]): readonly string[] {
  return reports.map((report) => kindAndPattern(report).pattern);
}

/**
 * Deletes the reports of earlier runs, so that what is there after a run was written by it. Returns those that can't be
 * deleted.
 */
export async function deleteReports(folder: string, reports: readonly Report[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const pattern of reportPatterns(reports)) {
    for (const file of await filesOf(folder, pattern)) {
      await rm(join(folder, file), { force: true }).catch(() => left.push(file));
    }
  }
  return left;
}

/** Reads the reports that a run has written. */
export async function readReports(folder: string, reports: readonly Report[]): Promise<ReportedResults> {
  const problems: string[] = [];
  const tests: TestCounts[] = [];
  const errors: number[] = [];
  const lines: CoveredLines[] = [];
  for (const report of reports) {
    const { kind, pattern } = kindAndPattern(report);
    const files = await filesOf(folder, pattern);
    if (files.length === 0) problems.push(reportMessages.missing(kind, pattern));
    if (files.length > maxFiles) problems.push(reportMessages.tooMany(pattern, files.length, maxFiles));
    for (const file of files.slice(0, maxFiles)) {
      try {
        const text = await textOf(join(folder, file));
        if (kind === 'junit') tests.push(await readJunit(text));
        else if (kind === 'sarif') errors.push(errorsInSarif(text));
        else lines.push(await linesInLcov(text));
      } catch {
        // Whatever is wrong with its text, it is none.
        problems.push(reportMessages.unreadable(kind, file));
      }
    }
  }
  const found = lines.reduce((sum, one) => sum + one.found, 0);
  const hit = lines.reduce((sum, one) => sum + one.hit, 0);
  return {
    problems,
    ...(tests.length === 0 ? {} : { tests: sumOfTests(tests) }),
    ...(errors.length === 0 ? {} : { errors: errors.reduce((sum, one) => sum + one, 0) }),
    ...(found === 0 ? {} : { coverage: Math.floor((hit / found) * 10_000) / 100 }),
  };
}

async function textOf(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > maxReportBytes) throw new Error('too large');
  return readFile(path, 'utf8');
}

/** Returns the regular files in a folder that a path or pattern names, as paths from the folder. */
async function filesOf(folder: string, pattern: string): Promise<readonly string[]> {
  const { base, isGlob } = picomatch.scan(pattern);
  const start = isGlob ? base : pattern;
  // A folder that is a link can lead out of the project, and what a pattern names in it would be deleted.
  if (!(await isWithin(folder, isGlob ? base : join(pattern, '..')))) return [];
  if (!isGlob) return (await isFile(join(folder, start))) ? [start] : [];
  const isMatch = picomatch(pattern.replace(/^\.\//, ''), { dot: true });
  const entries = await readdir(join(folder, start), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => isMatch(path));
}

async function isFile(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true;
}

/** Returns whether a folder is in another one, also after links are followed. */
async function isWithin(folder: string, path: string): Promise<boolean> {
  try {
    const root = await realpath(folder);
    const found = await realpath(join(folder, path));
    return found === root || found.startsWith(root + sep);
  } catch {
    // It does not exist.
    return false;
  }
}
