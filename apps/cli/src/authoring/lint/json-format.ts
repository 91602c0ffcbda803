import { createTwoFilesPatch } from 'diff';
import type { FixedFile } from './fix-files.ts';
import type { LintReport } from './lint-report.ts';
import { countFindings } from './lint-report.ts';

/** A report as JSON, as `schemas/lint.json` describes it. */
export function jsonFormat(report: LintReport, fixed: readonly FixedFile[]): object {
  return {
    checked: report.checked,
    ...countFindings(report),
    findings: report.findings.map(({ edits, path: _path, served: _served, ...finding }) => ({
      ...finding,
      isFixable: edits !== undefined,
    })),
    fixed: fixed.map(({ file, before, after }) => ({
      file,
      diff: createTwoFilesPatch(file, file, before, after),
    })),
  };
}
