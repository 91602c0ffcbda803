import { plainLine } from '../../plain-text.ts';
import { codeFrame } from '../../render/code-frame.ts';
import type { Terminal } from '../../terminal.ts';
import type { LintFinding, LintReport } from './lint-report.ts';
import { countFindings } from './lint-report.ts';
import { sourceTexts } from './source-texts.ts';

/** A report as people read it: each finding with its place, the lines around it and what would do; last what it comes to. */
export async function textFormat(report: LintReport, terminal: Terminal): Promise<string> {
  return [...(await findingTexts(report.findings, terminal)), summary(report, terminal)].join('\n\n');
}

/** Findings as people read them, each with its place, the lines around it and what would do. */
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

/** A finding about no place of the text in particular. */
function isOfWholeFile({ pointer, line, column }: LintFinding): boolean {
  return pointer === '' && line === 1 && column === 1;
}

function sentence(text: string): string {
  return text.replace(/\.$/, '');
}

function summary(report: LintReport, { paint }: Terminal): string {
  const { errors, warnings } = countFindings(report);
  const checked = counted(report.checked, 'workflow');
  if (errors + warnings === 0) return paint('green', `Nothing found in ${checked}.`);
  const fixable = report.findings.filter(({ edits }) => edits !== undefined).length;
  const fix = fixable === 0 ? '' : ` --fix puts ${fixable} of them right.`;
  return paint(
    errors > 0 ? 'red' : 'yellow',
    `${counted(errors, 'error')} and ${counted(warnings, 'warning')} in ${checked}.${fix}`,
  );
}

/** So many of something: `2 tests`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
