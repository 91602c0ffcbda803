import type { Coverage } from '@workflowlookup/core/testing';
import { jsonFindings } from '../lint/json-format.ts';
import type { TestReport } from './test-report.ts';
import { countTests, percentOf } from './test-report.ts';

/** A report as JSON, as `schemas/test.json` describes it. */
export function jsonFormat(report: TestReport): object {
  return {
    checked: report.checked,
    ...countTests(report),
    workflows: report.workflows.map(({ coverage, exploration, ...workflow }) => ({
      ...workflow,
      ...(coverage && { coverage: coverageOf(coverage) }),
      ...(exploration && { exploration: { ...exploration, coverage: coverageOf(exploration.coverage) } }),
    })),
    findings: jsonFindings(report.findings),
  };
}

function coverageOf({ sites, branches }: Coverage): object {
  return {
    steps: { percent: percentOf(sites), ...sites },
    branches: { percent: percentOf(branches), ...branches },
  };
}
