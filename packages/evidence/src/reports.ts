import { lstat, readFile, readdir, realpath, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { TestCounts } from '@workflowlookup/core/sessions';
import type { Report } from '@workflowlookup/schema';
import { writeOutHidden } from '@workflowlookup/schema';
import picomatch from 'picomatch';
import { validateSarif } from './generated/validate-sarif.js';
import { reportMessages } from './messages.ts';

/** The results in the reports of a check. */
export interface ReportedResults {
  readonly tests?: TestCounts;
  readonly errors?: number;
  readonly coverage?: number;
  /** Messages about reports that are missing or can't be read. */
  readonly problems: readonly string[];
}

const maxReportBytes = 64 * 1024 * 1024;

/** The maximum number of reports that one pattern can match. */
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
 * Deletes the reports of earlier runs, so that the reports found after a run are its own. Returns the files that can't
 * be deleted.
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
        else if (kind === 'lcov') lines.push(await linesInLcov(text));
        else {
          const log = readSarif(text);
          errors.push(countErrors(log));
          if (hasFailed(log)) problems.push(reportMessages.toolFailed(file));
        }
      } catch {
        // Whatever the error is, the text is not a report of this kind.
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
  // A linked folder can lead out of the project, and matching files in it would be deleted.
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

/** Returns whether a path is in a folder, with all links followed. */
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

/** How many failed tests are named. */
const maxNamed = 5;

const maxNameChars = 120;

/** Counts the tests in a JUnit report. @throws Error if the text is not a JUnit report */
async function readJunit(text: string): Promise<TestCounts> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  if (XMLValidator.validate(text) !== true) throw new Error('not XML');
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    // Entities of the document could make it grow without limit.
    processEntities: false,
    parseAttributeValue: false,
    isArray: (name) => ['testsuites', 'testsuite', 'testcase'].includes(name),
  });
  const root = parser.parse(text) as Node;
  const suites = [...(root.testsuites ?? []), ...(root.testsuite ?? [])];
  if (suites.length === 0) throw new Error('no test suite');
  return sumOfTests(suites.map(countIn));
}

/** An element of a report. An element with nothing in it is an empty text. */
interface Node {
  readonly testsuites?: readonly Element[];
  readonly testsuite?: readonly Element[];
  readonly testcase?: readonly Element[];
  readonly [name: string]: unknown;
}

type Element = Node | string;

function countIn(element: Element): TestCounts {
  if (typeof element === 'string') return none;
  const suites = [...(element.testsuites ?? []), ...(element.testsuite ?? [])].map(countIn);
  const cases = (element.testcase ?? []).map(countOne);
  return sumOfTests([...suites, ...cases]);
}

const notRun: ReadonlySet<string> = new Set(['notrun', 'skipped', 'disabled', 'ignored']);

function countOne(test: Element): TestCounts {
  const node: Node = typeof test === 'string' ? {} : test;
  if ('failure' in node || 'error' in node) return { ...none, run: 1, failed: 1, failures: [nameOf(node)] };
  // Some runners, such as GoogleTest, name tests that did not run only in an attribute.
  const isSkipped = 'skipped' in node || notRun.has(String(node['status']).toLowerCase());
  return isSkipped ? { ...none, skipped: 1 } : { ...none, run: 1 };
}

