import { readFile } from 'node:fs/promises';
import { resolve, isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DirectoryReport, Inspection } from '@workflowlookup/host';
import type { FindingCode, Issue } from '@workflowlookup/schema';
import { createPositions, findingCodes } from '@workflowlookup/schema';
import { createTwoFilesPatch } from 'diff';
import type { ArtifactLocation, Fix, Log, ReportingDescriptor, Result } from 'sarif';
import type { CommandContext } from '../commands/command-line.ts';
import { nameOf, notationOf } from '../files.ts';
import { lintMessages } from '../messages/authoring.ts';
import { codeFrame, diffText } from '../terminal/excerpts.ts';
import { counted, jsonText, plainLine, plainLines, withoutCommands } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { FixedFile, LintScope } from './lint.ts';

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

export function countFindings({ findings }: LintReport): Readonly<Record<'errors' | 'warnings', number>> {
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
    findings: (await placeFindings([...findings.values()], isUnplaced)).toSorted(byPlace),
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

/** Returns whether a problem is about an id that another file has too: the code that compares files has no texts. */
function isUnplaced({ code, pointer, line, column }: LintFinding): boolean {
  return code === 'duplicate-id' && pointer === '/id' && line === 1 && column === 1;
}

/**
 * Adds the positions that the pointers of problems lead to, by default of all problems. Problems in unreadable files
 * stay as they are.
 */
export async function placeFindings(
  findings: readonly LintFinding[],
  isToPlace: (finding: LintFinding) => boolean = () => true,
): Promise<readonly LintFinding[]> {
  const texts = await sourceTexts(findings.filter(isToPlace));
  const positions = new Map(
    await Promise.all(
      Array.from(
        texts,
        async ([path, text]) =>
          [path, await createPositions({ text, format: notationOf(path) ?? 'yaml' })] as const,
      ),
    ),
  );
  return findings.map((finding) =>
    isToPlace(finding) ? { ...finding, ...positions.get(finding.path)?.(finding.pointer) } : finding,
  );
}

/**
 * Codes of problems in files that must not be opened: links out of the source, special files and files that are too
 * large.
 */
const unopened: ReadonlySet<FindingCode> = new Set(['beyond-limits', 'leaves-source', 'unreadable-file']);

/**
 * Reads the texts of the files that have problems, without byte order marks, by path. Unreadable files are left out.
 */
async function sourceTexts(findings: readonly LintFinding[]): Promise<ReadonlyMap<string, string>> {
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

export type LintFormat = 'github' | 'json' | 'sarif' | 'text';

interface PrintedReport {
  readonly report: LintReport;
  readonly fixed: readonly FixedFile[];
  readonly flags: { readonly format?: LintFormat; readonly watch?: boolean };
}

export async function printReport(
  { asJson, terminal, version }: CommandContext,
  { report, fixed, flags }: PrintedReport,
): Promise<void> {
  const indent = flags.watch === true ? undefined : 2;
  const format = asJson ? 'json' : (flags.format ?? 'text');
  switch (format) {
    case 'json':
      return terminal.printExact(`${jsonText(jsonFormat(report, fixed), indent)}\n`);
    case 'sarif':
      return terminal.printExact(`${jsonText(sarifFormat(report, version), indent)}\n`);
    case 'github':
      return terminal.printExact(githubFormat(report));
    case 'text': {
      const changes = fixed.map(
        ({ file, before, after }) =>
          `${terminal.paint('bold', plainLine(file))}\n${diffText(before, after, terminal)}\n\n`,
      );
      const texts = [...(await findingTexts(report.findings, terminal)), summary(report, terminal)];
      return terminal.print(`${changes.join('')}${texts.join('\n\n')}\n`);
    }
  }
}

/** Formats problems for people, each with its place, an excerpt and a suggestion. */
export async function findingTexts(
  findings: readonly LintFinding[],
  terminal: Terminal,
): Promise<readonly string[]> {
  const texts = await sourceTexts(findings);
  const lines = new Map(Array.from(texts, ([path, text]) => [path, text.split(/\r\n|\n|\r/)]));
  return findings.map((finding) => findingText(finding, lines.get(finding.path) ?? [], terminal));
}

function findingText(finding: LintFinding, lines: readonly string[], terminal: Terminal): string {
  const { file, line, column, severity, code, message, suggestion } = finding;
  const { paint } = terminal;
  const place = paint('bold', `${plainLine(file)}:${line}:${column}`);
  const kind = paint(severity === 'error' ? 'red' : 'yellow', severity);
  const said = `${place} ${kind} ${plainLine(sentence(message))} ${paint('dim', `(${code})`)}`;
  const frame = isOfWholeFile(finding) || lines.length === 0 ? [] : [codeFrame(lines, finding, terminal)];
  const help =
    suggestion === undefined
      ? []
      : [`  ${paint('green', lintMessages.help)} ${plainLine(sentence(suggestion))}`];
  return [said, ...frame, ...help].join('\n');
}

/** Returns whether a problem concerns the whole file. */
function isOfWholeFile({ pointer, line, column }: LintFinding): boolean {
  return pointer === '' && line === 1 && column === 1;
}

function sentence(text: string): string {
  return text.replace(/\.$/, '');
}

function summary(report: LintReport, { paint }: Terminal): string {
  const { errors, warnings } = countFindings(report);
  const checked = counted(report.checked, 'workflow');
  if (errors + warnings === 0) return paint('green', lintMessages.noProblems(checked));
  const fixable = report.findings.filter(({ edits }) => edits !== undefined).length;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning')] as const;
  return paint(errors > 0 ? 'red' : 'yellow', lintMessages.problems(...counts, checked, fixable));
}

/** Returns a report as JSON, in the form that `schemas/lint.json` describes. */
export function jsonFormat(report: LintReport, fixed: readonly FixedFile[]): object {
  return {
    checked: report.checked,
    ...countFindings(report),
    findings: jsonFindings(report.findings),
    fixed: fixed.map(({ file, before, after }) => ({
      file,
      diff: createTwoFilesPatch(file, file, before, after),
    })),
  };
}

export function jsonFindings(findings: readonly LintFinding[]): readonly object[] {
  return findings.map(({ edits, path: _path, served: _served, ...finding }) => ({
    ...finding,
    isFixable: edits !== undefined,
  }));
}

/** Formats a report as GitHub Actions annotations, one workflow command for each problem. */
function githubFormat({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, suggestion }) => {
      const place = `file=${property(file)},line=${line},col=${column},title=${property(code)}`;
      const said = suggestion === undefined ? message : `${message}\n${suggestion}`;
      return `::${severity} ${place}::${data(said)}\n`;
    })
    .join('');
}

