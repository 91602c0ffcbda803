import manifest from '../../../package.json' with { type: 'json' };
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findingCodes } from '@workflowlookup/schema';
import { createTwoFilesPatch } from 'diff';
import type { ArtifactLocation, Fix, Log, ReportingDescriptor, Result } from 'sarif';
import type { CommonOptions } from '../../commands/options.ts';
import { diffText } from '../../terminal/diff-text.ts';
import { codeFrame } from '../../terminal/layout.ts';
import { jsonText, plainLine, plainLines, withoutCommands } from '../../terminal/plain-text.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { FixedFile } from './lint.ts';
import type { LintFinding, LintReport } from './report.ts';
import { countFindings, sourceTexts } from './report.ts';

export type LintFormat = 'github' | 'json' | 'sarif' | 'text';

export interface PrintedReport {
  readonly report: LintReport;
  readonly fixed: readonly FixedFile[];
  readonly flags: CommonOptions & { readonly format?: LintFormat; readonly watch?: boolean };
}

export async function printReport(
  terminal: Terminal,
  { report, fixed, flags }: PrintedReport,
): Promise<void> {
  const indent = flags.watch === true ? undefined : 2;
  const format = flags.json === true ? 'json' : (flags.format ?? 'text');
  switch (format) {
    case 'json': {
      return terminal.printExact(`${jsonText(jsonFormat(report, fixed), indent)}\n`);
    }
    case 'sarif': {
      return terminal.printExact(`${jsonText(sarifFormat(report), indent)}\n`);
    }
    case 'github': {
      const text = githubFormat(report);
      return terminal.printExact(text === '' ? '' : `${text}\n`);
    }
    case 'text': {
      const changes = fixed.map(
        ({ file, before, after }) =>
          `${terminal.paint('bold', plainLine(file))}\n${diffText(before, after, terminal)}\n\n`,
      );
      return terminal.print(`${changes.join('')}${await textFormat(report, terminal)}\n`);
    }
  }
}

/** Formats a report for people: each problem with its place, an excerpt and a suggestion, then a summary. */
async function textFormat(report: LintReport, terminal: Terminal): Promise<string> {
  return [...(await findingTexts(report.findings, terminal)), summary(report, terminal)].join('\n\n');
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
    suggestion === undefined ? [] : [`  ${paint('green', 'help:')} ${plainLine(sentence(suggestion))}`];
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
  if (errors + warnings === 0) return paint('green', `Checked ${checked}: no problems.`);
  const fixable = report.findings.filter(({ edits }) => edits !== undefined).length;
  const fix = fixable === 0 ? '' : ` --fix can fix ${fixable} of them.`;
  return paint(
    errors > 0 ? 'red' : 'yellow',
    `${counted(errors, 'error')} and ${counted(warnings, 'warning')} in ${checked}.${fix}`,
  );
}

/** Returns a count with its noun: `2 tests`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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
      return `::${severity} ${place}::${data(said)}`;
    })
    .join('\n');
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

function sarifFormat({ findings }: LintReport): Log {
  const rules = Object.entries(findingCodes).map(([id, text]): ReportingDescriptor => ({
    id,
    shortDescription: { text },
    helpUri: documentation,
  }));
  const ruleIds = rules.map(({ id }) => id);
  const driver = {
    name: manifest.name,
    semanticVersion: manifest.version,
    informationUri: documentation,
    rules,
  };
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