function nameOf({ classname, name }: Node): string {
  const parts = [classname, name].filter((part) => typeof part === 'string' && part !== '');
  const text = decode(parts.join(' › ')).replaceAll(/\s+/g, ' ');
  return writeOutHidden(text).slice(0, maxNameChars);
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function decode(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
}

const none: TestCounts = { run: 0, failed: 0, skipped: 0, failures: [] };

/** Adds the counts of several reports. */
function sumOfTests(counts: readonly TestCounts[]): TestCounts {
  const total = { run: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  for (const one of counts) {
    total.run += one.run;
    total.failed += one.failed;
    total.skipped += one.skipped;
    failures.push(...one.failures.slice(0, maxNamed - failures.length));
  }
  return { ...total, failures };
}

interface SarifLog {
  readonly runs: readonly SarifRun[];
}

interface SarifRun {
  readonly tool: { readonly driver: SarifComponent; readonly extensions?: readonly SarifComponent[] };
  readonly invocations?: readonly { readonly executionSuccessful?: boolean }[];
  readonly results?: readonly SarifResult[] | null;
}

interface SarifComponent {
  readonly rules?: readonly { readonly id: string; readonly defaultConfiguration?: SarifLevel }[];
}

interface SarifLevel {
  readonly level?: string;
}

interface SarifResult extends SarifLevel {
  readonly kind?: string;
  readonly ruleId?: string;
  readonly ruleIndex?: number;
  readonly rule?: {
    readonly id?: string;
    readonly index?: number;
    readonly toolComponent?: { readonly index?: number };
  };
  readonly suppressions?: readonly { readonly status?: string }[] | null;
}

/** Reads a SARIF log. Throws an error for another text. */
function readSarif(text: string): SarifLog {
  const log: unknown = JSON.parse(text);
  if (!validateSarif(log)) throw new Error('not SARIF 2.1');
  return log as SarifLog;
}

/** Counts the errors in a log. What is suppressed does not count, unless somebody has yet to accept that. */
function countErrors({ runs }: SarifLog): number {
  const isError = (result: SarifResult, run: SarifRun): boolean => {
    const { kind = 'fail', suppressions } = result;
    const isSuppressed =
      (suppressions ?? []).length > 0 &&
      suppressions?.every(({ status = 'accepted' }) => status === 'accepted') === true;
    return kind === 'fail' && !isSuppressed && levelOf(result, run) === 'error';
  };
  return runs.reduce(
    (sum, run) => sum + (run.results ?? []).filter((result) => isError(result, run)).length,
    0,
  );
}

/** Returns the level of a result. Many tools, such as CodeQL and Semgrep, say it only with the rule. */
function levelOf(result: SarifResult, { tool: { driver, extensions = [] } }: SarifRun): string {
  const { level, rule: { toolComponent, ...rule } = {} } = result;
  if (level !== undefined) return level;
  const { ruleId = rule.id, ruleIndex = rule.index ?? -1 } = result;
  const own = toolComponent?.index === undefined ? driver : extensions[toolComponent.index];
  const all = [driver, ...extensions].flatMap(({ rules = [] }) => rules);
  const found = own?.rules?.[ruleIndex] ?? all.find(({ id }) => id === ruleId);
  return found?.defaultConfiguration?.level ?? 'warning';
}

/** Returns whether a tool says that it could not do its work. */
function hasFailed({ runs }: SarifLog): boolean {
  return runs.some(({ invocations = [] }) =>
    invocations.some(({ executionSuccessful }) => executionSuccessful === false),
  );
}

/** Lines of code that tests could run, and those that they ran. */
interface CoveredLines {
  readonly found: number;
  readonly hit: number;
}

/** Adds up the lines in an lcov report. Throws an error for another text. */
async function linesInLcov(text: string): Promise<CoveredLines> {
  const { lcovParser } = await import('@friedemannsommer/lcov-parser');
  const sections = await lcovParser({ from: text });
  if (sections.length === 0) throw new Error('no file in the report');
  const isPossible = ({ lines: { hit, instrumented } }: (typeof sections)[number]): boolean =>
    Number.isSafeInteger(instrumented) && Number.isSafeInteger(hit) && hit >= 0 && hit <= instrumented;
  if (!sections.every(isPossible)) throw new Error('impossible counts');
  return {
    found: sections.reduce((sum, { lines }) => sum + lines.instrumented, 0),
    hit: sections.reduce((sum, { lines }) => sum + lines.hit, 0),
  };
}