/**
 * Escapes the message of a workflow command as GitHub requires. Control characters become visible, so that a message
 * can't contain a second command.
 */
function data(text: string): string {
  return withoutCommands(plainLines(text)).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(plainLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

const documentation = 'https://github.com/workflowlookup/workflowlookup/blob/main/docs/authoring.md#lint';

function sarifFormat({ findings }: LintReport, version: string): Log {
  const rules = Object.entries(findingCodes).map(([id, text]): ReportingDescriptor => ({
    id,
    shortDescription: { text },
    helpUri: documentation,
  }));
  const ruleIds = rules.map(({ id }) => id);
  const driver = { name: 'workflowlookup', semanticVersion: version, informationUri: documentation, rules };
  const results = findings.map((finding) => resultOf(finding, ruleIds.indexOf(finding.code)));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
}

function resultOf(finding: LintFinding, ruleIndex: number): Result {
  const { code, severity, message, suggestion, line, column } = finding;
  const artifactLocation = locationOf(finding);
  return {
    ruleId: code,
    ...(ruleIndex >= 0 && { ruleIndex }),
    level: severity,
    message: { text: suggestion === undefined ? message : `${message}\n${suggestion}` },
    locations: [{ physicalLocation: { artifactLocation, region: { startLine: line, startColumn: column } } }],
    ...(finding.edits && { fixes: [fixOf(finding, artifactLocation)] }),
  };
}

function fixOf({ edits = [], suggestion }: LintFinding, artifactLocation: ArtifactLocation): Fix {
  return {
    ...(suggestion !== undefined && { description: { text: suggestion } }),
    artifactChanges: [
      {
        artifactLocation,
        replacements: edits.map(({ offset, length, text }) => ({
          deletedRegion: { charOffset: offset, charLength: length },
          insertedContent: { text },
        })),
      },
    ],
  };
}

/**
 * Returns a location relative to the working folder, which is the root of the repository in CI. Files outside it are
 * absolute.
 */
function locationOf({ file }: LintFinding): ArtifactLocation {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href };
  return { uri: file.split(sep).map(encodeURIComponent).join('/') };
}
