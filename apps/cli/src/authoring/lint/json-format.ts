import { createTwoFilesPatch } from 'diff';
import type { FixedFile } from './fix-files.ts';
import type { LintFinding, LintReport } from './lint-report.ts';
import { countFindings } from './lint-report.ts';

/** A report as JSON, as `schemas/lint.json` describes it. */
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

/** Findings as JSON. */
export function jsonFindings(findings: readonly LintFinding[]): readonly object[] {
  return findings.map(({ edits, path: _path, served: _served, ...finding }) => ({
    ...finding,
    isFixable: edits !== undefined,
  }));
}
